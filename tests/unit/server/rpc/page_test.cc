#include "server/rpc/page.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(PageTest, TheFirstPageStartsBeforeEverything) {
  const Page page = *ParsePage("graphs", 5, "");
  EXPECT_EQ(page.size, 5);
  EXPECT_EQ(page.after, "");
}

TEST(PageTest, ATokenLeadsToTheKeyItWasMadeOf) {
  EXPECT_EQ(ParsePage("graphs", 5, PageToken("graphs", "a/b"))->after, "a/b");
}

TEST(PageTest, NoSizeMeansAHundred) {
  EXPECT_EQ(ParsePage("graphs", 0, "")->size, 100);
}

TEST(PageTest, RefusesSizesOutsideTheBounds) {
  EXPECT_TRUE(ParsePage("graphs", 1000, "").ok());
  for (int size : {-1, 1001}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(ParsePage("graphs", size, "").status()));
  }
}

TEST(PageTest, RefusesTokensThatAreNotOurs) {
  for (const std::string& token :
       {std::string("%%%"), std::string("YWJj"), PageToken("plans", "a"),
        PageToken("graphs", "")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParsePage("graphs", 5, token).status()))
        << token;
  }
}

TEST(PageTest, TrimsTheRowReadToLookAhead) {
  const Page page = {.size = 2};
  std::vector<int> more = {1, 2, 3};
  EXPECT_TRUE(TrimToPage(page, &more));
  EXPECT_EQ(more, std::vector<int>({1, 2}));
  std::vector<int> last = {1, 2};
  EXPECT_FALSE(TrimToPage(page, &last));
  EXPECT_EQ(last.size(), 2);
}

}  // namespace
}  // namespace stowage
