// Parses sizes and limits as people write them ("900MiB", "1.5GB", "40%",
// "auto", "unlimited") and prints them ("2.44 MiB").
//
//   std::optional<Limit> limit = ParseLimit("40%");
//   if (!limit) Refuse("--fast", WhyNoLimit("40%"));
//   Tell("moved " + SizeText(bytes));
//
// Pure functions over the standard library alone, so that the runtime in the
// training process may use them too.
#ifndef STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_
#define STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace stowage::session {

// The forms that error messages offer.
inline constexpr char kSizeForms[] =
    "bytes, or a number with KB, MB, GB, TB (powers of 1000) or KiB, MiB, "
    "GiB, TiB (powers of 1024)";
inline constexpr char kLimitForms[] =
    "a size (\"900MiB\"), a share of the job's tensor peak (\"40%\" or "
    "\"0.4\"), \"auto\" (or \"auto:10%\") or \"unlimited\"";
inline constexpr char kShareForms[] =
    "a share above 0 and at most 1 (\"40%\" or "
    "\"0.4\")";

// A bare number below this is no limit: whoever types "--fast 40" means
// percent.
inline constexpr int64_t kLeastBareLimitBytes = 1 << 20;

// How much slower than alone steps may be under a limit that is found.
inline constexpr double kDefaultSlowdown = 0.05;

// A limit on fast memory. At most one of the fields is set; an unlimited one
// has none.
struct Limit {
  int64_t bytes = 0;    // > 0: absolute
  double fraction = 0;  // in (0, 1]: a share of the job's tensor peak
  // Above 0: the least limit under which steps are predicted to take at most so
  // much longer than alone, 0.05 for 5 %.
  double slowdown = 0;

  bool unlimited() const {
    return bytes == 0 && fraction == 0 && slowdown == 0;
  }
  bool operator==(const Limit&) const = default;
};

// Returns the bytes of the unit that `suffix` names; 0 if there is none.
constexpr int64_t UnitBytes(std::string_view suffix) {
  struct Unit {
    std::string_view suffix;
    int64_t bytes;
  };
  constexpr Unit kUnits[] = {
      {"", 1},
      {"B", 1},
      {"KB", 1000},
      {"MB", 1000LL * 1000},
      {"GB", 1000LL * 1000 * 1000},
      {"TB", 1000LL * 1000 * 1000 * 1000},
      {"KiB", 1LL << 10},
      {"MiB", 1LL << 20},
      {"GiB", 1LL << 30},
      {"TiB", 1LL << 40},
  };
  for (const Unit& unit : kUnits) {
    if (unit.suffix == suffix) return unit.bytes;
  }
  return 0;
}

// Parses a non-negative decimal number at the front of `text` and advances
// `text` past it. Returns nullopt if there is none.
inline std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  text.remove_prefix(rest - text.data());
  return value;
}

// Returns the size in bytes, above 0 and below 2^62; nullopt if `text` has none
// of kSizeForms.
inline std::optional<int64_t> ParseSize(std::string_view text) {
  const std::optional<double> number = TakeNumber(text);
  const int64_t unit_bytes = UnitBytes(text);
  if (!number || unit_bytes == 0) return std::nullopt;
  const double bytes = *number * static_cast<double>(unit_bytes);
  if (!(bytes >= 1 && bytes < 0x1p62)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

// Returns a share in (0, 1]; nullopt if `text` has none of kShareForms.
inline std::optional<double> ParseShare(std::string_view text) {
  const std::optional<double> number = TakeNumber(text);
  if (!number || (!text.empty() && text != "%")) return std::nullopt;
  const double share = text.empty() ? *number : *number / 100;
  if (!(share > 0 && share <= 1)) return std::nullopt;
  return share;
}

// Returns whether `text` is a number without a unit.
inline bool IsBareNumber(std::string_view text) {
  return TakeNumber(text).has_value() && text.empty();
}

// Returns the slowdown in (0, 10] that "auto" or "auto:10%" names; nullopt if
// `text` is neither.
inline std::optional<double> ParseAuto(std::string_view text) {
  constexpr std::string_view kAuto = "auto";
  if (text.substr(0, kAuto.size()) != kAuto) return std::nullopt;
  text.remove_prefix(kAuto.size());
  if (text.empty()) return kDefaultSlowdown;
  if (text.front() != ':') return std::nullopt;
  text.remove_prefix(1);
  const std::optional<double> number = TakeNumber(text);
  if (!number || (!text.empty() && text != "%")) return std::nullopt;
  const double slowdown = text.empty() ? *number : *number / 100;
  if (!(slowdown > 0 && slowdown <= 10)) return std::nullopt;
  return slowdown;
}

// Returns the limit; nullopt if `text` has none of kLimitForms, is a share
// outside (0, 100] %, or is a bare number of 1 or more below
// kLeastBareLimitBytes.
inline std::optional<Limit> ParseLimit(std::string_view text) {
  if (text == "unlimited") return Limit{};
  if (const std::optional<double> slowdown = ParseAuto(text)) {
    return Limit{.slowdown = *slowdown};
  }
  const std::optional<int64_t> bytes = ParseSize(text);
  if (bytes) {
    if (IsBareNumber(text) && *bytes < kLeastBareLimitBytes) {
      return std::nullopt;
    }
    return Limit{.bytes = *bytes};
  }
  const std::optional<double> share = ParseShare(text);
  if (!share) return std::nullopt;
  return Limit{.fraction = *share};
}

// Returns the size that "8GiB/host" names: a limit on what all processes of a
// command that train on this host have together. nullopt if `text` is none.
inline std::optional<int64_t> ParseHostLimit(std::string_view text) {
  constexpr std::string_view kOfHost = "/host";
  if (text.size() < kOfHost.size()) return std::nullopt;
  const size_t size_length = text.size() - kOfHost.size();
  if (text.substr(size_length) != kOfHost) return std::nullopt;
  const std::optional<Limit> limit = ParseLimit(text.substr(0, size_length));
  if (!limit || limit->bytes == 0) return std::nullopt;
  return limit->bytes;
}

// Returns the limit of one of so many ranks on this host: an equal part of a
// limit for the host, and of any other, or with no ranks, `text` itself.
inline std::string RankLimit(const std::string& text, int64_t ranks) {
  const std::optional<int64_t> host_bytes = ParseHostLimit(text);
  if (!host_bytes || ranks < 1) return text;
  return std::to_string(*host_bytes / ranks) + "B";
}

// Returns why ParseLimit() refuses `text`, as the end of a sentence that begins
// with `text`.
inline std::string WhyNoLimit(std::string_view text) {
  if (!IsBareNumber(text) || !ParseSize(text)) {
    return std::string("is not ") + kLimitForms;
  }
  const std::string number(text);
  const bool percent = ParseShare(number + "%").has_value();
  return "would be that many bytes; did you mean " + number +
         (percent ? "%?" : "MiB?");
}

// Returns the size with three digits and a binary unit: "2.44 MiB", "45.3 MiB",
// "900 MiB"; "12 B" below 1 KiB.
inline std::string SizeText(int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  // What would be printed as 1024 is 1.00 of the next unit.
  while (value >= 1023.5 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  char text[40];
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, kUnits[unit]);
  return text;
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_
