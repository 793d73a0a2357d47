// Makes the error of a limit on fast memory under which there is no plan, with
// what programs need to know of it.
//
//   return LimitTooSmallError({.least_limit_bytes = bytes,
//                              .kernel = k,
//                              .kernel_name = graph.kernels[k].name},
//                             "fast limit 9 MiB is below ...");
#ifndef STOWAGE_POLICIES_PLAN_LIMIT_TOO_SMALL_H_
#define STOWAGE_POLICIES_PLAN_LIMIT_TOO_SMALL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "policies/model/graph.h"

namespace stowage::policies {

struct LimitTooSmall {
  int64_t least_limit_bytes = 0;  // with which there is a plan
  KernelIndex kernel = 0;         // that needs it
  std::string kernel_name;
};

// Returns FAILED_PRECONDITION with this message and a payload: a serialised
// v1::LimitTooSmall under its type URL, as google.protobuf.Any names types.
absl::Status LimitTooSmallError(const LimitTooSmall& what,
                                std::string_view message);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_LIMIT_TOO_SMALL_H_
