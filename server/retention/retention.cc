#include "server/retention/retention.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "server/retention/victims.h"
#include "stowage/v1/training.pb.h"

namespace stowage {
namespace {

constexpr int64_t kStillUsedMs = 3'600'000;
// A LIMIT beyond every table; SQLite has no OFFSET without one.
constexpr int64_t kAllRows = int64_t{1} << 62;

absl::StatusOr<int64_t> Changed(const absl::StatusOr<SqlResult>& result) {
  if (!result.ok()) return result.status();
  return result->changed;
}

// Returns a condition: row o of the table is one of a policy that has $1 rows
// with a larger number in the column.
std::string HasNewer(absl::string_view table, absl::string_view column) {
  return absl::StrCat("(SELECT count(*) FROM ", table,
                      " n WHERE n.policy_id = o.policy_id AND n.", column,
                      " > o.", column, ") >= $1");
}

// Returns a query for graphs: the id, bytes with all that belongs to it, when
// it was last used, and whether it stays whatever it takes.
std::string GraphsQuery(absl::string_view now_ms) {
  const auto sum = [](absl::string_view columns, absl::string_view table) {
    return absl::StrCat(" + CAST(coalesce((SELECT sum(", columns, ") FROM ",
                        table,
                        " x WHERE x.graph_id = g.graph_id), 0) AS BIGINT)");
  };
  return absl::StrCat(
      "SELECT g.graph_id, length(g.graph)", sum("length(x.plan)", "plans"),
      sum("length(x.checkpoint)", "trainings"),
      sum("length(x.policy)", "dqn_versions"),
      ", g.used_at_ms, g.used_at_ms > ", now_ms,
      " - $1 OR EXISTS (SELECT 1 FROM trainings t",
      " WHERE t.graph_id = g.graph_id AND t.state IN ($2, $3)) FROM graphs g");
}

}  // namespace

Retention::~Retention() {
  stopped_.Ring();
  if (thread_.joinable()) thread_.join();
}

void Retention::Start(std::function<GraphIds()> in_use) {
  thread_ = std::thread([this, in_use = std::move(in_use)] {
    do {
      // What cannot be deleted now is deleted the next time.
      const absl::StatusOr<DeletedCounts> deleted = Sweep(in_use());
      if (deleted.ok()) options_.on_deleted(*deleted);
    } while (!stopped_.AwaitFor(options_.interval));
  });
}

absl::StatusOr<DeletedCounts> Retention::Sweep(const GraphIds& in_use) {
  if (absl::Status stored = graphs_->StoreUse(); !stored.ok()) return stored;
  const absl::StatusOr<int64_t> versions = DeleteVersions();
  if (!versions.ok()) return versions.status();
  const absl::StatusOr<int64_t> trainings = DeleteTrainings();
  if (!trainings.ok()) return trainings.status();
  const absl::StatusOr<int64_t> plans = DeletePlans();
  if (!plans.ok()) return plans.status();
  const absl::StatusOr<int64_t> graphs = DeleteGraphs(in_use);
  if (!graphs.ok()) return graphs.status();
  return DeletedCounts{*graphs, *plans, *trainings, *versions};
}

absl::StatusOr<int64_t> Retention::DeleteGraphs(const GraphIds& in_use) {
  const absl::StatusOr<SqlResult> rows = database_->Run(
      GraphsQuery(database_->now_ms()),
      {kStillUsedMs, v1::TRAINING_STATE_QUEUED, v1::TRAINING_STATE_RUNNING});
  if (!rows.ok()) return rows.status();
  const absl::flat_hash_set<absl::string_view> used(in_use.begin(),
                                                    in_use.end());
  std::vector<KeptItem> graphs;
  graphs.reserve(rows->rows.size());
  for (const SqlRow& row : rows->rows) {
    graphs.push_back(
        {.id = std::string(row.Text(0)),
         .size_bytes = row.Int(1),
         .used_at_ms = row.Int(2),
         .is_protected = row.Int(3) != 0 || used.contains(row.Text(0))});
  }
  const std::vector<std::string> victims =
      VictimsOf(std::move(graphs),
                {.rows = bounds_.graphs, .size_bytes = bounds_.size_bytes});
  for (const std::string& id : victims) {
    if (absl::Status gone = graphs_->DeleteGraph(id); !gone.ok()) return gone;
  }
  return static_cast<int64_t>(victims.size());
}

absl::StatusOr<int64_t> Retention::DeletePlans() {
  return Changed(database_->Run(
      absl::StrCat(
          "DELETE FROM plans WHERE used_at_ms <= ", database_->now_ms(),
          " - $2 AND plan_id IN (SELECT plan_id FROM plans"
          " ORDER BY used_at_ms DESC, plan_id LIMIT $3 OFFSET $1)"),
      {bounds_.plans, kStillUsedMs, kAllRows}));
}

absl::StatusOr<int64_t> Retention::DeleteTrainings() {
  return Changed(database_->Run(
      "DELETE FROM trainings WHERE training_id IN ("
      "SELECT training_id FROM trainings WHERE state NOT IN ($2, $3)"
      " ORDER BY training_id DESC LIMIT $4 OFFSET $1)",
      {bounds_.ended_trainings, v1::TRAINING_STATE_QUEUED,
       v1::TRAINING_STATE_RUNNING, kAllRows}));
}

absl::StatusOr<int64_t> Retention::DeleteVersions() {
  const absl::StatusOr<SqlResult> promotions = database_->Run(
      absl::StrCat("DELETE FROM dqn_promotions WHERE sequence IN ("
                   "SELECT o.sequence FROM dqn_promotions o WHERE ",
                   HasNewer("dqn_promotions", "sequence"), ")"),
      {bounds_.versions});
  if (!promotions.ok()) return promotions.status();
  return Changed(database_->Run(
      absl::StrCat(
          "DELETE FROM dqn_versions WHERE (policy_id, version) IN ("
          "SELECT o.policy_id, o.version FROM dqn_versions o"
          " WHERE NOT EXISTS (SELECT 1 FROM dqn_promotions p"
          " WHERE p.policy_id = o.policy_id AND p.version = o.version) AND ",
          HasNewer("dqn_versions", "version"), ")"),
      {bounds_.versions}));
}

}  // namespace stowage
