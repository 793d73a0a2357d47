#include "agents/engine/migrator.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "agents/tiers/memory_arena.h"
#include "client_sdk/runtime/futex.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kPage = session::kPageBytes;
constexpr int64_t kArenaBytes = 64 * kPage;

// Fails every copy, as a broken disk does.
class BrokenArena : public Arena {
 public:
  int fd() const override { return -1; }
  int64_t capacity_bytes() const override { return kArenaBytes; }
  std::byte* mapped() const override { return nullptr; }
  int Read(int64_t, absl::Span<std::byte>) override { return EIO; }
  int Write(int64_t, absl::Span<const std::byte>) override { return ENOSPC; }
};

TierRoom MemoryRoom(TierTraits traits = {}) {
  return {.arena = std::make_unique<MemoryArena>(
              *SharedMemory::Create("room", kArenaBytes)),
          .traits = std::move(traits),
          .gate = std::make_shared<CopyGate>(4, 4)};
}

TierRoom BrokenRoom() {
  return {.arena = std::make_unique<BrokenArena>(),
          .gate = std::make_shared<CopyGate>(4, 4)};
}

// Plays the process's side of the lanes, in shared memory as it really is.
class MigratorTest : public testing::Test {
 protected:
  MigratorTest()
      : memory_(*SharedMemory::Create(
            "lanes", sizeof(session::MoveLane) * session::kLaneCount)),
        lanes_(reinterpret_cast<session::MoveLane*>(memory_.data())) {}

  void Start(TierRoom slow) {
    std::vector<TierRoom> rooms;
    rooms.push_back(MemoryRoom());
    rooms.push_back(std::move(slow));
    fast_ = rooms[0].arena.get();
    slow_ = rooms[1].arena.get();
    migrator_ = std::make_unique<Migrator>(lanes_, std::move(rooms),
                                           [this](const MoveOrder&, int error) {
                                             absl::MutexLock lock(&mutex_);
                                             failures_.push_back(error);
                                           });
  }

  uint64_t Issue(session::Lane which, const MoveOrder& order) {
    session::MoveLane& lane = lanes_[which];
    const uint64_t number = lane.issued.load();
    session::MoveRequest& request =
        lane.entries[number % session::kLaneEntries];
    request.from_tier = order.from_tier;
    request.to_tier = order.to_tier;
    request.from_offset_bytes = order.from_offset_bytes;
    request.to_offset_bytes = order.to_offset_bytes;
    request.size_bytes = order.size_bytes;
    request.status = session::kMovePending;
    lane.issued.store(number + 1);
    if (lane.agent_sleeps.load() != 0) session::FutexRing(lane.issue_bell);
    return number;
  }

