#include "agents/engine/migrator.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "agents/tiers/memory_arena.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/lane_client.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kArenaBytes = 64 * kPage;

// Fails every copy, as a broken disk does.
class BrokenArena : public Arena {
 public:
  int fd() const override { return -1; }
  int64_t capacity_bytes() const override { return kArenaBytes; }
  std::byte* mapped() const override { return nullptr; }
  bool gains_from_threads() const override { return false; }
  int Read(int64_t, absl::Span<std::byte>) override { return EIO; }
  int Write(int64_t, absl::Span<const std::byte>) override { return ENOSPC; }
};

// A disk that counts its transfers and has room for `room_bytes` alone.
class CountingArena : public Arena {
 public:
  explicit CountingArena(int64_t room_bytes = kArenaBytes)
      : room_bytes_(room_bytes) {}

  int fd() const override { return -1; }
  int64_t capacity_bytes() const override { return kArenaBytes; }
  std::byte* mapped() const override { return nullptr; }
  bool gains_from_threads() const override { return false; }
  int Read(int64_t offset_bytes, absl::Span<std::byte> to) override {
    absl::MutexLock lock(&mutex_);
    ++reads_;
    std::memcpy(to.data(), bytes_.data() + offset_bytes, to.size());
    return 0;
  }
  int Write(int64_t offset_bytes, absl::Span<const std::byte> from) override {
    absl::MutexLock lock(&mutex_);
    ++writes_;
    if (offset_bytes + static_cast<int64_t>(from.size()) > room_bytes_) {
      return ENOSPC;
    }
    std::memcpy(bytes_.data() + offset_bytes, from.data(), from.size());
    return 0;
  }

  int reads() const { return reads_; }
  int writes() const { return writes_; }
  std::byte at(int64_t offset_bytes) const {
    absl::MutexLock lock(&mutex_);
    return bytes_[offset_bytes];
  }

 private:
  const int64_t room_bytes_;
  mutable absl::Mutex mutex_;
  std::atomic<int> reads_{0};
  std::atomic<int> writes_{0};
  std::vector<std::byte> bytes_ ABSL_GUARDED_BY(mutex_) =
      std::vector<std::byte>(kArenaBytes);
};

TierRoom MemoryRoom(TierTraits traits = {}) {
  return {.arena = std::make_unique<MemoryArena>(
              *SharedMemory::Create("room", kArenaBytes)),
          .traits = std::move(traits),
          .gate = std::make_shared<CopyGate>(4, 4)};
}

TierRoom RoomOf(std::unique_ptr<Arena> arena) {
  return {.arena = std::move(arena), .gate = std::make_shared<CopyGate>(4, 4)};
}

// Returns an order from page `from` of the fast tier to page `to` of the slow
// one.
MoveOrder PagesOut(int64_t from, int64_t to, int64_t pages = 1) {
  return {.from_tier = 0,
          .to_tier = 1,
          .from_offset_bytes = from * kPage,
          .to_offset_bytes = to * kPage,
          .size_bytes = pages * kPage};
}

MoveOrder PagesIn(int64_t from, int64_t to, int64_t pages = 1) {
  MoveOrder order = PagesOut(from, to, pages);
  std::swap(order.from_tier, order.to_tier);
  return order;
}

// Plays the process's side of the lanes, in shared memory as it really is.
class MigratorTest : public testing::Test {
 protected:
  MigratorTest()
      : memory_(*SharedMemory::Create(
            "lanes", sizeof(session::MoveLane) * session::kLaneCount)),
        lanes_(reinterpret_cast<session::MoveLane*>(memory_.data())),
        client_(lanes_) {}

