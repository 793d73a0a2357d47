#include "policies/model/groups.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupsTest, KeepsTheOrderInWhichNumbersAreAdded) {
  const Groups groups(4, [](auto add) {
    add(2, 9);
    add(0, 5);
    add(2, 7);
    add(3, 1);
    add(2, 8);
  });
  EXPECT_EQ(groups.size(), 4);
  EXPECT_THAT(groups[0], ElementsAre(5));
  EXPECT_THAT(groups[1], IsEmpty());
  EXPECT_THAT(groups[2], ElementsAre(9, 7, 8));
  EXPECT_THAT(groups[3], ElementsAre(1));
}

TEST(GroupsTest, MayBeEmpty) {
  EXPECT_EQ(Groups().size(), 0);
  const Groups none(2, [](auto) {});
  EXPECT_EQ(none.size(), 2);
  EXPECT_THAT(none[1], IsEmpty());
}

}  // namespace
}  // namespace stowage::policies
