#include "daemon/log_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

absl::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

std::string Cut(absl::string_view text) {
  if (text.size() <= kMaxLogTextBytes) return std::string(text);
  return absl::StrCat(text.substr(0, kMaxLogTextBytes), "...");
}

// Returns the JSON, in ASCII alone.
std::string Dump(const nlohmann::ordered_json& json) {
  return json.dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/true,
                   nlohmann::ordered_json::error_handler_t::replace);
}

// Returns whether a value of a text line needs no quotes.
bool IsPlain(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isgraph(c) && c != '"' && c != '=' && c != '\\';
  });
}

std::string PlainOrQuoted(const std::string& text) {
  return IsPlain(text) ? text : Dump(text);
}

std::string ValueText(const LogField& field) {
  if (const auto* number = std::get_if<int64_t>(&field.value)) {
    return absl::StrCat(*number);
  }
  return PlainOrQuoted(Cut(std::get<std::string>(field.value)));
}

std::string TextLine(absl::string_view time, LogLevel level,
                     absl::string_view message, const LogFields& fields) {
  std::string line = absl::StrCat("time=", time, " level=", LevelName(level),
                                  " message=", Dump(Cut(message)));
  for (const LogField& field : fields) {
    absl::StrAppend(&line, " ", field.name, "=", ValueText(field));
  }
  return line;
}

std::string JsonLine(absl::string_view time, LogLevel level,
                     absl::string_view message, const LogFields& fields) {
  nlohmann::ordered_json line = {{"time", std::string(time)},
                                 {"level", std::string(LevelName(level))},
                                 {"message", Cut(message)}};
  for (const LogField& field : fields) {
    nlohmann::ordered_json& value = line[std::string(field.name)];
    if (const auto* number = std::get_if<int64_t>(&field.value)) {
      value = *number;
    } else {
      value = Cut(std::get<std::string>(field.value));
    }
  }
  return Dump(line);
}

}  // namespace

std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view message, const LogFields& fields) {
  const std::string when =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
  return absl::StrCat(format == LogFormat::kJson
                          ? JsonLine(when, level, message, fields)
                          : TextLine(when, level, message, fields),
                      "\n");
}

}  // namespace stowage