  void Start(TierRoom slow) {
    std::vector<TierRoom> rooms;
    rooms.push_back(MemoryRoom());
    rooms.push_back(std::move(slow));
    fast_ = rooms[0].arena.get();
    slow_ = rooms[1].arena.get();
    for (int64_t page = 0; page < kArenaBytes / kPage; ++page) {
      std::memset(fast_->mapped() + page * kPage, static_cast<int>(page) + 1,
                  kPage);
    }
    migrator_ = std::make_unique<Migrator>(
        lanes_, std::move(rooms),
        [this](const MoveOrder&, int error) {
          absl::MutexLock lock(&mutex_);
          failures_.push_back(error);
        },
        [this](const MoveOrder& order, int64_t duration_ns, int64_t beside_ns) {
          absl::MutexLock lock(&mutex_);
          EXPECT_GT(duration_ns, 0);
          copied_bytes_.push_back(order.size_bytes);
          beside_ns_.push_back(beside_ns);
        },
        &usage_);
  }

  CountingArena* StartCounting(int64_t room_bytes = kArenaBytes) {
    auto arena = std::make_unique<CountingArena>(room_bytes);
    CountingArena* const counting = arena.get();
    Start(RoomOf(std::move(arena)));
    return counting;
  }

  const session::MoveRequest& Move(session::Lane which,
                                   const MoveOrder& order) {
    return client_.Move(which, order);
  }

  // Issues all orders at once and awaits them; returns the status of each.
  std::vector<int> MoveAll(session::Lane which,
                           const std::vector<MoveOrder>& orders) {
    const uint64_t last = client_.IssueAll(which, orders);
    client_.Await(which, last);
    std::vector<int> statuses;
    for (uint64_t n = last + 1 - orders.size(); n <= last; ++n) {
      statuses.push_back(client_.Await(which, n).status);
    }
    return statuses;
  }

