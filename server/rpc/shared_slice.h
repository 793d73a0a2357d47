// Sends bytes that somebody else keeps, without a copy.
//
//   grpc::Slice slice = SharedSlice(*window, decisions);
#ifndef STOWAGE_SERVER_RPC_SHARED_SLICE_H_
#define STOWAGE_SERVER_RPC_SHARED_SLICE_H_

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "grpcpp/support/slice.h"

namespace stowage {

// Returns a slice of bytes that `owner` keeps. Copies nothing.
inline grpc::Slice SharedSlice(absl::string_view bytes,
                               std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* kept) { delete static_cast<Owner*>(kept); },
      new Owner(std::move(owner)));
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_SHARED_SLICE_H_
