#include "server/graphs/sqlite_graph_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/util/time_util.h"
#include "server/graphs/sqlite_rows.h"

namespace stowage {
namespace {

using ::google::protobuf::util::TimeUtil;

absl::Status NoSuch(absl::string_view what, absl::string_view id,
                    absl::string_view remedy) {
  return absl::NotFoundError(
      absl::StrCat("no ", what, " '", id, "'; ", remedy));
}

absl::Status NoSuchGraph(absl::string_view graph_id) {
  return NoSuch("graph", graph_id, "register it first");
}

absl::Status NoSuchPlan(absl::string_view plan_id) {
  return NoSuch("plan", plan_id, "make one first");
}

void BindSummary(const v1::GraphSummary& summary, SqliteStatement* statement) {
  statement->BindText(1, summary.graph_id());
  statement->BindText(2, summary.name());
  statement->BindInt(3, summary.kernel_count());
  statement->BindInt(4, summary.tensor_count());
  statement->BindInt(5, summary.peak_bytes());
  statement->BindInt(6, TimeUtil::TimestampToNanoseconds(summary.updated_at()));
}

v1::GraphSummary GraphSummaryFromRow(const SqliteStatement& row) {
  v1::GraphSummary summary;
  summary.set_graph_id(row.ColumnText(0));
  summary.set_name(row.ColumnText(1));
  summary.set_kernel_count(row.ColumnInt(2));
  summary.set_tensor_count(row.ColumnInt(3));
  summary.set_peak_bytes(row.ColumnInt(4));
  *summary.mutable_updated_at() =
      TimeUtil::NanosecondsToTimestamp(row.ColumnInt(5));
  return summary;
}

v1::PlanSummary PlanSummaryFromRow(const SqliteStatement& row) {
  v1::PlanSummary summary;
  summary.set_plan_id(row.ColumnText(0));
  summary.set_graph_id(row.ColumnText(1));
  summary.set_policy(row.ColumnText(2));
  summary.set_system(row.ColumnText(3));
  summary.set_fast_limit_bytes(row.ColumnInt(4));
  summary.set_predicted_step_time_ns(row.ColumnInt(5));
  return summary;
}

}  // namespace

SqliteGraphStore::SqliteGraphStore(std::shared_ptr<SharedDatabase> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::unique_ptr<GraphStore>> SqliteGraphStore::Open(
    const std::string& path) {
  absl::StatusOr<std::shared_ptr<SharedDatabase>> database = OpenDatabase(path);
  if (!database.ok()) return database.status();
  return std::make_unique<SqliteGraphStore>(*std::move(database));
}

absl::StatusOr<bool> SqliteGraphStore::PutGraph(const v1::GraphSummary& summary,
                                                const v1::Graph& graph,
                                                absl::string_view request_id) {
  const std::string bytes = graph.SerializeAsString();
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<bool> inserted = InsertGraph(summary, bytes, request_id);
  if (!inserted.ok() || *inserted) return inserted;
  absl::StatusOr<std::string> creator = UpdateGraph(summary, bytes);
  if (!creator.ok()) return creator.status();
  return !request_id.empty() && *creator == request_id;
}

absl::StatusOr<bool> SqliteGraphStore::InsertGraph(
    const v1::GraphSummary& summary, absl::string_view graph,
    absl::string_view request_id) {
  absl::StatusOr<SqliteStatement> insert = database_->connection.Prepare(
      "INSERT INTO graphs (graph_id, name, kernel_count, tensor_count,"
      " peak_bytes, updated_at_ns, graph, request_id)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING");
  if (!insert.ok()) return insert.status();
  BindSummary(summary, &*insert);
  insert->BindBlob(7, graph);
  insert->BindText(8, request_id);
  absl::StatusOr<bool> done = insert->Step();
  if (!done.ok()) return done.status();
  return database_->connection.changes() > 0;
}

absl::StatusOr<std::string> SqliteGraphStore::UpdateGraph(
    const v1::GraphSummary& summary, absl::string_view graph) {
  absl::StatusOr<SqliteStatement> update = database_->connection.Prepare(
      "UPDATE graphs SET name = ?2, kernel_count = ?3, tensor_count = ?4,"
      " peak_bytes = ?5, updated_at_ns = ?6, graph = ?7 WHERE graph_id = ?1"
      " RETURNING request_id");
  if (!update.ok()) return update.status();
  BindSummary(summary, &*update);
  update->BindBlob(7, graph);
  absl::StatusOr<bool> row = update->Step();
  if (!row.ok()) return row.status();
  std::string creator = *row ? update->ColumnText(0) : "";
  if (*row) row = update->Step();  // commits
  if (!row.ok()) return row.status();
  return creator;
}

absl::StatusOr<v1::Graph> SqliteGraphStore::GetGraph(
    absl::string_view graph_id) {
  const absl::StatusOr<std::string> bytes =
      ReadBlobOf("SELECT graph FROM graphs WHERE graph_id = ?1", graph_id,
                 NoSuchGraph(graph_id));
  if (!bytes.ok()) return bytes.status();
  return ParseStored<v1::Graph>(*bytes);
}

absl::StatusOr<std::string> SqliteGraphStore::ReadBlobOf(
    absl::string_view sql, absl::string_view id,
    const absl::Status& not_found) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(sql);
  if (!query.ok()) return query.status();
  query->BindText(1, id);
  return ReadBlob(&*query, not_found);
}

absl::StatusOr<GraphRow> SqliteGraphStore::FindGraph(
    absl::string_view graph_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT length(graph), updated_at_ns FROM graphs WHERE graph_id = ?1");
  if (!query.ok()) return query.status();
  query->BindText(1, graph_id);
  const absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return NoSuchGraph(graph_id);
  return GraphRow{.size_bytes = query->ColumnInt(0),
                  .updated_at_ns = query->ColumnInt(1)};
}

absl::StatusOr<bool> SqliteGraphStore::HasGraph(absl::string_view graph_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query =
      database_->connection.Prepare("SELECT 1 FROM graphs WHERE graph_id = ?1");
  if (!query.ok()) return query.status();
  query->BindText(1, graph_id);
  return query->Step();
}

absl::StatusOr<std::vector<v1::GraphSummary>> SqliteGraphStore::ListGraphs(
    absl::string_view after_id, int limit) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT graph_id, name, kernel_count, tensor_count, peak_bytes,"
      " updated_at_ns FROM graphs WHERE graph_id > ?1"
      " ORDER BY graph_id LIMIT ?2");
  if (!query.ok()) return query.status();
  query->BindText(1, after_id);
  query->BindInt(2, limit);
  return ReadRows(&*query, &GraphSummaryFromRow);
}

