#include "agents/engine/mover.h"

#include <atomic>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "agents/tiers/memory_arena.h"
#include "client_sdk/session/clock.h"
#include "gtest/gtest.h"
#include "timing/bell.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kMoverArenaBytes = 64 * kMiB;

// Counts into how many slices a copy is cut: as many as threads copy it.
class SlicesArena : public Arena {
 public:
  explicit SlicesArena(bool gains_from_threads = true)
      : gains_from_threads_(gains_from_threads) {}

  int fd() const override { return -1; }
  int64_t capacity_bytes() const override { return kMoverArenaBytes; }
  std::byte* mapped() const override { return nullptr; }
  bool gains_from_threads() const override { return gains_from_threads_; }
  int Read(int64_t, absl::Span<std::byte> to) override {
    return Count(static_cast<int64_t>(to.size()));
  }
  int Write(int64_t, absl::Span<const std::byte> from) override {
    return Count(static_cast<int64_t>(from.size()));
  }

  // Returns the number of slices since it was last asked.
  int TakeSlices() { return slices_.exchange(0); }
  int64_t bytes() const { return bytes_; }

 private:
  int Count(int64_t bytes) {
    ++slices_;
    bytes_ += bytes;
    return 0;
  }

  const bool gains_from_threads_;
  std::atomic<int> slices_{0};
  std::atomic<int64_t> bytes_{0};
};

class MoverTest : public testing::Test {
 protected:
  // Opens DRAM and Optane as the paper has them: 16 readers each, 8 writers to
  // Optane.
  void Open(std::unique_ptr<SlicesArena> optane) {
    optane_ = optane.get();
    rooms_.push_back(
        {.arena = std::make_unique<MemoryArena>(
             *SharedMemory::Create("fast", kMoverArenaBytes)),
         .traits = {.copy_read_threads = 16, .copy_write_threads = 16},
         .gate = std::make_shared<CopyGate>(16, 16)});
    rooms_.push_back(
        {.arena = std::move(optane),
         .traits = {.copy_read_threads = 16, .copy_write_threads = 8},
         .gate = std::make_shared<CopyGate>(16, 8)});
  }

  int SlicesOf(const MoveOrder& order, int cores) {
    const Mover mover(&rooms_, &stop_, cores);
    EXPECT_EQ(mover.Move(order), 0);
    return optane_->TakeSlices();
  }

  static constexpr MoveOrder kOut = {.to_tier = 1, .size_bytes = 16 * kMiB};
  static constexpr MoveOrder kIn = {.from_tier = 1, .size_bytes = 16 * kMiB};

  std::vector<TierRoom> rooms_;
  Bell stop_;
  SlicesArena* optane_ = nullptr;
};

TEST_F(MoverTest, WritesOptaneWithEightThreadsAndReadsItWithSixteen) {
  Open(std::make_unique<SlicesArena>());
  EXPECT_EQ(SlicesOf(kOut, /*cores=*/20), 8);
  EXPECT_EQ(SlicesOf(kIn, /*cores=*/20), 16);
  EXPECT_EQ(optane_->bytes(), 32 * kMiB);
}

TEST_F(MoverTest, UsesNoMoreThreadsThanThereAreCores) {
  Open(std::make_unique<SlicesArena>());
  EXPECT_EQ(SlicesOf(kOut, /*cores=*/2), 2);
  EXPECT_EQ(SlicesOf(kIn, /*cores=*/1), 1);
}

TEST_F(MoverTest, UsesOneThreadForEach256KiBAtMost) {
  Open(std::make_unique<SlicesArena>());
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = 4096}, /*cores=*/20), 1);
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = kMiB}, /*cores=*/20), 4);
}

TEST_F(MoverTest, UsesMoreThreadsWhereTheMediumIsSlow) {
  Open(std::make_unique<SlicesArena>());
  rooms_[1].traits.copy_to_ps_per_byte = 3'500;  // 57 us for 16 KiB
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = 4096}, /*cores=*/20), 1);
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = 32 << 10}, /*cores=*/20), 3);
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = 64 << 10}, /*cores=*/2), 2);
}

TEST_F(MoverTest, UsesOneThreadWhereATierDoesNotGainFromMore) {
  Open(std::make_unique<SlicesArena>(/*gains_from_threads=*/false));
  EXPECT_EQ(SlicesOf(kOut, /*cores=*/20), 1);
}

TEST_F(MoverTest, LeavesThePlacesThatOthersHoldToThem) {
  Open(std::make_unique<SlicesArena>());
  const CopyGate::Pass others =
      rooms_[1].gate->Enter(CopyGate::kWrite, {.job = &stop_}, 5);
  EXPECT_EQ(SlicesOf(kOut, /*cores=*/20), 3);
}

TEST_F(MoverTest, TakesATurnForEach16MiB) {
  Open(std::make_unique<SlicesArena>(/*gains_from_threads=*/false));
  EXPECT_EQ(SlicesOf({.to_tier = 1, .size_bytes = 40 * kMiB}, /*cores=*/2), 3);
  EXPECT_EQ(optane_->bytes(), 40 * kMiB);
}

TEST_F(MoverTest, CopiesPieceByPieceWhereTheMediumIsEmulated) {
  Open(std::make_unique<SlicesArena>());
  rooms_[1].traits.copy_to_ps_per_byte = 1;
  EXPECT_EQ(SlicesOf(kOut, /*cores=*/2), 2 * 4);
  EXPECT_EQ(optane_->bytes(), kOut.size_bytes);
}

TEST_F(MoverTest, CopiesNothingOfAnOrderThatDoesNotFitAsAWhole) {
  Open(std::make_unique<SlicesArena>());
  rooms_[1].traits.copy_to_ps_per_byte = 1;
  const Mover mover(&rooms_, &stop_);
  EXPECT_EQ(mover.Move({.to_tier = 1, .size_bytes = int64_t{1} << 40}), EINVAL);
  EXPECT_EQ(optane_->bytes(), 0);
}

TEST_F(MoverTest, SharesTheTimeOfAnEmulatedMediumAmongThreads) {
  Open(std::make_unique<SlicesArena>());
  rooms_[1].traits.copy_to_ps_per_byte = 50'000;  // 210 ms for 4 MiB
  const MoveOrder order = {.to_tier = 1, .size_bytes = 4 * kMiB};
  int64_t begin_ns = session::NowNs();
  SlicesOf(order, /*cores=*/1);
  const int64_t one_thread_ns = session::NowNs() - begin_ns;
  begin_ns = session::NowNs();
  SlicesOf(order, /*cores=*/4);
  const int64_t four_threads_ns = session::NowNs() - begin_ns;
  EXPECT_GE(one_thread_ns, 4 * kMiB * 50);
  EXPECT_GE(four_threads_ns, kMiB * 50);
  EXPECT_LT(four_threads_ns, one_thread_ns);
}

}  // namespace
}  // namespace stowage::agent
