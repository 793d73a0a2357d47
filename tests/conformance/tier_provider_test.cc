// Tests what every kind of tier must do, also the kinds that this machine
// lacks.
#include "agents/tiers/tier_provider.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agents/tiers/arena.h"
#include "agents/tiers/memory_arena.h"
#include "agents/tiers/numa_node.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/session/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/small_disk.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kPage = session::kPageBytes;
constexpr int64_t kArenaBytes = 4 << 20;

absl::StatusOr<std::unique_ptr<TierProvider>> Open(const std::string& text) {
  const absl::StatusOr<TierSpec> spec = ParseTierSpec(text);
  if (!spec.ok()) return spec.status();
  return MakeTierProvider(*spec);
}

void Fill(Arena& arena, int64_t offset_bytes, int64_t size_bytes, int seed) {
  for (int64_t i = 0; i < size_bytes; ++i) {
    arena.mapped()[offset_bytes + i] =
        static_cast<std::byte>((i * 31 + i / kPage + seed) & 0xff);
  }
}

bool Equal(Arena& arena, int64_t a, int64_t b, int64_t size_bytes) {
  return std::memcmp(arena.mapped() + a, arena.mapped() + b, size_bytes) == 0;
}

// Tests one tier. `DIR` in its specification stands for a directory of the
// test.
class TierProviderTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string spec = GetParam();
    if (const size_t at = spec.find("DIR"); at != std::string::npos) {
      spec.replace(at, 3, directory_.path());
    }
    provider_ = Open(spec);
    if (!provider_.ok()) {
      // A tier that is not here must say so and what to do; the test then ends.
      ASSERT_TRUE(absl::IsNotFound(provider_.status()) ||
                  absl::IsUnavailable(provider_.status()))
          << provider_.status();
      EXPECT_THAT(std::string(provider_.status().message()), HasSubstr(";"));
      GTEST_SKIP() << provider_.status();
    }
    absl::StatusOr<std::unique_ptr<Arena>> arena =
        (*provider_)->CreateArena(kArenaBytes);
    ASSERT_TRUE(arena.ok()) << arena.status();
    arena_ = *std::move(arena);
    absl::StatusOr<SharedMemory> fast =
        SharedMemory::Create("fast", kArenaBytes);
    ASSERT_TRUE(fast.ok()) << fast.status();
    fast_ = std::make_unique<MemoryArena>(*std::move(fast));
  }

  const TierTraits& traits() const { return (*provider_)->traits(); }

  TempDirectory directory_;
  absl::StatusOr<std::unique_ptr<TierProvider>> provider_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<MemoryArena> fast_;
};

TEST_P(TierProviderTest, HasADescriptorOfTheSizeThatWasAskedFor) {
  struct stat status;
  ASSERT_EQ(fstat(arena_->fd(), &status), 0);
  EXPECT_EQ(status.st_size, kArenaBytes);
  EXPECT_EQ(arena_->capacity_bytes(), kArenaBytes);
}

TEST_P(TierProviderTest, DescribesItself) {
  EXPECT_FALSE(traits().name.empty());
  EXPECT_FALSE(traits().medium.empty());
  // A tier is used in place or by system calls, never neither.
  EXPECT_NE(traits().addressable, traits().file);
  EXPECT_GE(traits().copy_read_threads, 1);
  EXPECT_GE(traits().copy_write_threads, 1);
}

