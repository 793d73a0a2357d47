// Names things by a hash of their content.
//
//   std::string id = HashFields({graph_id, system_bytes, "belady"});
#ifndef STOWAGE_SERVER_GRAPHS_CONTENT_HASH_H_
#define STOWAGE_SERVER_GRAPHS_CONTENT_HASH_H_

#include <string>
#include <vector>

namespace stowage {

// Returns the hex SHA-256 of the fields in their order. Where one field ends
// and the next begins matters.
std::string HashFields(const std::vector<std::string>& fields);

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_CONTENT_HASH_H_
