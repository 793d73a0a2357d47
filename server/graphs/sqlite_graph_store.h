// Implements GraphStore in one SQLite file.
//
//   absl::StatusOr<std::unique_ptr<GraphStore>> store =
//       SqliteGraphStore::Open("/var/lib/stowage/stowaged.db");
#ifndef STOWAGE_SERVER_GRAPHS_SQLITE_GRAPH_STORE_H_
#define STOWAGE_SERVER_GRAPHS_SQLITE_GRAPH_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "server/graphs/database.h"
#include "server/graphs/graph_store.h"

namespace stowage {

// Thread-safe. Calls take turns on the connection, which other stores may
// share.
class SqliteGraphStore final : public GraphStore {
 public:
  explicit SqliteGraphStore(std::shared_ptr<SharedDatabase> database);
  // Opens a store with its own connection; see OpenDatabase().
  static absl::StatusOr<std::unique_ptr<GraphStore>> Open(
      const std::string& path);

  absl::StatusOr<bool> PutGraph(const v1::GraphSummary& summary,
                                const v1::Graph& graph,
                                absl::string_view request_id) override;
  absl::StatusOr<v1::Graph> GetGraph(absl::string_view graph_id) override;
  absl::StatusOr<bool> HasGraph(absl::string_view graph_id) override;
  absl::StatusOr<GraphRow> FindGraph(absl::string_view graph_id) override;
  absl::StatusOr<std::vector<v1::GraphSummary>> ListGraphs(
      absl::string_view after_id, int limit) override;
  absl::StatusOr<int64_t> CountGraphs() override;
  absl::Status DeleteGraph(absl::string_view graph_id) override;
  absl::Status PutPlan(absl::string_view plan_id,
                       const v1::Plan& plan) override;
  absl::StatusOr<v1::Plan> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::string> GetPlanBytes(absl::string_view plan_id) override;
  absl::StatusOr<int64_t> FindPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanSummary>> ListPlans(
      absl::string_view graph_id, absl::string_view after_id,
      int limit) override;

 private:
  // Returns the only column of the only row of `sql`, whose parameter is `id`.
  absl::StatusOr<std::string> ReadBlobOf(absl::string_view sql,
                                         absl::string_view id,
                                         const absl::Status& not_found);
  // Returns whether the row is new.
  absl::StatusOr<bool> InsertGraph(const v1::GraphSummary& summary,
                                   absl::string_view graph,
                                   absl::string_view request_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(database_->mutex);
  // Returns the request that created the row.
  absl::StatusOr<std::string> UpdateGraph(const v1::GraphSummary& summary,
                                          absl::string_view graph)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(database_->mutex);

  const std::shared_ptr<SharedDatabase> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SQLITE_GRAPH_STORE_H_
