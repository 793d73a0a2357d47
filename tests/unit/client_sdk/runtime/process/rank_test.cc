#include "client_sdk/runtime/process/rank.h"

#include <stdlib.h>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(RankTest, IsANumberOrNone) {
  unsetenv("RANK");
  EXPECT_EQ(RankOfProcess(), std::nullopt);
  setenv("RANK", "3", /*overwrite=*/1);
  EXPECT_EQ(RankOfProcess(), 3);
  for (const char* text : {"", "first", "3a"}) {
    setenv("RANK", text, /*overwrite=*/1);
    EXPECT_EQ(RankOfProcess(), std::nullopt) << text;
  }
  unsetenv("RANK");
}

}  // namespace
}  // namespace stowage::runtime