TEST_P(TierProviderTest, SealsWhatTheAgentMaps) {
  if (arena_->mapped() == nullptr) GTEST_SKIP() << "not mapped by the agent";
  const int seals = fcntl(arena_->fd(), F_GET_SEALS);
  EXPECT_EQ(seals, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_NE(ftruncate(arena_->fd(), 0), 0);
}

TEST_P(TierProviderTest, GivesBackWhatWasCopiedIn) {
  constexpr int64_t kSize = 1 << 20;
  Fill(*fast_, 0, kSize, 7);
  ASSERT_EQ(CopyBetween(*fast_, 0, *arena_, 3 * kPage, kSize), 0);
  ASSERT_EQ(CopyBetween(*arena_, 3 * kPage, *fast_, 2 * kSize, kSize), 0);
  EXPECT_TRUE(Equal(*fast_, 0, 2 * kSize, kSize));
}

TEST_P(TierProviderTest, CopiesWithSeveralThreadsWhatDoesNotDivideEvenly) {
  constexpr int64_t kSize = (1 << 20) + 3 * kPage;
  Fill(*fast_, 0, kSize, 9);
  ASSERT_EQ(CopyBetween(*fast_, 0, *arena_, kPage, kSize, /*threads=*/5), 0);
  ASSERT_EQ(CopyBetween(*arena_, kPage, *fast_, 2 << 20, kSize, /*threads=*/7),
            0);
  EXPECT_TRUE(Equal(*fast_, 0, 2 << 20, kSize));
}

TEST_P(TierProviderTest, KeepsPagesApart) {
  for (int page = 0; page < 16; ++page) {
    Fill(*fast_, page * kPage, kPage, page);
    ASSERT_EQ(
        CopyBetween(*fast_, page * kPage, *arena_, (15 - page) * kPage, kPage),
        0);
  }
  ASSERT_EQ(CopyBetween(*arena_, 0, *fast_, 16 * kPage, 16 * kPage), 0);
  for (int page = 0; page < 16; ++page) {
    EXPECT_TRUE(Equal(*fast_, page * kPage, (31 - page) * kPage, kPage));
  }
}

TEST_P(TierProviderTest, SharesItsBytesThroughTheDescriptor) {
  Fill(*fast_, 0, kPage, 3);
  ASSERT_EQ(CopyBetween(*fast_, 0, *arena_, kPage, kPage), 0);
  if (traits().addressable) {
    void* mapped = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED, arena_->fd(), 0);
    ASSERT_NE(mapped, MAP_FAILED);
    EXPECT_EQ(std::memcmp(static_cast<std::byte*>(mapped) + kPage,
                          fast_->mapped(), kPage),
              0);
    munmap(mapped, kArenaBytes);
  } else {
    EXPECT_EQ(pread(arena_->fd(), fast_->mapped() + kPage, kPage, kPage),
              kPage);
    EXPECT_TRUE(Equal(*fast_, 0, kPage, kPage));
  }
}

TEST_P(TierProviderTest, GivesEachJobItsOwnBytes) {
  absl::StatusOr<std::unique_ptr<Arena>> other =
      (*provider_)->CreateArena(kArenaBytes);
  ASSERT_TRUE(other.ok()) << other.status();
  Fill(*fast_, 0, kPage, 1);
  Fill(*fast_, kPage, kPage, 2);
  ASSERT_EQ(CopyBetween(*fast_, 0, *arena_, 0, kPage), 0);
  ASSERT_EQ(CopyBetween(*fast_, kPage, **other, 0, kPage), 0);
  ASSERT_EQ(CopyBetween(*arena_, 0, *fast_, 2 * kPage, kPage), 0);
  EXPECT_TRUE(Equal(*fast_, 0, 2 * kPage, kPage));
}

TEST_P(TierProviderTest, RefusesWhatIsMisalignedOrOutside) {
  const int64_t huge = INT64_MAX / kPage * kPage;
  EXPECT_EQ(CopyBetween(*fast_, 1, *arena_, 0, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, 512, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, 0, kPage + 1), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, 0, 0), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, 0, -kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, -kPage, *arena_, 0, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, kArenaBytes, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, 0, *arena_, huge, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*arena_, huge, *fast_, 0, kPage), EINVAL);
  EXPECT_EQ(CopyBetween(*fast_, kPage, *arena_, kPage, huge), EINVAL);
}

// The fault is injected at the descriptor, which the job holds too: a hostile
// or failing medium gives an error and leaves the source and the agent whole.
TEST_P(TierProviderTest, ReportsBytesThatAreGone) {
  if (arena_->mapped() != nullptr) GTEST_SKIP() << "sealed";
  ASSERT_EQ(ftruncate(arena_->fd(), 0), 0);
  EXPECT_EQ(CopyBetween(*arena_, 0, *fast_, 0, kPage), EIO);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TierProviderTest,
    testing::Values("dram", "dram:0", "dram:999", "numa:0", "numa:999",
                    "emulated:optane", "emulated:redl", "emulated:cxl",
                    "emulated:numa", "file:DIR", "file:DIR,size=64MiB",
                    "pmem:DIR", "file:/dev/shm", "file:/no/such/directory",
                    "pmem:/no/such/directory"),
    [](const testing::TestParamInfo<std::string>& info) {
      std::string name = info.param;
      for (char& c : name) {
        if (!isalnum(static_cast<unsigned char>(c))) c = '_';
      }
      return name;
    });

TEST(TierProviderErrorTest, NamesTheMissingNumaNodeAndThoseThereAre) {
  const auto provider = Open("numa:999");
  ASSERT_FALSE(provider.ok());
  EXPECT_THAT(std::string(provider.status().message()), HasSubstr("999"));
}

