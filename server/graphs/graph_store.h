// Stores graphs and their plans.
//
//   GraphStore store(*OpenDatabase(":memory:"));
//   absl::StatusOr<bool> created = store.PutGraph(summary, graph, request_id);
//   absl::StatusOr<v1::Graph> stored = store.GetGraph(summary.graph_id());
#ifndef STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_
#define STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/graphs/recent_use.h"
#include "server/storage/sql_database.h"
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

// Thread-safe; calls block on the database. Every method may fail with
// UNAVAILABLE (the database cannot be reached or written; try again) or
// DATA_LOSS (what is stored is damaged). The thread that asks for a graph or a
// plan parses it, and does not keep others from the database meanwhile.
class GraphStore {
 public:
  explicit GraphStore(std::shared_ptr<SqlDatabase> database)
      : database_(std::move(database)) {}

  // Stores the graph under `summary.graph_id()`. Replaces one that is there and
  // keeps its plans. Returns whether this registration, or an earlier one with
  // the same `request_id`, created the entry; an empty `request_id` is like no
  // other.
  absl::StatusOr<bool> PutGraph(const v1::GraphSummary& summary,
                                const v1::Graph& graph,
                                absl::string_view request_id);

  // Returns the graph. NOT_FOUND: no such graph.
  absl::StatusOr<v1::Graph> GetGraph(absl::string_view graph_id);

  absl::StatusOr<bool> HasGraph(absl::string_view graph_id);

  // Returns what the store knows of the graph; quick, however large it is.
  // NOT_FOUND: no such graph.
  absl::StatusOr<GraphRow> FindGraph(absl::string_view graph_id);

  // Returns up to `limit` summaries of graphs after `after_id`, by id.
  absl::StatusOr<std::vector<v1::GraphSummary>> ListGraphs(
      absl::string_view after_id, int limit);

  absl::StatusOr<int64_t> CountGraphs();

  // Deletes the graph and its plans. Succeeds if there is none.
  absl::Status DeleteGraph(absl::string_view graph_id);

  // Stores a plan for the graph `plan.graph_id()`, and replaces a plan of the
  // same id. NOT_FOUND: the graph is gone.
  absl::Status PutPlan(absl::string_view plan_id, const v1::Plan& plan);

  // Returns the plan. NOT_FOUND: no such plan.
  absl::StatusOr<v1::Plan> GetPlan(absl::string_view plan_id);

  // Returns the plan as it is stored, an encoded v1::Plan. NOT_FOUND: no such
  // plan.
  absl::StatusOr<std::string> GetPlanBytes(absl::string_view plan_id);

  // Returns how many bytes the stored plan has; quick, however large it is.
  // NOT_FOUND: no such plan.
  absl::StatusOr<int64_t> FindPlan(absl::string_view plan_id);

  // Returns up to `limit` summaries of plans after `after_id`, by id; an empty
  // `graph_id` means every graph.
  absl::StatusOr<std::vector<v1::PlanSummary>> ListPlans(
      absl::string_view graph_id, absl::string_view after_id, int limit);

  // Stores which graphs and plans were asked for since the last call. Retention
  // deletes those first that nobody has asked for.
  absl::Status StoreUse();

 private:
  // Returns the only column of the only row of `sql`, whose parameter is `id`.
  absl::StatusOr<std::string> ReadOne(absl::string_view sql,
                                      absl::string_view id,
                                      const absl::Status& not_found);

  const std::shared_ptr<SqlDatabase> database_;
  RecentUse used_graphs_;
  RecentUse used_plans_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_GRAPH_STORE_H_
