// Sizes and limits as people write them: "900MiB", "1.5GB", "40%", "unlimited".
//
//   std::optional<Limit> limit = ParseLimit("40%");
//   if (!limit) Refuse("--fast", text, kLimitForms);
//
// Pure functions over the standard library alone, so that the runtime in the
// training process may use them too.
#ifndef STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_
#define STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace stowage::session {

// What error messages say is accepted.
inline constexpr char kSizeForms[] =
    "bytes, or a number with KB, MB, GB, TB (powers of 1000) or KiB, MiB, "
    "GiB, TiB (powers of 1024)";
inline constexpr char kLimitForms[] =
    "a size (\"900MiB\"), a share of the job's tensor peak (\"40%\") or "
    "\"unlimited\"";

// A limit on fast memory: at most one of the two fields is set; neither means
// unlimited.
struct Limit {
  int64_t bytes = 0;    // > 0: absolute
  double fraction = 0;  // in (0, 1]: of the job's tensor peak

  bool unlimited() const { return bytes == 0 && fraction == 0; }
  bool operator==(const Limit&) const = default;
};

// Bytes of one unit; 0 for a suffix that is none.
constexpr int64_t UnitBytes(std::string_view suffix) {
  struct Unit {
    std::string_view suffix;
    int64_t bytes;
  };
  constexpr Unit kUnits[] = {
      {"", 1},
      {"B", 1},
      {"KB", 1000},
      {"MB", 1000 * 1000},
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

// A non-negative decimal number at the front of `text`, which is advanced past
// it. Absent where there is none.
inline std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  text.remove_prefix(rest - text.data());
  return value;
}

// Bytes, > 0 and below 2^62; absent when `text` has none of kSizeForms.
inline std::optional<int64_t> ParseSize(std::string_view text) {
  const std::optional<double> number = TakeNumber(text);
  const int64_t unit_bytes = UnitBytes(text);
  if (!number || unit_bytes == 0) return std::nullopt;
  const double bytes = *number * static_cast<double>(unit_bytes);
  if (!(bytes >= 1 && bytes < 0x1p62)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

// Absent when `text` has none of kLimitForms, or a share outside (0, 100] %.
inline std::optional<Limit> ParseLimit(std::string_view text) {
  if (text == "unlimited") return Limit{};
  if (!text.empty() && text.back() == '%') {
    const std::optional<double> percent = TakeNumber(text);
    if (!percent || text != "%") return std::nullopt;
    if (!(*percent > 0 && *percent <= 100)) return std::nullopt;
    return Limit{.fraction = *percent / 100};
  }
  const std::optional<int64_t> bytes = ParseSize(text);
  if (!bytes) return std::nullopt;
  return Limit{.bytes = *bytes};
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_SIZE_SPEC_H_
