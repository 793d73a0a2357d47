// Raises real faults. The handler is installed once, so all tests share one
// process.
#include "client_sdk/runtime/fault_handler.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "client_sdk/runtime/process/signal_stack.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

std::atomic<int> g_foreign_faults{0};

// Is the handler that was there before: it opens the page, so that the
// instruction succeeds.
void OpenPage(int, siginfo_t* info, void*) {
  ++g_foreign_faults;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  mprotect(reinterpret_cast<void*>(address / kPage * kPage), kPage,
           PROT_READ | PROT_WRITE);
}

class FaultHandlerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    process_ = new FakeProcess({.fast_bytes = 40 * kUnit,
                                .slow_bytes = 100 * kUnit,
                                .limit_bytes = 8 * kUnit},
                               {.demand_only = true});
    struct sigaction action {};
    action.sa_sigaction = OpenPage;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    InstallFaultHandler(&process_->job());
  }

  // Larger than the fast arena.
  FaultHandlerTest() : large_(process_->New(10 * kUnit)) {}

  char* bytes() { return large_->storage.address; }

  static inline FakeProcess* process_ = nullptr;  // ends with the test process
  TensorPtr large_;
};

TEST_F(FaultHandlerTest, ReadsATensorThroughAWindowSmallerThanIt) {
  ASSERT_FALSE(large_->fast());
  EXPECT_TRUE(FakeProcess::Intact(*large_));
  EXPECT_TRUE(FakeProcess::Intact(*large_));
}

TEST_F(FaultHandlerTest, KeepsWhatWasWrittenOutsideOfKernels) {
  for (int64_t i = 0; i < large_->size_bytes; i += kPage) {
    bytes()[i] = static_cast<char>(i / kPage);
  }
  for (int64_t i = 0; i < large_->size_bytes; i += kPage) {
    ASSERT_EQ(bytes()[i], static_cast<char>(i / kPage));
  }
}

#if defined(__x86_64__)
// Reads a byte while the stack pointer is `stack`, as generated code does that
// uses the pointer for something else.
char ReadWithStackAt(const char* stack, const char* address) {
  char value;
  asm volatile(
      "movq %%rsp, %%rbx\n"
      "movq %1, %%rsp\n"
      "movb (%2), %0\n"
      "movq %%rbx, %%rsp\n"
      : "=&q"(value)
      : "r"(stack), "r"(address)
      : "rbx", "memory");
  return value;
}

TEST_F(FaultHandlerTest, WritesNothingBelowTheStackPointer) {
  const char first = bytes()[0];
  const auto read = [&] {
    UseSignalStack();
    std::vector<char> heap(1 << 20, 'h');
    ASSERT_TRUE(FakeProcess::Intact(*large_));  // closes the first page again
    EXPECT_EQ(ReadWithStackAt(heap.data() + heap.size() / 2, bytes()), first);
    EXPECT_EQ(std::count(heap.begin(), heap.end(), 'h'),
              static_cast<int64_t>(heap.size()));
  };
  read();
  std::thread(read).join();
}
#endif

TEST_F(FaultHandlerTest, WritesBackBeforeATensorMoves) {
  TensorPtr small = process_->New(kUnit);
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process_->New(kUnit));
  ASSERT_FALSE(small->fast());
  *small->storage.address = 'x';
  process_->job().Pin(&small->storage);
  ASSERT_TRUE(small->fast());
  EXPECT_EQ(*small->storage.address, 'x');
}

TEST_F(FaultHandlerTest, ServesThreadsThatShareATensor) {
  const int64_t half = large_->size_bytes / 2;
  const auto count_up = [this](int64_t begin, int64_t end) {
    for (int pass = 0; pass < 3; ++pass) {
      for (int64_t i = begin; i < end; i += kPage) ++bytes()[i];
    }
  };
  std::vector<char> expected;
  for (int64_t i = 0; i < 2 * half; i += kPage) {
    expected.push_back(static_cast<char>(bytes()[i] + 3));
  }
  std::thread lower(count_up, 0, half), upper(count_up, half, 2 * half);
  lower.join();
  upper.join();
  for (int64_t i = 0; i < 2 * half; i += kPage) {
    ASSERT_EQ(bytes()[i], expected[i / kPage]);
  }
}

// Counts up a word that one thread alone writes. The thread sanitizer takes it
// for a write to all words of a page when another thread maps that page.
__attribute__((no_sanitize("thread"))) void CountUp(uint64_t* word) { ++*word; }

// Each thread counts up words of its own, which lie between those of the
// others: in sweeps up and down, and at random.
TEST_F(FaultHandlerTest, LosesNoWriteOfThreadsThatMixSweepsWithRandomAccess) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 60;
  auto* words = reinterpret_cast<uint64_t*>(bytes());
  const int64_t rows = large_->size_bytes / kPage;
  constexpr int64_t kWordsOfPage = kPage / 8;
  const auto word = [&](int64_t row, int thread) -> uint64_t& {
    return words[row * kWordsOfPage + thread];
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int thread = 0; thread < kThreads; ++thread) word(row, thread) = 0;
  }
  std::vector<std::vector<uint64_t>> expected(kThreads,
                                              std::vector<uint64_t>(rows, 0));
  const auto run = [&](int thread) {
    std::mt19937 random(thread);
    const auto count_up = [&](int64_t row) {
      CountUp(&word(row, thread));
      ++expected[thread][row];
    };
    for (int round = 0; round < kRounds; ++round) {
      const auto begin = static_cast<int64_t>(random() % rows);
      const int64_t end = std::min<int64_t>(rows, begin + random() % rows);
      switch (random() % 3) {
        case 0:
          for (int64_t row = begin; row < end; ++row) count_up(row);
          break;
        case 1:
          for (int64_t row = end; row-- > begin;) count_up(row);
          break;
        default:
          for (int i = 0; i < 50; ++i) {
            count_up(static_cast<int64_t>(random() % rows));
          }
      }
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(run, thread);
  }
  for (std::thread& thread : threads) thread.join();
  for (int64_t row = 0; row < rows; ++row) {
    for (int thread = 0; thread < kThreads; ++thread) {
      ASSERT_EQ(word(row, thread), expected[thread][row]) << row;
    }
  }
}

TEST_F(FaultHandlerTest, LeavesFaultsElsewhereToTheHandlerBefore) {
  char* closed = static_cast<char*>(
      mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const int before = g_foreign_faults;
  *static_cast<volatile char*>(closed) = 'x';
  EXPECT_EQ(g_foreign_faults, before + 1);
  EXPECT_EQ(*closed, 'x');
  munmap(closed, kPage);
}

using FaultHandlerDeathTest = FaultHandlerTest;

TEST_F(FaultHandlerDeathTest, AFailingSlowTierStopsTheProcessWithAReason) {
  EXPECT_DEATH(
      {
        close(process_->client().tiers()[1].fd);
        // Some of it is in the window.
        for (int64_t i = 0; i < large_->size_bytes; i += kPage) {
          static_cast<volatile char*>(bytes())[i] = 'x';
        }
      },
      "the slow tier slow failed while the tensor of 2.50 MiB.* was read in "
      "place");
}

}  // namespace
}  // namespace stowage::runtime
