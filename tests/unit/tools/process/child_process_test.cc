#include "tools/stowage/process/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/process/foreground.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

absl::StatusOr<ChildProcess> StartShell(const std::string& script) {
  return ChildProcess::Start({.argv = {"sh", "-c", script}});
}

TEST(ChildProcessTest, ReturnsTheExitStatusAsAShellDoes) {
  EXPECT_EQ(StartShell("exit 7")->Wait(), 7);
  EXPECT_EQ(StartShell("kill -KILL $$")->Wait(), 128 + SIGKILL);
}

TEST(ChildProcessTest, SaysWhyAProgramCannotBeRun) {
  EXPECT_EQ(
      ChildProcess::Start({.argv = {"/nonexistent/program"}}).status().code(),
      absl::StatusCode::kNotFound);
  EXPECT_EQ(ChildProcess::Start({.argv = {"/etc/passwd"}}).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(ChildProcessTest, GivesTheChildItsEnvironmentAndItsLog) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  ASSERT_TRUE(directory.ok());
  const std::string log_path = directory->path() + "/log";
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(
      {.argv = {"/bin/sh", "-c", "echo $COLOR; echo problem >&2"},
       .environment = {"COLOR=green"},
       .log_path = log_path});
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->Wait(), 0);
  EXPECT_EQ(*ReadFile(log_path), "green\nproblem\n");
}

TEST(ChildProcessTest, ADetachedChildIsAGroupOfThisSession) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  ASSERT_TRUE(directory.ok());
  const std::string log_path = directory->path() + "/log";
  absl::StatusOr<ChildProcess> child =
      ChildProcess::Start({.argv = {"cat", "/proc/self/stat"},
                           .log_path = log_path,
                           .detached = true});
  ASSERT_TRUE(child.ok()) << child.status();
  const pid_t pid = child->pid();
  EXPECT_EQ(child->Wait(), 0);
  // "PID (NAME) STATE PARENT GROUP SESSION ..."
  const std::vector<std::string> fields =
      absl::StrSplit(*ReadFile(log_path), ' ');
  ASSERT_GT(fields.size(), 5);
  EXPECT_EQ(fields[4], absl::StrCat(pid));
  EXPECT_EQ(fields[5], absl::StrCat(getsid(0)));
}

TEST(ChildProcessTest, KillsAChildThatIgnoresBeingAskedToStop) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(
      {.argv = {"sh", "-c", "trap '' TERM; while :; do sleep 1; done"}});
  ASSERT_TRUE(child.ok());
  EXPECT_FALSE(child->Poll().has_value());
  const int status = child->Stop(absl::Milliseconds(300));
  EXPECT_TRUE(status == 128 + SIGKILL || status == 128 + SIGTERM) << status;
}

TEST(ForegroundTest, ForwardsWhatWasSentToThisProcess) {
  const SignalBlock block;
  absl::StatusOr<ChildProcess> child = StartShell(
      "trap 'exit 42' TERM; kill -TERM $PPID; while :; do sleep 0.05; done");
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(WaitInForeground(*child), 42);
}

TEST(ForegroundTest, TakesASignalThatCameBeforeTheCommand) {
  const SignalBlock block;
  EXPECT_FALSE(TakePendingSignal().has_value());
  kill(getpid(), SIGINT);
  EXPECT_EQ(TakePendingSignal(), SIGINT);
}

}  // namespace
}  // namespace stowage::cli
