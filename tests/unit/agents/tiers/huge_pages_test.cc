#include "agents/tiers/huge_pages.h"

#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

class HugePagesTest : public testing::Test {
 protected:
  void Write(const std::string& words) { std::ofstream(file_) << words; }
  std::string Read() const {
    std::ifstream file(file_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDirectory directory_;
  const std::string file_ = directory_.path() + "/shmem_enabled";
};

TEST_F(HugePagesTest, AHostThatSaysNeverAdvisesFromThenOn) {
  Write("always within_size advise [never] deny force\n");
  EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kChanged);
  EXPECT_EQ(Read(), "advise");
}

TEST_F(HugePagesTest, AHostThatIsToBeKeptStaysAsItIs) {
  Write("always within_size advise [never] deny force\n");
  EXPECT_EQ(AdviseHugePages(/*keep=*/true, file_), HugePages::kRefused);
  EXPECT_EQ(Read(), "always within_size advise [never] deny force\n");
}

TEST_F(HugePagesTest, WhatSomebodyChoseStays) {
  for (const char* chosen : {"always", "within_size", "advise", "force"}) {
    const std::string words = std::string("[") + chosen + "] never";
    Write(words);
    EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kGranted);
    EXPECT_EQ(Read(), words);
  }
  Write("never [deny]");
  EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kRefused);
  EXPECT_EQ(Read(), "never [deny]");
}

TEST_F(HugePagesTest, AHostWithoutThemDoesNotSay) {
  EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kUnknown);
  Write("");
  EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kUnknown);
  Write("] what [");
  EXPECT_EQ(AdviseHugePages(/*keep=*/false, file_), HugePages::kUnknown);
}

}  // namespace
}  // namespace stowage::agent
