// Keeps DeepTM's status record table (III-B, figure 7): where each tensor is at
// each kernel under a plan, and whether it migrates there.
//
//   StatusTable table(graph, plan);
//   StatusRecord a = table.At(kernel, tensor);   // a(k, t) = (p, m)
#ifndef STOWAGE_POLICIES_HEAT_STATUS_TABLE_H_
#define STOWAGE_POLICIES_HEAT_STATUS_TABLE_H_

#include <vector>

#include "policies/heat/position.h"
#include "policies/model/graph.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct StatusRecord {
  Position position = Position::kNone;  // p
  bool migrates = false;                // m
  bool operator==(const StatusRecord&) const = default;
};

// Immutable; safe to read from several threads. It takes memory for each tensor
// and each move, not for each kernel and tensor.
class StatusTable {
 public:
  // Reads a plan that the verifier accepts for the graph.
  StatusTable(const Graph& graph, const Plan& plan);

  // Returns the record while `kernel` runs. A tensor migrates at the kernels
  // that run while its copy is under way; a synchronous migration belongs to
  // the kernel that waits for it. The tensor is at its old position until the
  // copy is complete.
  StatusRecord At(KernelIndex kernel, TensorIndex tensor) const;

 private:
  struct Migration {
    KernelIndex start = 0;
    KernelIndex end = 0;
    Position to = Position::kNone;
  };
  struct Row {
    Position initial = Position::kNone;  // as the step begins
    Position birth = Position::kNone;    // where the step allocates it
    KernelIndex birth_kernel = 0;
    KernelIndex death_kernel = -1;  // -1: never freed
    bool wraps = false;
    std::vector<Migration> migrations;  // by start
  };

  std::vector<Row> rows_;  // by tensor
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_STATUS_TABLE_H_
