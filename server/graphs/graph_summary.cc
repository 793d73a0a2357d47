#include "server/graphs/graph_summary.h"

#include "absl/time/clock.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "server/fleet/timestamp.h"

namespace stowage {

v1::GraphSummary Summarize(const policies::Graph& graph) {
  v1::GraphSummary summary;
  summary.set_graph_id(policies::GraphId(graph));
  summary.set_name(graph.name);
  summary.set_kernel_count(graph.kernel_count());
  summary.set_tensor_count(graph.tensor_count());
  summary.set_peak_bytes(policies::ComputeLiveness(graph).peak_bytes);
  *summary.mutable_updated_at() = TimestampFromTime(absl::Now());
  return summary;
}

}  // namespace stowage
