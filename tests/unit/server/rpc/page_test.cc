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

TEST(PageTest, RefusesTokensThatAreNotOurs) {
  for (const std::string& token :
       {std::string("%%%"), std::string("YWJj"), PageToken("plans", "a"),
        PageToken("graphs", "")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParsePage("graphs", 5, token).status()))
        << token;
  }
}

// Is a row, with a size, of a list.
struct Row {
  size_t bytes = 1;
  size_t ByteSizeLong() const { return bytes; }
};

TEST(PageTest, TrimsTheRowReadToLookAhead) {
  const Page page = {.size = 2};
  std::vector<Row> more(3);
  EXPECT_TRUE(TrimToPage(page, &more));
  EXPECT_EQ(more.size(), 2);
  EXPECT_FALSE(TrimToPage(page, &more));
  EXPECT_EQ(more.size(), 2);
}

TEST(PageTest, EndsAPageThatWouldHaveTooManyBytes) {
  const Page page = {.size = 100};
  std::vector<Row> rows(5, {.bytes = kMaxPageBytes / 3});
  EXPECT_TRUE(TrimToPage(page, &rows));
  EXPECT_EQ(rows.size(), 3);
  EXPECT_FALSE(TrimToPage(page, &rows));
  EXPECT_EQ(rows.size(), 3);
}

TEST(PageTest, ARowThatIsTooLargeIsAPageOfItsOwn) {
  std::vector<Row> rows(2, {.bytes = 2 * kMaxPageBytes});
  EXPECT_TRUE(TrimToPage({.size = 100}, &rows));
  EXPECT_EQ(rows.size(), 1);
  EXPECT_FALSE(TrimToPage({.size = 100}, &rows));
}

}  // namespace
}  // namespace stowage
