// Summarises a graph for `stowage graph show`.
//
//   GraphSummary summary = Summarize(graph, /*largest_count=*/5);
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_GRAPH_SUMMARY_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_GRAPH_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "policies/model/graph.h"

namespace stowage::cli {

struct LeastLimitFor {
  std::string system;  // preset
  int64_t least_bytes = 0;
};

struct GraphSummary {
  std::string name;
  std::string graph_id;
  std::string source;
  std::string processor;
  int64_t kernel_count = 0;
  int64_t choosable_kernel_count = 0;  // with several implementations
  int64_t tensor_count = 0;
  int64_t peak_bytes = 0;
  policies::KernelIndex peak_kernel = 0;
  std::string peak_kernel_name;
  int64_t persistent_bytes = 0;
  int64_t all_tensor_bytes = 0;
  int64_t fast_duration_ns = 0;     // kernels and gaps with everything fast
  bool durations_measured = false;  // all of them
  std::vector<LeastLimitFor> least_limits;
  std::vector<policies::TensorIndex> largest;  // most bytes first
};

// Returns the summary of a valid graph with a kernel. Names at most
// `largest_count` tensors, and as many kernels with several implementations.
GraphSummary Summarize(const policies::Graph& graph, size_t largest_count);

nlohmann::json SummaryToJson(const GraphSummary& summary,
                             const policies::Graph& graph);
std::string SummaryToText(const GraphSummary& summary,
                          const policies::Graph& graph);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_GRAPH_SUMMARY_H_
