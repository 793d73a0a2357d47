// The embedded GraphStore: one SQLite file.
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
#include "absl/synchronization/mutex.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/sqlite.h"

namespace stowage {

// Owns its connection. Thread-safe: calls take turns on one connection.
class SqliteGraphStore final : public GraphStore {
 public:
  // Opens or creates the database and brings its schema up to date. ":memory:"
  // keeps everything in memory. Errors name the path.
  static absl::StatusOr<std::unique_ptr<GraphStore>> Open(
      const std::string& path);

  absl::StatusOr<bool> PutGraph(const v1::GraphSummary& summary,
                                const v1::Graph& graph,
                                absl::string_view request_id) override;
  absl::StatusOr<v1::Graph> GetGraph(absl::string_view graph_id) override;
  absl::StatusOr<std::vector<v1::GraphSummary>> ListGraphs(
      absl::string_view after_id, int limit) override;
  absl::StatusOr<int64_t> CountGraphs() override;
  absl::Status DeleteGraph(absl::string_view graph_id) override;
  absl::Status PutPlan(absl::string_view plan_id,
                       const v1::Plan& plan) override;
  absl::StatusOr<v1::Plan> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanSummary>> ListPlans(
      absl::string_view graph_id, absl::string_view after_id,
      int limit) override;

 private:
  explicit SqliteGraphStore(SqliteDatabase database);

  // True when the row is new.
  absl::StatusOr<bool> InsertGraph(const v1::GraphSummary& summary,
                                   absl::string_view graph,
                                   absl::string_view request_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The request that created the row.
  absl::StatusOr<std::string> UpdateGraph(const v1::GraphSummary& summary,
                                          absl::string_view graph)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  SqliteDatabase database_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SQLITE_GRAPH_STORE_H_
