// Embeds the text of policies/search/prices/network.json as the library is
// built. Use price_network_proto.h instead.
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_NETWORK_FILE_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_NETWORK_FILE_H_

#include <string_view>

namespace stowage::policies {

std::string_view PriceNetworkFile();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_NETWORK_FILE_H_
