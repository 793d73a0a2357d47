// Splits lists of addresses.
//
//   for (const std::string& address : SplitAddresses("a:7420,b:7420")) {
//     Connect(address);
//   }
#ifndef STOWAGE_NETWORK_ADDRESSES_H_
#define STOWAGE_NETWORK_ADDRESSES_H_

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace stowage {

// Returns the addresses between the commas; at least one, which may be empty.
inline std::vector<std::string> SplitAddresses(absl::string_view addresses) {
  return absl::StrSplit(addresses, ',');
}

}  // namespace stowage

#endif  // STOWAGE_NETWORK_ADDRESSES_H_