absl::StatusOr<int64_t> SqliteGraphStore::CountGraphs() {
  absl::MutexLock lock(&database_->mutex);
  return database_->connection.QueryInt("SELECT count(*) FROM graphs");
}

absl::Status SqliteGraphStore::DeleteGraph(absl::string_view graph_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> statement =
      database_->connection.Prepare("DELETE FROM graphs WHERE graph_id = ?1");
  if (!statement.ok()) return statement.status();
  statement->BindText(1, graph_id);
  return statement->Step().status();
}

absl::Status SqliteGraphStore::PutPlan(absl::string_view plan_id,
                                       const v1::Plan& plan) {
  const std::string bytes = plan.SerializeAsString();
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> insert = database_->connection.Prepare(
      "INSERT INTO plans (plan_id, graph_id, policy, system, fast_limit_bytes,"
      " predicted_step_time_ns, plan) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
      " ON CONFLICT DO UPDATE SET plan = excluded.plan,"
      " predicted_step_time_ns = excluded.predicted_step_time_ns");
  if (!insert.ok()) return insert.status();
  insert->BindText(1, plan_id);
  insert->BindText(2, plan.graph_id());
  insert->BindText(3, plan.policy());
  insert->BindText(4, plan.system());
  insert->BindInt(5, plan.fast_limit_bytes());
  insert->BindInt(6, plan.prediction().step_time_ns());
  insert->BindBlob(7, bytes);
  absl::Status status = insert->Step().status();
  // Only one constraint can fail: the reference to the graph.
  if (absl::IsFailedPrecondition(status)) {
    return NoSuch("graph", plan.graph_id(), "register it again");
  }
  return status;
}

absl::StatusOr<v1::Plan> SqliteGraphStore::GetPlan(absl::string_view plan_id) {
  const absl::StatusOr<std::string> bytes = GetPlanBytes(plan_id);
  if (!bytes.ok()) return bytes.status();
  return ParseStored<v1::Plan>(*bytes);
}

absl::StatusOr<std::string> SqliteGraphStore::GetPlanBytes(
    absl::string_view plan_id) {
  return ReadBlobOf("SELECT plan FROM plans WHERE plan_id = ?1", plan_id,
                    NoSuchPlan(plan_id));
}

absl::StatusOr<int64_t> SqliteGraphStore::FindPlan(absl::string_view plan_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT length(plan) FROM plans WHERE plan_id = ?1");
  if (!query.ok()) return query.status();
  query->BindText(1, plan_id);
  const absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return NoSuchPlan(plan_id);
  return query->ColumnInt(0);
}

absl::StatusOr<std::vector<v1::PlanSummary>> SqliteGraphStore::ListPlans(
    absl::string_view graph_id, absl::string_view after_id, int limit) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT plan_id, graph_id, policy, system, fast_limit_bytes,"
      " predicted_step_time_ns FROM plans"
      " WHERE plan_id > ?1 AND (?2 = '' OR graph_id = ?2)"
      " ORDER BY plan_id LIMIT ?3");
  if (!query.ok()) return query.status();
  query->BindText(1, after_id);
  query->BindText(2, graph_id);
  query->BindInt(3, limit);
  return ReadRows(&*query, &PlanSummaryFromRow);
}

}  // namespace stowage
