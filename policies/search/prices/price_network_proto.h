// Networks of learned-prices as bytes, and the one that comes with the library.
//
//   absl::StatusOr<PriceNetwork> network = ParsePriceNetwork(bytes);
//   const PriceNetwork& shipped = ShippedPriceNetwork();
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_PROTO_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_PROTO_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policies/search/prices/price_network.h"

namespace stowage::policies {

// From proto JSON. INVALID_ARGUMENT says what is wrong: another version or
// number of features, a wrong number of weights, one that is not finite.
absl::StatusOr<PriceNetwork> ParsePriceNetwork(std::string_view json);

// `training` says how it was trained, for people.
std::string PrintPriceNetwork(const PriceNetwork& network,
                              std::string_view training);

// Of policies/search/prices/network.json. Never destroyed; safe to read from
// several threads.
const PriceNetwork& ShippedPriceNetwork();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_PROTO_H_