  const session::MoveRequest& Await(session::Lane which, uint64_t number) {
    session::MoveLane& lane = lanes_[which];
    while (lane.completed.load() <= number) {
      const uint32_t bell = lane.done_bell.load();
      lane.process_sleeps.store(1);
      if (lane.completed.load() <= number) {
        session::FutexWait(lane.done_bell, bell, 1'000'000'000);
      }
      lane.process_sleeps.store(0);
    }
    return lane.entries[number % session::kLaneEntries];
  }

  const session::MoveRequest& Move(session::Lane which,
                                   const MoveOrder& order) {
    return Await(which, Issue(which, order));
  }

  SharedMemory memory_;
  session::MoveLane* const lanes_;
  Arena* fast_ = nullptr;
  Arena* slow_ = nullptr;
  absl::Mutex mutex_;
  std::vector<int> failures_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Migrator> migrator_;
};

TEST_F(MigratorTest, MovesBytesOutAndIn) {
  Start(MemoryRoom());
  std::memset(fast_->mapped() + 2 * kPage, 0x5a, kPage);
  const session::MoveRequest& out =
      Move(session::kLaneOut, {.from_tier = 0,
                               .to_tier = 1,
                               .from_offset_bytes = 2 * kPage,
                               .to_offset_bytes = 5 * kPage,
                               .size_bytes = kPage});
  EXPECT_EQ(out.status, session::kMoveDone);
  EXPECT_EQ(out.error_number, 0);
  EXPECT_GT(out.begin_ns, 0);
  EXPECT_GE(out.end_ns, out.begin_ns);
  EXPECT_EQ(slow_->mapped()[5 * kPage], std::byte{0x5a});
  const session::MoveRequest& in =
      Move(session::kLaneIn, {.from_tier = 1,
                              .to_tier = 0,
                              .from_offset_bytes = 5 * kPage,
                              .to_offset_bytes = 9 * kPage,
                              .size_bytes = kPage});
  EXPECT_EQ(in.status, session::kMoveDone);
  EXPECT_EQ(fast_->mapped()[9 * kPage], std::byte{0x5a});
}

TEST_F(MigratorTest, CompletesMoreMovesThanALaneHoldsInOrder) {
  Start(MemoryRoom());
  constexpr int kMoves = 3 * session::kLaneEntries;
  for (int i = 0; i < kMoves; ++i) {
    if (i >= session::kLaneEntries) {
      Await(session::kLaneOut, i - session::kLaneEntries);
    }
    Issue(session::kLaneOut,
          {.from_tier = 0, .to_tier = 1, .size_bytes = kPage});
  }
  EXPECT_EQ(Await(session::kLaneOut, kMoves - 1).status, session::kMoveDone);
  EXPECT_EQ(lanes_[session::kLaneOut].completed.load(), kMoves);
}

TEST_F(MigratorTest, RefusesOrdersThatMakeNoSense) {
  Start(MemoryRoom());
  const MoveOrder kSenseless[] = {
      {.from_tier = 2, .to_tier = 0, .size_bytes = kPage},
      {.from_tier = -1, .to_tier = 0, .size_bytes = kPage},
      {.from_tier = 0, .to_tier = INT32_MAX, .size_bytes = kPage},
      {.from_tier = 0, .to_tier = 1, .size_bytes = 0},
      {.from_tier = 0, .to_tier = 1, .size_bytes = -kPage},
      {.from_tier = 0, .to_tier = 1, .size_bytes = kPage + 1},
      {.from_tier = 0,
       .to_tier = 1,
       .from_offset_bytes = 8,
       .size_bytes = kPage},
      {.from_tier = 0,
       .to_tier = 1,
       .to_offset_bytes = kArenaBytes,
       .size_bytes = kPage},
      {.from_tier = 0,
       .to_tier = 1,
       .from_offset_bytes = INT64_MAX / kPage * kPage,
       .size_bytes = INT64_MAX / kPage * kPage},
      {.from_tier = 0,
       .to_tier = 0,
       .to_offset_bytes = 0,
       .size_bytes = kPage}};
  for (const MoveOrder& order : kSenseless) {
    const session::MoveRequest& request = Move(session::kLaneOut, order);
    EXPECT_EQ(request.status, session::kMoveFailed);
    EXPECT_EQ(request.error_number, EINVAL);
  }
  absl::MutexLock lock(&mutex_);
  EXPECT_EQ(failures_.size(), std::size(kSenseless));
}

TEST_F(MigratorTest, ReportsTheErrorOfAMediumAndLeavesTheSource) {
  Start(BrokenRoom());
  std::memset(fast_->mapped(), 7, kPage);
  const session::MoveRequest& out = Move(
      session::kLaneOut, {.from_tier = 0, .to_tier = 1, .size_bytes = kPage});
  EXPECT_EQ(out.status, session::kMoveFailed);
  EXPECT_EQ(out.error_number, ENOSPC);
  EXPECT_EQ(fast_->mapped()[0], std::byte{7});
  const session::MoveRequest& in = Move(
      session::kLaneIn, {.from_tier = 1, .to_tier = 0, .size_bytes = kPage});
  EXPECT_EQ(in.error_number, EIO);
}

TEST_F(MigratorTest, TakesTheTimeOfAnEmulatedMedium) {
  // 16 pages at 1 us a byte are 65 ms.
  Start(MemoryRoom({.copy_to_ps_per_byte = 1'000'000}));
  const session::MoveRequest& slow =
      Move(session::kLaneOut,
           {.from_tier = 0, .to_tier = 1, .size_bytes = 16 * kPage});
  EXPECT_EQ(slow.status, session::kMoveDone);
  EXPECT_GE(slow.end_ns - slow.begin_ns, 16 * kPage * 1000);
}

TEST_F(MigratorTest, DoesNotWaitForAnEmulatedMediumWhenItStops) {
  // The medium would take a minute.
  Start(MemoryRoom({.copy_to_ps_per_byte = int64_t{1} << 50}));
  Issue(session::kLaneOut, {.from_tier = 0, .to_tier = 1, .size_bytes = kPage});
  while (lanes_[session::kLaneOut].entries[0].begin_ns == 0) {
    std::this_thread::yield();
  }
  const int64_t begin_ns = MonotonicNs();
  migrator_.reset();
  EXPECT_LT(MonotonicNs() - begin_ns, 30'000'000'000);
}

TEST_F(MigratorTest, IgnoresACounterThatJumpsAndServesOnWhenItIsRight) {
  Start(MemoryRoom());
  session::MoveLane& lane = lanes_[session::kLaneOut];
  lane.issued.store(uint64_t{1} << 60);
  session::FutexRing(lane.issue_bell);
  EXPECT_EQ(Move(session::kLaneIn,
                 {.from_tier = 1, .to_tier = 0, .size_bytes = kPage})
                .status,
            session::kMoveDone);
  EXPECT_EQ(lane.completed.load(), 0);
  lane.issued.store(0);
  EXPECT_EQ(Move(session::kLaneOut,
                 {.from_tier = 0, .to_tier = 1, .size_bytes = kPage})
                .status,
            session::kMoveDone);
}

}  // namespace
}  // namespace stowage::agent