  SharedMemory memory_;
  session::MoveLane* const lanes_;
  LaneClient client_;
  Arena* fast_ = nullptr;
  Arena* slow_ = nullptr;
  absl::Mutex mutex_;
  std::vector<int> failures_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> copied_bytes_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> beside_ns_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int64_t> used_ns_{0};
  JobUsage usage_{std::make_shared<AgentUsage>(), &used_ns_};
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

TEST_F(MigratorTest, CountsTheProcessorTimeOfAMoveBeforeItReportsIt) {
  Start(MemoryRoom());
  int64_t before_ns = used_ns_;
  for (const session::Lane lane : {session::kLaneOut, session::kLaneIn}) {
    Move(lane, PagesOut(0, 0, /*pages=*/8));
    EXPECT_GT(used_ns_, before_ns);
    before_ns = used_ns_;
  }
}

TEST_F(MigratorTest, CompletesMoreMovesThanALaneHoldsInOrder) {
  Start(MemoryRoom());
  constexpr int kMoves = 3 * session::kLaneEntries;
  for (int i = 0; i < kMoves; ++i) {
    if (i >= session::kLaneEntries) {
      client_.Await(session::kLaneOut, i - session::kLaneEntries);
    }
    client_.Issue(session::kLaneOut, PagesOut(0, 0));
  }
  EXPECT_EQ(client_.Await(session::kLaneOut, kMoves - 1).status,
            session::kMoveDone);
  EXPECT_EQ(lanes_[session::kLaneOut].completed.load(), kMoves);
}

TEST_F(MigratorTest, AMoveIsAsUrgentAsThoseThatWaitBehindIt) {
  const auto gate = std::make_shared<CopyGate>(/*readers=*/4, /*writers=*/1);
  TierRoom slow = MemoryRoom();
  slow.gate = gate;
  Start(std::move(slow));
  std::unique_ptr<CopyGate::Pass> writer(
      new CopyGate::Pass(gate->Enter(CopyGate::kWrite, {.job = this})));
  const auto await_waiting = [&gate](size_t count) {
    while (gate->WaitingCopies(CopyGate::kWrite) < count) {
      std::this_thread::yield();
    }
  };
  MoveOrder nobody_waits = PagesOut(0, 0);
  nobody_waits.deadline_ns = session::kNoDeadline;
  const uint64_t last =
      client_.IssueAll(session::kLaneOut, {nobody_waits, PagesOut(9, 20)});
  await_waiting(1);
  std::byte moved_before = {};
  std::thread other([&] {
    const CopyGate::Pass pass =
        gate->Enter(CopyGate::kWrite, {.job = &moved_before, .deadline_ns = 1});
    moved_before = slow_->mapped()[0];
  });
  await_waiting(2);
  writer.reset();
  other.join();
  EXPECT_EQ(moved_before, std::byte{1});
  EXPECT_EQ(client_.Await(session::kLaneOut, last).status, session::kMoveDone);
}

TEST_F(MigratorTest, MovesNeighboursInOneTransfer) {
  CountingArena* const disk = StartCounting();
  const std::vector<int> out = MoveAll(
      session::kLaneOut,
      {PagesOut(3, 20), PagesOut(4, 21, 5), PagesOut(9, 26), PagesOut(10, 27)});
  EXPECT_THAT(out, Each(session::kMoveDone));
  EXPECT_EQ(disk->writes(), 1);
  for (int64_t page = 0; page < 8; ++page) {
    EXPECT_EQ(disk->at((20 + page) * kPage + 17),
              static_cast<std::byte>(3 + page + 1));
  }
  EXPECT_EQ(disk->at(19 * kPage), std::byte{0});
  EXPECT_EQ(disk->at(28 * kPage), std::byte{0});
  const std::vector<int> in = MoveAll(
      session::kLaneIn, {PagesIn(20, 40), PagesIn(21, 41, 5), PagesIn(26, 46)});
  EXPECT_THAT(in, Each(session::kMoveDone));
  EXPECT_EQ(disk->reads(), 1);
  EXPECT_EQ(std::memcmp(fast_->mapped() + 3 * kPage,
                        fast_->mapped() + 40 * kPage, 7 * kPage),
            0);
  absl::MutexLock lock(&mutex_);
  EXPECT_THAT(copied_bytes_, ElementsAre(8 * kPage, 7 * kPage));
}

TEST_F(MigratorTest, MovesWhatIsNoNeighbourByItself) {
  CountingArena* const disk = StartCounting();
  const std::vector<MoveOrder> orders = {
      PagesOut(0, 0),  // then a gap in the source
      PagesOut(2, 1),  // then a gap in the destination
      PagesOut(3, 3),  // then the other way around
      PagesOut(2, 2),  // then the same page again
      PagesOut(2, 2)};
  EXPECT_THAT(MoveAll(session::kLaneOut, orders), Each(session::kMoveDone));
  EXPECT_EQ(disk->writes(), orders.size());
}

TEST_F(MigratorTest, AnswersEachNeighbourByItselfWhenADiskIsAlmostFull) {
  CountingArena* const disk = StartCounting(/*room_bytes=*/2 * kPage);
  EXPECT_THAT(MoveAll(session::kLaneOut, {PagesOut(0, 0), PagesOut(1, 1),
                                          PagesOut(2, 2), PagesOut(3, 3)}),
              ElementsAre(session::kMoveDone, session::kMoveDone,
                          session::kMoveFailed, session::kMoveFailed));
  EXPECT_EQ(disk->at(kPage), std::byte{2});
  absl::MutexLock lock(&mutex_);
  EXPECT_THAT(failures_, ElementsAre(ENOSPC, ENOSPC));
  EXPECT_THAT(copied_bytes_, IsEmpty());
}

TEST_F(MigratorTest, MovesTheGoodNeighboursOfAnOrderThatMakesNoSense) {
  CountingArena* const disk = StartCounting();
  MoveOrder torn = PagesOut(1, 1);
  torn.size_bytes = 100;
  MoveOrder rest = PagesOut(1, 1);
  rest.from_offset_bytes += 100;
  rest.to_offset_bytes += 100;
  rest.size_bytes -= 100;
  const int64_t end = kArenaBytes / kPage;
  EXPECT_THAT(MoveAll(session::kLaneOut,
                      {PagesOut(0, 0), torn, rest, PagesOut(2, 2),
                       PagesOut(end - 1, end - 1), PagesOut(end, end)}),
              ElementsAre(session::kMoveDone, session::kMoveFailed,
                          session::kMoveFailed, session::kMoveDone,
                          session::kMoveDone, session::kMoveFailed));
  EXPECT_EQ(disk->at(0), std::byte{1});
  EXPECT_EQ(disk->at(kPage), std::byte{0});
  EXPECT_EQ(disk->at(2 * kPage), std::byte{3});
}

TEST_F(MigratorTest, CarriesOutAnyMixOfMovesAsIfOneByOne) {
  Start(MemoryRoom());
  std::mt19937 random(1);
  std::vector<std::byte> expected(kArenaBytes);
  std::vector<MoveOrder> orders;
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % end);
  };
  while (orders.size() < 2000) {
    // Runs of neighbours, with odd orders in between.
    MoveOrder order = PagesOut(below(60), below(60), 1 + below(4));
    for (int64_t n = below(6); n >= 0; --n) {
      orders.push_back(order);
      order.from_offset_bytes += order.size_bytes;
      order.to_offset_bytes += order.size_bytes;
      order.size_bytes = kPage * (1 + below(3));
    }
  }
  for (const MoveOrder& order : orders) {
    if (order.from_offset_bytes + order.size_bytes > kArenaBytes ||
        order.to_offset_bytes + order.size_bytes > kArenaBytes) {
      continue;
    }
    std::memcpy(expected.data() + order.to_offset_bytes,
                fast_->mapped() + order.from_offset_bytes, order.size_bytes);
  }
  MoveAll(session::kLaneOut, orders);
  EXPECT_EQ(std::memcmp(expected.data(), slow_->mapped(), kArenaBytes), 0);
}

