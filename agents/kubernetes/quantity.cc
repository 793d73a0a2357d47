#include "agents/kubernetes/quantity.h"

#include <array>
#include <cmath>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stowage::agent {
namespace {

struct Unit {
  absl::string_view suffix;
  double bytes;
};

// Longer suffixes stand before those that they end with.
constexpr std::array<Unit, 15> kUnits = {{{"Ki", 0x1p10},
                                          {"Mi", 0x1p20},
                                          {"Gi", 0x1p30},
                                          {"Ti", 0x1p40},
                                          {"Pi", 0x1p50},
                                          {"Ei", 0x1p60},
                                          {"n", 1e-9},
                                          {"u", 1e-6},
                                          {"m", 1e-3},
                                          {"k", 1e3},
                                          {"M", 1e6},
                                          {"G", 1e9},
                                          {"T", 1e12},
                                          {"P", 1e15},
                                          {"E", 1e18}}};
constexpr double kMostBytes = 0x1p60;
constexpr std::array<absl::string_view, 6> kBinary = {"",   "Ki", "Mi",
                                                      "Gi", "Ti", "Pi"};

// Returns nullopt for what SimpleAtod() takes and Kubernetes does not: "inf",
// "0x10".
std::optional<double> ParseNumber(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(c) && c != '.' && c != '+' && c != '-' &&
        c != 'e' && c != 'E') {
      return std::nullopt;
    }
  }
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return std::nullopt;
  return number;
}

}  // namespace

absl::StatusOr<int64_t> ParseQuantity(absl::string_view text) {
  absl::string_view number_text = text;
  double unit_bytes = 1;
  for (const Unit& unit : kUnits) {
    if (!absl::ConsumeSuffix(&number_text, unit.suffix)) continue;
    unit_bytes = unit.bytes;
    break;
  }
  const std::optional<double> number = ParseNumber(number_text);
  const double bytes = number.value_or(-1) * unit_bytes;
  if (!(bytes >= 0 && bytes <= kMostBytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", absl::CHexEscape(text),
        "' is no amount of memory; name one like 8Gi, 2^60 bytes at most"));
  }
  return static_cast<int64_t>(std::floor(bytes));
}

std::string QuantityOf(int64_t bytes) {
  size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kBinary.size()) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(bytes, kBinary[unit]);
}

}  // namespace stowage::agent
