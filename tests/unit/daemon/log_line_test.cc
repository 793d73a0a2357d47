#include "daemon/log_line.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixMillis(1'769'860'800'123);

std::string Text(absl::string_view message, const LogFields& fields = {}) {
  return FormatLogLine(LogFormat::kText, kNow, LogLevel::kInfo, message,
                       fields);
}

nlohmann::json Json(absl::string_view message, const LogFields& fields = {}) {
  return nlohmann::json::parse(FormatLogLine(
      LogFormat::kJson, kNow, LogLevel::kWarning, message, fields));
}

TEST(LogLineTest, ATextLineHasTimeLevelMessageAndFields) {
  EXPECT_EQ(Text("a job began", {{"job_id", "j-1"}, {"steps", 12}}),
            "time=2026-01-31T12:00:00.123Z level=info message=\"a job began\" "
            "job_id=j-1 steps=12\n");
}

TEST(LogLineTest, AJsonLineIsAnObjectWithTheSame) {
  const nlohmann::json line =
      Json("a job began", {{"job_id", "j 1"}, {"steps", -12}});
  EXPECT_EQ(line["time"], "2026-01-31T12:00:00.123Z");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["message"], "a job began");
  EXPECT_EQ(line["job_id"], "j 1");
  EXPECT_EQ(line["steps"], -12);
}

TEST(LogLineTest, ValuesThatCouldMeanMoreAreQuoted) {
  EXPECT_THAT(Text("m", {{"a", ""}}), HasSubstr(" a=\"\"\n"));
  EXPECT_THAT(Text("m", {{"a", "x role=operator"}}),
              HasSubstr(" a=\"x role=operator\"\n"));
  EXPECT_THAT(Text("m", {{"a", "x\" b=\"y"}}), HasSubstr(R"( a="x\" b=\"y")"));
  EXPECT_THAT(Text("m", {{"a", "x\\"}}), HasSubstr(R"( a="x\\")"));
}

TEST(LogLineTest, NoTextEndsALineOrMovesACursor) {
  const std::string evil =
      "x\ntime=2026 level=info message=\"forged\"\r\x1b[2K\x7f\xc2\x9b\xff";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        FormatLogLine(format, kNow, LogLevel::kError, evil, {{"a", evil}});
    for (const char c : line.substr(0, line.size() - 1)) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    }
    EXPECT_EQ(line.back(), '\n');
  }
}

TEST(LogLineTest, LongTextsAreCut) {
  const std::string text(2 * kMaxLogTextBytes, 'x');
  const nlohmann::json line = Json(text, {{"a", text}});
  EXPECT_EQ(line["message"].get<std::string>().size(), kMaxLogTextBytes + 3);
  EXPECT_EQ(line["a"].get<std::string>().size(), kMaxLogTextBytes + 3);
}

TEST(LogLineTest, AnyBytesComeBackAsOneLineOfJson) {
  for (int seed = 0; seed < 2000; ++seed) {
    std::srand(seed);
    std::string bytes;
    for (int i = 0; i < 40; ++i) bytes += static_cast<char>(std::rand());
    const std::string line = FormatLogLine(
        LogFormat::kJson, kNow, LogLevel::kInfo, bytes, {{"a", bytes}});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(nlohmann::json::parse(line).size(), 4);
    const std::string text = Text(bytes, {{"a", bytes}});
    EXPECT_EQ(text.find('\n'), text.size() - 1);
  }
}

}  // namespace
}  // namespace stowage
