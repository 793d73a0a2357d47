// Reads from an error of the placement service that a limit was too small.
//
//   if (const auto detail = LimitTooSmallOf(made.status())) {
//     Tell(detail->least_limit_bytes());
//   }
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_TOO_SMALL_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_TOO_SMALL_H_

#include <optional>

#include "absl/status/status.h"
#include "stowage/v1/status.pb.h"

namespace stowage::agent {

// Returns the error's detail; nullopt if the limit is not why there is no plan.
std::optional<v1::LimitTooSmall> LimitTooSmallOf(const absl::Status& status);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_TOO_SMALL_H_
