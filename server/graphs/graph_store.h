// Where graphs and their plans are kept.
//
//   std::unique_ptr<GraphStore> store = *SqliteGraphStore::Open(":memory:");
//   absl::StatusOr<bool> created = store->PutGraph(summary, graph, request_id);
//   absl::StatusOr<v1::Graph> graph = store->GetGraph(summary.graph_id());
//
// Implementations are safe to call from several threads; calls block on the
// database. Every method may fail with UNAVAILABLE (the database cannot be
// reached or written; try again) or DATA_LOSS (what is stored is damaged).
#ifndef STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_
#define STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/graphs.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

// What a store knows of a graph without reading it.
struct GraphRow {
  int64_t size_bytes = 0;     // serialized
  int64_t updated_at_ns = 0;  // differs for each registration
};

// Graphs and plans are parsed by the thread that asks for them, without keeping
// others from the database.
class GraphStore {
 public:
  virtual ~GraphStore() = default;

  // Stores the graph under `summary.graph_id()`; one that is there already is
  // replaced and keeps its plans. True when this registration, or an earlier
  // one with the same non-empty `request_id`, created the entry.
  virtual absl::StatusOr<bool> PutGraph(const v1::GraphSummary& summary,
                                        const v1::Graph& graph,
                                        absl::string_view request_id) = 0;

  // NOT_FOUND when there is no such graph.
  virtual absl::StatusOr<v1::Graph> GetGraph(absl::string_view graph_id) = 0;

  virtual absl::StatusOr<bool> HasGraph(absl::string_view graph_id) = 0;

  // NOT_FOUND when there is no such graph. Quick, however large it is.
  virtual absl::StatusOr<GraphRow> FindGraph(absl::string_view graph_id) = 0;

  // Up to `limit` summaries by ascending id, those after `after_id`.
  virtual absl::StatusOr<std::vector<v1::GraphSummary>> ListGraphs(
      absl::string_view after_id, int limit) = 0;

  virtual absl::StatusOr<int64_t> CountGraphs() = 0;

  // Deletes the graph and its plans; succeeds when there is none.
  virtual absl::Status DeleteGraph(absl::string_view graph_id) = 0;

  // Stores a plan of the graph `plan.graph_id()`, in place of a plan of that
  // id. NOT_FOUND when the graph is gone.
  virtual absl::Status PutPlan(absl::string_view plan_id,
                               const v1::Plan& plan) = 0;

  // NOT_FOUND when there is no such plan.
  virtual absl::StatusOr<v1::Plan> GetPlan(absl::string_view plan_id) = 0;

  // Bytes of the stored plan. NOT_FOUND when there is none. Quick, however large
  // it is.
  virtual absl::StatusOr<int64_t> FindPlan(absl::string_view plan_id) = 0;

  // Up to `limit` summaries by ascending id, those after `after_id`; of every
  // graph when `graph_id` is empty.
  virtual absl::StatusOr<std::vector<v1::PlanSummary>> ListPlans(
      absl::string_view graph_id, absl::string_view after_id, int limit) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_
