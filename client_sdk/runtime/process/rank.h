// Says which of several processes of one training this is.
//
//   if (RankOfProcess().value_or(0) == 0) ShowProgress();
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_RANK_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_RANK_H_

#include <stdlib.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace stowage::runtime {

// Returns the number that launchers put in $RANK; nullopt if it is none.
inline std::optional<int32_t> RankOfProcess() {
  const char* value = getenv("RANK");
  const std::string_view text = value != nullptr ? value : "";
  int32_t rank = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(rank) : std::nullopt;
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_RANK_H_
