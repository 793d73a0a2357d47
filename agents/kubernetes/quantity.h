// Reads and writes amounts of memory as Kubernetes does.
//
//   absl::StatusOr<int64_t> bytes = ParseQuantity("1.5Gi");  // 1610612736
//   std::string text = QuantityOf(1610612736);               // "1536Mi"
#ifndef STOWAGE_AGENTS_KUBERNETES_QUANTITY_H_
#define STOWAGE_AGENTS_KUBERNETES_QUANTITY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {

// Returns the bytes, rounded down. INVALID_ARGUMENT if the text is no quantity,
// or one below 0 or above 2^60. Pure.
absl::StatusOr<int64_t> ParseQuantity(absl::string_view text);

// Returns the form that the API server keeps: the largest binary unit of which
// `bytes` is a multiple. Pure.
std::string QuantityOf(int64_t bytes);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_QUANTITY_H_
