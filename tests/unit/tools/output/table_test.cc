#include "tools/stowage/output/table.h"

#include "gtest/gtest.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

TEST(TableTest, AlignsNumbersRightAndWordsLeft) {
  Table table({"policy", "step"});
  table.AddRow({"belady", "9 ms"});
  table.AddRow({"lru", "12 ms"});
  EXPECT_EQ(table.ToText(),
            "policy  step\n"
            "belady   9 ms\n"
            "lru     12 ms\n");
}

TEST(TableTest, PadsByCharactersNotBytes) {
  Table table({"a", "b"});
  table.AddRow({"\xC3\xA9t\xC3\xA9", "x"});
  table.AddRow({"abc", "y"});
  EXPECT_EQ(table.ToText(), "a    b\n\xC3\xA9t\xC3\xA9  x\nabc  y\n");
}

TEST(TableTest, FillsMissingCells) {
  Table table({"a", "b", "c"});
  table.AddRow({"x"});
  EXPECT_EQ(table.ToText(), "a  b  c\nx\n");
}

TEST(UnitsTest, ChoosesTheUnitThatKeepsNumbersShort) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(900 << 20), "900 MiB");
  EXPECT_EQ(FormatBytes(int64_t{3} << 41), "6.00 TiB");
  EXPECT_EQ(FormatDurationNs(999), "999 ns");
  EXPECT_EQ(FormatDurationNs(1500000), "1.5 ms");
  EXPECT_EQ(FormatDurationNs(1720000000), "1.72 s");
}

}  // namespace
}  // namespace stowage::cli
