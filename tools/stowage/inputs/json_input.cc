#include "tools/stowage/inputs/json_input.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

constexpr size_t kMaxJsonBytes = size_t{256} << 20;
// Lists within lists. What reads them, and nlohmann's dump(), calls itself.
constexpr int kMaxDepth = 256;

// Returns a message such as "[json.exception.type_error.302] (/a/0) type must
// be ..." without its tag.
std::string WithoutTag(absl::string_view what) {
  const size_t end = what.find("] ");
  return std::string(end == absl::string_view::npos ? what
                                                    : what.substr(end + 2));
}

// A double cannot tell larger whole numbers apart.
constexpr double kMostExact = 0x1p53;

std::optional<int64_t> AsWhole(const nlohmann::json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool is_whole =
        std::abs(number) <= kMostExact && number == std::trunc(number);
    if (!is_whole) return std::nullopt;
  } else if (value.is_number_unsigned() &&
             !std::in_range<int64_t>(value.get<uint64_t>())) {
    return std::nullopt;
  }
  return value.get<int64_t>();
}

// Keeps everything, and throws where values are nested too deeply.
bool CheckDepth(int depth, nlohmann::json::parse_event_t /*event*/,
                const nlohmann::json& /*parsed*/) {
  if (depth <= kMaxDepth) return true;
  constexpr int kOutOfRange = 408;
  throw nlohmann::json::out_of_range::create(
      kOutOfRange,
      absl::StrCat("values are nested more than ", kMaxDepth, " deep"),
      nullptr);
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseJsonInput(absl::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the JSON has ", text.size(), " bytes; at most ",
                     kMaxJsonBytes, " are read, capture fewer steps"));
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end(), CheckDepth);
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid JSON: ", WithoutTag(error.what()),
                     "; correct the file there or capture it again"));
  }
}

int64_t WholeNumber(const nlohmann::json& value, int64_t least, int64_t most) {
  const std::optional<int64_t> whole = AsWhole(value);
  if (whole && least <= *whole && *whole <= most) return *whole;
  constexpr int kTypeError = 302;
  throw nlohmann::json::type_error::create(
      kTypeError,
      absl::StrCat("must be a whole number from ", least, " to ", most,
                   ", but is ", value.dump()),
      &value);
}

absl::Status JsonErrorToStatus(const nlohmann::json::exception& error) {
  return absl::InvalidArgumentError(
      absl::StrCat(WithoutTag(error.what()), "; correct the file there"));
}

}  // namespace stowage::cli
