// Makes the lines of a log: text for people and logfmt readers, or JSON.
//
//   std::string line = FormatLogLine(LogFormat::kText, now, LogLevel::kInfo,
//                                    "a job began", {{"job_id", id}});
//   // time=2026-01-31T12:00:00.000Z level=info message="a job began" job_id=7
//
// Both forms escape whatever could end a line, a value or a quote, or move a
// terminal's cursor. So strings of strangers may stand anywhere but in names.
#ifndef STOWAGE_DAEMON_LOG_LINE_H_
#define STOWAGE_DAEMON_LOG_LINE_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace stowage {

enum class LogFormat { kText, kJson };
enum class LogLevel { kInfo, kWarning, kError };

// A value beside the message. `name` is a constant, like graph_id, and none of
// time, level and message.
struct LogField {
  LogField(absl::string_view name, absl::string_view text)
      : name(name), value(std::string(text)) {}
  LogField(absl::string_view name, std::integral auto number)
      : name(name), value(static_cast<int64_t>(number)) {}

  absl::string_view name;
  std::variant<std::string, int64_t> value;
};

using LogFields = std::vector<LogField>;

// The most bytes of a message or value that a line has.
inline constexpr size_t kMaxLogTextBytes = 4096;

// Returns the line with its end. Texts that are too long are cut, and bytes
// that are not UTF-8 replaced. Pure.
std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view message, const LogFields& fields);

}  // namespace stowage

#endif  // STOWAGE_DAEMON_LOG_LINE_H_
