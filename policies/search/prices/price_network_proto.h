// Reads and prints networks of learned-prices, and holds the one that comes
// with the library.
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

// Reads a network from proto JSON. INVALID_ARGUMENT says what is wrong: another
// version or number of features, a wrong number of weights, one that is not
// finite.
absl::StatusOr<PriceNetwork> ParsePriceNetwork(std::string_view json);

// Prints a network as proto JSON. `training` tells people how it was trained.
std::string PrintPriceNetwork(const PriceNetwork& network,
                              std::string_view training);

// Returns the network of policies/search/prices/network.json. It is never
// destroyed and safe to read from several threads.
const PriceNetwork& ShippedPriceNetwork();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_PRICE_NETWORK_PROTO_H_
