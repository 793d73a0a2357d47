// Finds which part of a trace is one training step.
//
//   std::vector<Iteration> iterations = FindIterations(trace);
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_ITERATION_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_ITERATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

// The nodes with begin_id <= id < end_id: ids ascend with time across threads.
struct Iteration {
  std::string name;
  int64_t begin_id = 0;
  int64_t end_id = 0;
  bool has_optimizer_step = false;
};

// Splits the trace at the profiler's marks (ProfilerStep#N); without them at
// the first annotation of the main thread that repeats. Without that either,
// the trace is one iteration.
std::vector<Iteration> FindIterations(const ExecutionTrace& trace);

// Returns the index of the iteration that is `wanted`, from 0. -1 means the
// last complete one, which is the last with an optimizer step if any has one.
// INVALID_ARGUMENT lists what there is.
absl::StatusOr<int> ChooseIteration(const std::vector<Iteration>& iterations,
                                    int wanted);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_ITERATION_H_
