// Finds the id by which a call can be followed from its client to the log.
//
//   std::string id = RequestIdOf(context->client_metadata());
//   context->AddTrailingMetadata(kRequestIdKey, id);
#ifndef STOWAGE_SERVER_ACCESS_REQUEST_ID_H_
#define STOWAGE_SERVER_ACCESS_REQUEST_ID_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "grpcpp/support/string_ref.h"

namespace stowage {

// The key of the metadata, of both directions.
inline constexpr char kRequestIdKey[] = "x-request-id";
inline constexpr size_t kMaxRequestIdBytes = 128;

// Returns whether it is 1 to kMaxRequestIdBytes printable characters of ASCII,
// without spaces.
bool IsRequestId(absl::string_view text);

// Returns the first id in a client's metadata if it is one, else a new id that
// no other call of this process or another has.
std::string RequestIdOf(
    const std::multimap<grpc::string_ref, grpc::string_ref>& metadata);

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_REQUEST_ID_H_
