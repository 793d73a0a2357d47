// Reads JSON that somebody else wrote, with errors that name the place.
//
//   absl::StatusOr<nlohmann::json> document = ParseJsonInput(text);
//   return ReadFields<policies::Graph>(
//       [&] { return policies::Graph{document->at("name")}; });
//   // INVALID_ARGUMENT: (/kernels/17) key 'name' not found
//
// nlohmann's accessors throw; the exceptions end in ReadFields().
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_JSON_INPUT_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_JSON_INPUT_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace stowage::cli {

// Parses JSON. INVALID_ARGUMENT names line and column. RESOURCE_EXHAUSTED:
// there are more than 256 MiB.
absl::StatusOr<nlohmann::json> ParseJsonInput(absl::string_view text);

// Returns what an exception of nlohmann says, with the remedy.
absl::Status JsonErrorToStatus(const nlohmann::json::exception& error);

// Returns the whole number, from `least` to `most`, that `value` is, such as 12
// or 12.0. Throws json::type_error, which names the place, if it is none;
// nlohmann's get() would cut off fractions and high bits.
int64_t WholeNumber(const nlohmann::json& value, int64_t least, int64_t most);

template <std::signed_integral T>
T WholeNumber(const nlohmann::json& value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(WholeNumber(value, Limits::min(), Limits::max()));
}

// Returns what `read` returns, a T. `read` may throw exceptions of nlohmann,
// which become errors.
template <typename T, typename Function>
absl::StatusOr<T> ReadFields(const Function& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    return JsonErrorToStatus(error);
  }
}

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_JSON_INPUT_H_
