#include "server/graphs/graph_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "google/protobuf/util/time_util.h"
#include "server/storage/stored_message.h"

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

absl::StatusOr<v1::GraphSummary> GraphSummaryFromRow(const SqlRow& row) {
  v1::GraphSummary summary;
  summary.set_graph_id(std::string(row.Text(0)));
  summary.set_name(std::string(row.Text(1)));
  summary.set_kernel_count(row.Int(2));
  summary.set_tensor_count(row.Int(3));
  summary.set_peak_bytes(row.Int(4));
  *summary.mutable_updated_at() = TimeUtil::NanosecondsToTimestamp(row.Int(5));
  return summary;
}

absl::StatusOr<v1::PlanSummary> PlanSummaryFromRow(const SqlRow& row) {
  v1::PlanSummary summary;
  summary.set_plan_id(std::string(row.Text(0)));
  summary.set_graph_id(std::string(row.Text(1)));
  summary.set_policy(std::string(row.Text(2)));
  summary.set_system(std::string(row.Text(3)));
  summary.set_fast_limit_bytes(row.Int(4));
  summary.set_predicted_step_time_ns(row.Int(5));
  return summary;
}

// Runs the statement once for each id, some hundred in a transaction.
absl::Status RunForEach(absl::string_view sql,
                        absl::Span<const std::string> ids,
                        SqlDatabase* database) {
  constexpr size_t kChunk = 500;
  while (!ids.empty()) {
    const auto chunk = ids.first(std::min(ids.size(), kChunk));
    absl::Status run = database->Transact([&](SqlConnection& connection) {
      for (const std::string& id : chunk) {
        absl::Status one = connection.Run(sql, {id}).status();
        if (!one.ok()) return one;
      }
      return absl::OkStatus();
    });
    if (!run.ok()) return run;
    ids.remove_prefix(chunk.size());
  }
  return absl::OkStatus();
}

// Returns the only row of the result, or `not_found`.
absl::StatusOr<SqlRow> OnlyRow(absl::StatusOr<SqlResult> result,
                               const absl::Status& not_found) {
  if (!result.ok()) return result.status();
  if (result->rows.empty()) return not_found;
  return std::move(result->rows[0]);
}

}  // namespace

absl::StatusOr<bool> GraphStore::PutGraph(const v1::GraphSummary& summary,
                                          const v1::Graph& graph,
                                          absl::string_view request_id) {
  const std::string bytes = graph.SerializeAsString();
  absl::StatusOr<SqlResult> put = database_->Run(
      absl::StrCat(
          "INSERT INTO graphs (graph_id, name, kernel_count, tensor_count,"
          " peak_bytes, updated_at_ns, graph, request_id, used_at_ms)"
          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ",
          database_->now_ms(),
          ") ON CONFLICT (graph_id) DO UPDATE SET name = excluded.name,"
          " kernel_count = excluded.kernel_count,"
          " tensor_count = excluded.tensor_count,"
          " peak_bytes = excluded.peak_bytes,"
          " updated_at_ns = excluded.updated_at_ns, graph = excluded.graph,"
          " used_at_ms = excluded.used_at_ms,"
          " registrations = graphs.registrations + 1"
          " RETURNING registrations, request_id"),
      {summary.graph_id(), summary.name(), summary.kernel_count(),
       summary.tensor_count(), summary.peak_bytes(),
       TimeUtil::TimestampToNanoseconds(summary.updated_at()), SqlBlob{bytes},
       request_id});
  if (!put.ok()) return put.status();
  const SqlRow& row = put->rows[0];
  return row.Int(0) == 1 || (!request_id.empty() && row.Text(1) == request_id);
}

absl::StatusOr<v1::Graph> GraphStore::GetGraph(absl::string_view graph_id) {
  const absl::StatusOr<std::string> bytes =
      ReadOne("SELECT graph FROM graphs WHERE graph_id = $1", graph_id,
              NoSuchGraph(graph_id));
  if (!bytes.ok()) return bytes.status();
  used_graphs_.Note(graph_id);
  return ParseStored<v1::Graph>(*bytes);
}

absl::StatusOr<std::string> GraphStore::ReadOne(absl::string_view sql,
                                                absl::string_view id,
                                                const absl::Status& not_found) {
  absl::StatusOr<SqlRow> row = OnlyRow(database_->Run(sql, {id}), not_found);
  if (!row.ok()) return row.status();
  return row->TakeText(0);
}

absl::StatusOr<GraphRow> GraphStore::FindGraph(absl::string_view graph_id) {
  const absl::StatusOr<SqlRow> row =
      OnlyRow(database_->Run("SELECT length(graph), updated_at_ns FROM graphs"
                             " WHERE graph_id = $1",
                             {graph_id}),
              NoSuchGraph(graph_id));
  if (!row.ok()) return row.status();
  used_graphs_.Note(graph_id);
  return GraphRow{.size_bytes = row->Int(0), .updated_at_ns = row->Int(1)};
}

