#include "tools/stowage/import/json_input.h"

#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

constexpr size_t kMaxJsonBytes = size_t{256} << 20;

// "[json.exception.type_error.302] (/a/0) type must be ..." without its tag.
std::string WithoutTag(absl::string_view what) {
  const size_t end = what.find("] ");
  return std::string(end == absl::string_view::npos ? what
                                                    : what.substr(end + 2));
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseJsonInput(absl::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the JSON has ", text.size(), " bytes; at most ",
                     kMaxJsonBytes, " are read, capture fewer steps"));
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid JSON: ", WithoutTag(error.what()),
                     "; mend the file there or capture it again"));
  }
}

absl::Status JsonErrorToStatus(const nlohmann::json::exception& error) {
  return absl::InvalidArgumentError(
      absl::StrCat(WithoutTag(error.what()), "; mend the file there"));
}

}  // namespace stowage::cli
