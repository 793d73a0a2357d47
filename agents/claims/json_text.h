// Reads JSON that another program wrote, which may be anything, and writes it.
//
//   const nlohmann::json claim = ParseJson(body);
//   std::string uid = TextAt(claim, "/metadata/uid");  // empty: there is none
//   for (const auto& result : ListAt(claim, "/status/allocation/devices/results"))
//     Use(result);
#ifndef STOWAGE_AGENTS_CLAIMS_JSON_TEXT_H_
#define STOWAGE_AGENTS_CLAIMS_JSON_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

// Returns null if the text is no JSON.
inline nlohmann::json ParseJson(absl::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr,
                                              /*allow_exceptions=*/false);
  if (json.is_discarded()) return nullptr;
  return json;
}

// Returns what stands at `pointer` ("/metadata/uid"); null: nothing does. The
// reference is to `json`.
inline const nlohmann::json& At(const nlohmann::json& json,
                                const char* pointer) {
  static const nlohmann::json nothing;
  const nlohmann::json::json_pointer place(pointer);
  return json.contains(place) ? json.at(place) : nothing;
}

// Returns the text there; empty if there is none.
inline std::string TextAt(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json& found = At(json, pointer);
  return found.is_string() ? found.get<std::string>() : "";
}

// Returns the whole number there; 0 if there is none.
inline int64_t NumberAt(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json& found = At(json, pointer);
  return found.is_number_integer() ? found.get<int64_t>() : 0;
}

// Returns the list there; an empty one if there is none.
inline const nlohmann::json& ListAt(const nlohmann::json& json,
                                    const char* pointer) {
  static const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json& found = At(json, pointer);
  return found.is_array() ? found : none;
}

// Returns a file's text for it, whatever bytes its strings have.
inline std::string TextOf(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_JSON_TEXT_H_
