#include "tools/stowage/process/forked_call.h"

#include <signal.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMiB = 1 << 20;

absl::StatusOr<ForkedResult> Call(absl::FunctionRef<std::string()> work) {
  absl::StatusOr<ForkedCall> call = ForkedCall::Start(work);
  if (!call.ok()) return call.status();
  return call->Finish(absl::InfiniteFuture());
}

TEST(ForkedCallTest, GivesBackWhatTheCallReturnsHoweverLong) {
  const absl::StatusOr<ForkedResult> result =
      Call([] { return std::string(3 * kMiB, 'x'); });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output, std::string(3 * kMiB, 'x'));
}

TEST(ForkedCallTest, KeepsSideEffectsInTheChild) {
  int value = 1;
  ASSERT_TRUE(Call([&] { return absl::StrCat(value = 2); }).ok());
  EXPECT_EQ(value, 1);
}

TEST(ForkedCallTest, MeasuresThePeakOfEachCallAlone) {
  const auto peak = [](size_t bytes) {
    return Call([bytes] {
             const std::string touched(bytes, 'x');
             return absl::StrCat(touched.size());
           })
        ->peak_rss_bytes;
  };
  const int64_t large = peak(200 * kMiB);
  const int64_t small = peak(kMiB);
  EXPECT_GT(large - small, int64_t{190 * kMiB});
  EXPECT_LT(large - small, int64_t{210 * kMiB});
}

TEST(ForkedCallTest, SaysWhichSignalEndedACall) {
  const absl::Status status = Call([]() -> std::string {
                                raise(SIGKILL);
                                return "";
                              }).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("signal 9"));
}

TEST(ForkedCallTest, EndsACallThatTakesTooLong) {
  absl::StatusOr<ForkedCall> call = ForkedCall::Start([]() -> std::string {
    pause();
    return "";
  });
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->Finish(absl::Now() + absl::Milliseconds(50)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(ForkedCallTest, RunsSeveralCallsAndKeepsTheirOrder) {
  std::vector<size_t> begun;
  const auto results = RunForked(
      {.count = 7, .jobs = 3}, [](size_t i) { return absl::StrCat(i * i); },
      [&](size_t i) { begun.push_back(i); });
  ASSERT_EQ(results.size(), 7);
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok()) << results[i].status();
    EXPECT_EQ(results[i]->output, absl::StrCat(i * i));
  }
  EXPECT_THAT(begun, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace stowage::cli