TEST(TierProviderErrorTest, NamesTheMediaThereAre) {
  const auto provider = Open("emulated:tape");
  EXPECT_TRUE(absl::IsInvalidArgument(provider.status()));
  EXPECT_THAT(std::string(provider.status().message()),
              HasSubstr("optane, redl, cxl, numa"));
}

TEST(TierProviderErrorTest, FollowsNoSymbolicLink) {
  TempDirectory directory;
  const std::string path = std::filesystem::canonical(directory.path());
  ASSERT_EQ(symlink("/tmp", (path + "/link").c_str()), 0);
  for (const std::string kind : {"file:", "pmem:"}) {
    const auto provider = Open(kind + path + "/link");
    ASSERT_TRUE(provider.ok()) << provider.status();
    const auto arena = (*provider)->CreateArena(kArenaBytes);
    ASSERT_FALSE(arena.ok());
    EXPECT_THAT(std::string(arena.status().message()),
                HasSubstr("without symbolic links"));
  }
}

TEST(TierProviderErrorTest, SaysThatAFileIsNoDirectory) {
  TempDirectory directory;
  const std::string path = directory.path() + "/file";
  close(open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  for (const char* kind : {"file:", "pmem:"}) {
    const auto provider = Open(kind + path);
    ASSERT_FALSE(provider.ok());
    EXPECT_THAT(std::string(provider.status().message()),
                HasSubstr("name a directory"));
  }
}

// Runs `body` as a user without rights, in a child.
int RunUnprivileged(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(TierProviderErrorTest, SaysThatADirectoryIsNotWritable) {
  TempDirectory directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 0555), 0);
  for (const std::string kind : {"file:", "pmem:"}) {
    EXPECT_EQ(RunUnprivileged([&] {
                const auto provider = Open(kind + directory.path());
                return absl::IsPermissionDenied(provider.status()) &&
                       std::string(provider.status().message())
                               .find("let the agent's user write there") !=
                           std::string::npos;
              }),
              0);
  }
  chmod(directory.path().c_str(), 0755);
}

TEST(TierProviderErrorTest, SaysHowMuchRoomPersistentMemoryLacks) {
  TempDirectory directory;
  const auto provider = Open("pmem:" + directory.path() + ",size=1000TiB");
  ASSERT_TRUE(provider.ok()) << provider.status();
  const auto arena = (*provider)->CreateArena(0);
  EXPECT_TRUE(absl::IsResourceExhausted(arena.status())) << arena.status();
  EXPECT_THAT(std::string(arena.status().message()), HasSubstr(",size="));
}

TEST(TierProviderErrorTest, SaysThatTheDiskIsFullWhereNotAPageIsFree) {
  const auto is_refused = [](const std::string& path) {
    std::ofstream(path + "/filler") << std::string(kPage, 'f');
    for (const std::string kind : {"file:", "pmem:"}) {
      const auto provider = Open(kind + path);
      if (!provider.ok()) return false;
      const absl::Status status = (*provider)->CreateArena(0).status();
      std::cerr << status << "\n";
      if (!absl::IsResourceExhausted(status) ||
          !absl::StrContains(status.message(), "free some space")) {
        return false;
      }
    }
    return true;
  };
  const SmallDiskResult result = OnSmallDisk(kPage, is_refused);
  if (result == SmallDiskResult::kNone) GTEST_SKIP() << "it may not mount";
  EXPECT_EQ(result, SmallDiskResult::kTrue);
}

// A file-size limit stands for a disk that fills up: sparse room is promised,
// and the write that finds none fails.
TEST(TierProviderErrorTest, FailsTheCopyThatFindsTheDiskFull) {
  TempDirectory directory;
  EXPECT_EQ(RunUnprivileged([&] {
              const auto provider = Open("file:/tmp");
              if (!provider.ok()) return false;
              auto arena = (*provider)->CreateArena(kArenaBytes);
              auto fast = SharedMemory::Create("fast", kArenaBytes);
              if (!arena.ok() || !fast.ok()) return false;
              MemoryArena memory(*std::move(fast));
              std::memset(memory.mapped(), 5, kArenaBytes);
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 20, 1 << 20};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
              return CopyBetween(memory, 0, **arena, 0, 1 << 20) == 0 &&
                     CopyBetween(memory, 0, **arena, 2 << 20, 1 << 20) ==
                         EFBIG &&
                     memory.mapped()[0] == std::byte{5};
            }),
            0);
}

}  // namespace
}  // namespace stowage::agent
