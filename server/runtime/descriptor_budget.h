// Finds how many descriptors the process may open, and how many of them
// connections may take.
//
//   absl::StatusOr<DescriptorBudget> descriptors = BudgetDescriptors();
//   if (!descriptors.ok()) return descriptors.status();
#ifndef STOWAGE_SERVER_RUNTIME_DESCRIPTOR_BUDGET_H_
#define STOWAGE_SERVER_RUNTIME_DESCRIPTOR_BUDGET_H_

#include "absl/status/statusor.h"

namespace stowage {

// Plain data.
struct DescriptorBudget {
  // The most connections for metrics.
  int http_connections;
  // How many descriptors gRPC's connections leave to everything else:
  // connections for metrics, the database, trainings.
  int spare;
};

// Divides `limit` descriptors: a 16th of them, 4 to 64, are for metrics, and an
// 8th, 8 to 64, stay free beside those. RESOURCE_EXHAUSTED below 64, because
// too few would be left for gRPC.
absl::StatusOr<DescriptorBudget> DivideDescriptors(int limit);

// Raises the process's soft limit to the hard one, as far as it can, and
// divides it. Programs that the process starts inherit the limit.
absl::StatusOr<DescriptorBudget> BudgetDescriptors();

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_DESCRIPTOR_BUDGET_H_