TEST_F(MigratorTest, RefusesOrdersThatMakeNoSense) {
  Start(MemoryRoom());
  const MoveOrder senseless[] = {
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
  for (const MoveOrder& order : senseless) {
    const session::MoveRequest& request = Move(session::kLaneOut, order);
    EXPECT_EQ(request.status, session::kMoveFailed);
    EXPECT_EQ(request.error_number, EINVAL);
  }
  absl::MutexLock lock(&mutex_);
  EXPECT_EQ(failures_.size(), std::size(senseless));
}

TEST_F(MigratorTest, ReportsTheErrorOfAMediumAndLeavesTheSource) {
  Start(RoomOf(std::make_unique<BrokenArena>()));
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
  // A page, which one thread copies, at 16 us a byte takes 65 ms.
  Start(MemoryRoom({.copy_to_ps_per_byte = 16'000'000}));
  const session::MoveRequest& slow = Move(
      session::kLaneOut, {.from_tier = 0, .to_tier = 1, .size_bytes = kPage});
  EXPECT_EQ(slow.status, session::kMoveDone);
  EXPECT_GE(slow.end_ns - slow.begin_ns, kPage * 16'000);
}

TEST_F(MigratorTest, SaysHowLongBothLanesCopied) {
  // A page takes 131 ms.
  Start(MemoryRoom({.copy_from_ps_per_byte = 32'000'000,
                    .copy_to_ps_per_byte = 32'000'000}));
  Move(session::kLaneOut, PagesOut(0, 0));
  const uint64_t out = client_.IssueAll(session::kLaneOut, {PagesOut(1, 1)});
  const uint64_t in = client_.IssueAll(session::kLaneIn, {PagesIn(0, 2)});
  client_.Await(session::kLaneOut, out);
  client_.Await(session::kLaneIn, in);
  migrator_.reset();
  absl::MutexLock lock(&mutex_);
  ASSERT_EQ(beside_ns_.size(), 3u);
  EXPECT_EQ(beside_ns_[0], 0);
  EXPECT_GT(beside_ns_[1], 0);
  EXPECT_GT(beside_ns_[2], 0);
}

TEST_F(MigratorTest, DoesNotWaitForAnEmulatedMediumWhenItStops) {
  auto arena = std::make_unique<CountingArena>();
  const CountingArena* const disk = arena.get();
  TierRoom room = RoomOf(std::move(arena));
  room.traits.copy_to_ps_per_byte = int64_t{1} << 50;  // it would take a minute
  Start(std::move(room));
  client_.Issue(session::kLaneOut, PagesOut(0, 0));
  while (disk->writes() == 0) std::this_thread::yield();
  const int64_t begin_ns = session::NowNs();
  migrator_.reset();
  EXPECT_LT(session::NowNs() - begin_ns, 30'000'000'000);
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
