#include "tools/stowage/output/exit_code.h"

#include "gtest/gtest.h"
#include "tools/stowage/output/output_file.h"

namespace stowage::cli {
namespace {

TEST(ExitCodeTest, ACallThatTheServiceDoesNotPermitHasItsOwn) {
  EXPECT_EQ(ExitCodeFor(absl::PermissionDeniedError("role")), 77);
  EXPECT_EQ(ExitCodeFor(absl::UnauthenticatedError("no role")), 77);
}

TEST(ExitCodeTest, AFileThatCannotBeWrittenHasAnother) {
  EXPECT_EQ(ExitCodeFor(CheckWritable("/nonexistent/report.json")), 73);
  EXPECT_EQ(ExitCodeFor(WriteFileAtomically("/nonexistent/r", "x")), 73);
  EXPECT_EQ(ExitCodeFor(OutputError(absl::ResourceExhaustedError("full"))), 73);
}

}  // namespace
}  // namespace stowage::cli
