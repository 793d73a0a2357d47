#include "tools/stowage/process/process_watch.h"

#include <poll.h>

#include "gtest/gtest.h"
#include "tools/stowage/process/child_process.h"

namespace stowage::cli {
namespace {

bool HasEnded(const ProcessWatch& watch, int timeout_ms) {
  pollfd ended = {.fd = watch.fd(), .events = POLLIN};
  return poll(&ended, 1, timeout_ms) == 1;
}

TEST(ProcessWatchTest, SeesTheEndOfAProcess) {
  absl::StatusOr<ChildProcess> process =
      ChildProcess::Start({.argv = {"sleep", "300"}});
  ASSERT_TRUE(process.ok()) << process.status();
  const absl::StatusOr<ProcessWatch> watch = ProcessWatch::Open(process->pid());
  ASSERT_TRUE(watch.ok()) << watch.status();
  EXPECT_FALSE(HasEnded(*watch, 0));
  process->Stop(absl::ZeroDuration());
  EXPECT_TRUE(HasEnded(*watch, /*timeout_ms=*/-1));
}

TEST(ProcessWatchTest, RefusesAProcessThatIsNotThere) {
  EXPECT_FALSE(ProcessWatch::Open(1 << 22).ok());
}

TEST(ProcessWatchTest, WatchesNothingWhereNothingIsNamed) {
  const absl::StatusOr<ProcessWatch> watch = ProcessWatch::Open(0);
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ(watch->fd(), -1);
}

}  // namespace
}  // namespace stowage::cli