absl::StatusOr<bool> GraphStore::HasGraph(absl::string_view graph_id) {
  const absl::StatusOr<SqlResult> found =
      database_->Run("SELECT 1 FROM graphs WHERE graph_id = $1", {graph_id});
  if (!found.ok()) return found.status();
  return !found->rows.empty();
}

absl::StatusOr<std::vector<v1::GraphSummary>> GraphStore::ListGraphs(
    absl::string_view after_id, int limit) {
  return FromRows(
      database_->Run("SELECT graph_id, name, kernel_count, tensor_count,"
                     " peak_bytes, updated_at_ns FROM graphs"
                     " WHERE graph_id > $1 ORDER BY graph_id LIMIT $2",
                     {after_id, limit}),
      &GraphSummaryFromRow);
}

absl::StatusOr<int64_t> GraphStore::CountGraphs() {
  const absl::StatusOr<SqlResult> count =
      database_->Run("SELECT count(*) FROM graphs");
  if (!count.ok()) return count.status();
  return count->rows[0].Int(0);
}

absl::Status GraphStore::DeleteGraph(absl::string_view graph_id) {
  return database_->Run("DELETE FROM graphs WHERE graph_id = $1", {graph_id})
      .status();
}

absl::Status GraphStore::PutPlan(absl::string_view plan_id,
                                 const v1::Plan& plan) {
  const std::string bytes = plan.SerializeAsString();
  absl::Status status =
      database_
          ->Run(absl::StrCat(
                    "INSERT INTO plans (plan_id, graph_id, policy, system,"
                    " fast_limit_bytes, predicted_step_time_ns, plan,"
                    " used_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, ",
                    database_->now_ms(),
                    ") ON CONFLICT (plan_id) DO UPDATE SET"
                    " plan = excluded.plan, used_at_ms = excluded.used_at_ms,"
                    " predicted_step_time_ns ="
                    " excluded.predicted_step_time_ns"),
                {plan_id, plan.graph_id(), plan.policy(), plan.system(),
                 plan.fast_limit_bytes(), plan.prediction().step_time_ns(),
                 SqlBlob{bytes}})
          .status();
  // Only one constraint can fail: the reference to the graph.
  if (absl::IsFailedPrecondition(status)) {
    return NoSuch("graph", plan.graph_id(), "register it again");
  }
  return status;
}

absl::StatusOr<v1::Plan> GraphStore::GetPlan(absl::string_view plan_id) {
  const absl::StatusOr<std::string> bytes = GetPlanBytes(plan_id);
  if (!bytes.ok()) return bytes.status();
  return ParseStored<v1::Plan>(*bytes);
}

absl::StatusOr<std::string> GraphStore::GetPlanBytes(
    absl::string_view plan_id) {
  absl::StatusOr<std::string> bytes =
      ReadOne("SELECT plan FROM plans WHERE plan_id = $1", plan_id,
              NoSuchPlan(plan_id));
  if (bytes.ok()) used_plans_.Note(plan_id);
  return bytes;
}

absl::StatusOr<int64_t> GraphStore::FindPlan(absl::string_view plan_id) {
  const absl::StatusOr<SqlRow> row = OnlyRow(
      database_->Run("SELECT length(plan) FROM plans WHERE plan_id = $1",
                     {plan_id}),
      NoSuchPlan(plan_id));
  if (!row.ok()) return row.status();
  return row->Int(0);
}

absl::StatusOr<std::vector<v1::PlanSummary>> GraphStore::ListPlans(
    absl::string_view graph_id, absl::string_view after_id, int limit) {
  return FromRows(
      database_->Run("SELECT plan_id, graph_id, policy, system,"
                     " fast_limit_bytes, predicted_step_time_ns FROM plans"
                     " WHERE plan_id > $1 AND ($2 = '' OR graph_id = $2)"
                     " ORDER BY plan_id LIMIT $3",
                     {after_id, graph_id, limit}),
      &PlanSummaryFromRow);
}

absl::Status GraphStore::StoreUse() {
  const std::string set =
      absl::StrCat(" SET used_at_ms = ", database_->now_ms());
  const std::vector<std::string> plans = used_plans_.Take();
  absl::Status stored =
      RunForEach(absl::StrCat("UPDATE plans", set, " WHERE plan_id = $1"),
                 plans, database_.get());
  if (!stored.ok()) return stored;
  // Who uses a plan uses its graph.
  stored = RunForEach(absl::StrCat("UPDATE graphs", set,
                                   " WHERE graph_id = (SELECT graph_id"
                                   " FROM plans WHERE plan_id = $1)"),
                      plans, database_.get());
  if (!stored.ok()) return stored;
  return RunForEach(absl::StrCat("UPDATE graphs", set, " WHERE graph_id = $1"),
                    used_graphs_.Take(), database_.get());
}

}  // namespace stowage
