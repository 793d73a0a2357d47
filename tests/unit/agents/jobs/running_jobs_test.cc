#include "agents/jobs/running_jobs.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class RunningJobsTest : public testing::Test {
 protected:
  RunningJobsTest() {
    jobs_.Add(1, {.job_id = "host-7-1", .run_id = "run", .pid = 7});
    jobs_.Add(2, {.job_id = "host-8-1", .run_id = "run", .pid = 8});
    jobs_.Add(3, {.job_id = "host-9-1", .pid = 9});
  }
  RunningJobs jobs_;
};

TEST_F(RunningJobsTest, FindsAJobByItsIdOrItsProcess) {
  EXPECT_EQ(jobs_.Find("host-8-1")->pid, 8);
  EXPECT_EQ(jobs_.Find("9")->job_id, "host-9-1");
}

TEST_F(RunningJobsTest, ARunOfSeveralJobsIsAmbiguous) {
  const absl::Status several = jobs_.Find("run").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(several));
  EXPECT_THAT(std::string(several.message()), HasSubstr("host-7-1"));
  jobs_.Remove(1);
  EXPECT_EQ(jobs_.Find("run")->pid, 8);
}

TEST_F(RunningJobsTest, SaysWhichJobsThereAreInPlaceOfAnUnknownOne) {
  for (const char* name : {"", "nobody", "host-8"}) {
    const absl::Status none = jobs_.Find(name).status();
    EXPECT_TRUE(absl::IsNotFound(none)) << name;
    EXPECT_THAT(std::string(none.message()), HasSubstr("host-9-1"));
  }
}

}  // namespace
}  // namespace stowage::agent
