#include "server/training/sqlite_training_store.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/graphs/sqlite_rows.h"

namespace stowage {
namespace {

// An expression: whether row v of dqn_versions serves.
constexpr absl::string_view kServes =
    "(v.version IS (SELECT p.version FROM dqn_promotions p"
    " WHERE p.policy_id = v.policy_id ORDER BY p.sequence DESC LIMIT 1))";

absl::Status NoSuchTraining(int64_t training_id) {
  return absl::NotFoundError(absl::StrCat("no training ", training_id,
                                          "; list the trainings there are"));
}

absl::Status NoSuchVersion(const VersionKey& key) {
  return absl::NotFoundError(
      absl::StrCat("policy '", key.policy_id, "' has no version ",
                   key.version == 0 ? "that serves" : absl::StrCat(key.version),
                   "; list the versions there are"));
}

absl::Status NoSuchGraph(absl::string_view graph_id) {
  return absl::NotFoundError(
      absl::StrCat("no graph '", graph_id, "'; register it first"));
}

// Returns the status of an insertion. A valid one can fail by one constraint
// alone: that on the graph.
absl::Status InsertionStatus(const absl::Status& status,
                             absl::string_view graph_id) {
  return absl::IsFailedPrecondition(status) ? NoSuchGraph(graph_id) : status;
}

// Returns the version in a row with the columns info and whether it serves.
absl::StatusOr<v1::PolicyVersion> InfoFromRow(const SqliteStatement& row) {
  absl::StatusOr<v1::PolicyVersion> info =
      MessageInColumn<v1::PolicyVersion>(row, 0);
  if (info.ok()) info->set_serving(row.ColumnInt(1) != 0);
  return info;
}

// Returns the version in a row with the columns info, whether it serves,
// system, system digest and policy.
absl::StatusOr<DqnVersion> VersionFromRow(const SqliteStatement& row) {
  absl::StatusOr<v1::PolicyVersion> info = InfoFromRow(row);
  if (!info.ok()) return info.status();
  absl::StatusOr<v1::MemorySystem> system =
      MessageInColumn<v1::MemorySystem>(row, 2);
  if (!system.ok()) return system.status();
  return DqnVersion{.info = *std::move(info),
                    .system = *std::move(system),
                    .system_digest = row.ColumnText(3),
                    .policy = row.ColumnText(4)};
}

absl::StatusOr<DqnVersion> ReadVersion(SqliteStatement* query,
                                       const absl::Status& not_found) {
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return not_found;
  return VersionFromRow(*query);
}

}  // namespace

SqliteTrainingStore::SqliteTrainingStore(
    std::shared_ptr<SharedDatabase> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::optional<v1::Training>> SqliteTrainingStore::FindRequest(
    const std::string& request_id, absl::string_view request) {
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT training, request FROM trainings WHERE request_id = ?1");
  if (!query.ok()) return query.status();
  query->BindText(1, request_id);
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return std::optional<v1::Training>();
  if (query->ColumnBlob(1) != request) {
    return absl::AlreadyExistsError(
        absl::StrCat("request_id '", request_id,
                     "' was used for another training; choose another"));
  }
  return MessageInColumn<v1::Training>(*query, 0);
}

absl::StatusOr<AddedTraining> SqliteTrainingStore::AddTraining(
    const v1::StartTrainingRequest& request, v1::Training training) {
  const std::string request_bytes = request.SerializeAsString();
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<std::optional<v1::Training>> known =
      FindRequest(request.request_id(), request_bytes);
  if (!known.ok()) return known.status();
  if (known->has_value()) return AddedTraining{**std::move(known), false};
  absl::StatusOr<int64_t> last = database_->connection.QueryInt(
      "SELECT max(seq) FROM sqlite_sequence WHERE name = 'trainings'");
  if (!last.ok()) return last.status();
  training.set_training_id(*last + 1);
  const std::string bytes = training.SerializeAsString();
  absl::StatusOr<SqliteStatement> insert = database_->connection.Prepare(
      "INSERT INTO trainings (training_id, request_id, graph_id, state,"
      " request, training, checkpoint) VALUES (?1, ?2, ?3, ?4, ?5, ?6, x'')");
  if (!insert.ok()) return insert.status();
  insert->BindInt(1, training.training_id());
  insert->BindText(2, request.request_id());
  insert->BindText(3, training.graph_id());
  insert->BindInt(4, training.state());
  insert->BindBlob(5, request_bytes);
  insert->BindBlob(6, bytes);
  absl::Status inserted =
      InsertionStatus(insert->Step().status(), training.graph_id());
  if (!inserted.ok()) return inserted;
  return AddedTraining{std::move(training), true};
}

absl::StatusOr<std::string> SqliteTrainingStore::ReadColumn(
    absl::string_view column, int64_t training_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query =
      database_->connection.Prepare(absl::StrCat(
          "SELECT ", column, " FROM trainings WHERE training_id = ?1"));
  if (!query.ok()) return query.status();
  query->BindInt(1, training_id);
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return NoSuchTraining(training_id);
  return query->ColumnText(0);
}

absl::StatusOr<v1::Training> SqliteTrainingStore::GetTraining(
    int64_t training_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT training FROM trainings WHERE training_id = ?1");
  if (!query.ok()) return query.status();
  query->BindInt(1, training_id);
  return ReadMessage<v1::Training>(&*query, NoSuchTraining(training_id));
}

absl::StatusOr<v1::StartTrainingRequest> SqliteTrainingStore::GetRequest(
    int64_t training_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT request FROM trainings WHERE training_id = ?1");
  if (!query.ok()) return query.status();
  query->BindInt(1, training_id);
  return ReadMessage<v1::StartTrainingRequest>(&*query,
                                               NoSuchTraining(training_id));
}

absl::StatusOr<std::string> SqliteTrainingStore::GetCheckpoint(
    int64_t training_id) {
  return ReadColumn("checkpoint", training_id);
}

absl::Status SqliteTrainingStore::UpdateTraining(const v1::Training& training) {
  const std::string bytes = training.SerializeAsString();
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> update = database_->connection.Prepare(
      "UPDATE trainings SET state = ?2, training = ?3 WHERE training_id = ?1");
  if (!update.ok()) return update.status();
  update->BindInt(1, training.training_id());
  update->BindInt(2, training.state());
  update->BindBlob(3, bytes);
  return update->Step().status();
}

absl::Status SqliteTrainingStore::PutCheckpoint(int64_t training_id,
                                                absl::string_view checkpoint) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> update = database_->connection.Prepare(
      "UPDATE trainings SET checkpoint = ?2 WHERE training_id = ?1");
  if (!update.ok()) return update.status();
  update->BindInt(1, training_id);
  update->BindBlob(2, checkpoint);
  return update->Step().status();
}

absl::StatusOr<std::vector<v1::Training>> SqliteTrainingStore::ListTrainings(
    absl::string_view graph_id, std::optional<int64_t> before, int limit) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT training FROM trainings"
      " WHERE training_id < ?1 AND (?2 = '' OR graph_id = ?2)"
      " ORDER BY training_id DESC LIMIT ?3");
  if (!query.ok()) return query.status();
  query->BindInt(1, before.value_or(std::numeric_limits<int64_t>::max()));
  query->BindText(2, graph_id);
  query->BindInt(3, limit);
  return ReadMessages<v1::Training>(&*query);
}

absl::StatusOr<std::vector<v1::Training>>
SqliteTrainingStore::ListUnfinished() {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT training FROM trainings WHERE state IN (?1, ?2)"
      " ORDER BY training_id");
  if (!query.ok()) return query.status();
  query->BindInt(1, v1::TRAINING_STATE_QUEUED);
  query->BindInt(2, v1::TRAINING_STATE_RUNNING);
  return ReadMessages<v1::Training>(&*query);
}

absl::StatusOr<v1::PolicyVersion> SqliteTrainingStore::AddVersion(
    DqnVersion version) {
  v1::PolicyVersion& info = version.info;
  info.clear_serving();
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> newest = database_->connection.Prepare(
      "SELECT coalesce(max(version), 0) FROM dqn_versions"
      " WHERE policy_id = ?1");
  if (!newest.ok()) return newest.status();
  newest->BindText(1, info.policy_id());
  if (absl::Status read = newest->Step().status(); !read.ok()) return read;
  info.set_version(newest->ColumnInt(0) + 1);
  const std::string info_bytes = info.SerializeAsString();
  const std::string system_bytes = version.system.SerializeAsString();
  absl::StatusOr<SqliteStatement> insert = database_->connection.Prepare(
      "INSERT INTO dqn_versions (policy_id, version, graph_id, system_digest,"
      " fast_limit_bytes, info, system, policy)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  if (!insert.ok()) return insert.status();
  insert->BindText(1, info.policy_id());
  insert->BindInt(2, info.version());
  insert->BindText(3, info.graph_id());
  insert->BindText(4, version.system_digest);
  insert->BindInt(5, info.fast_limit_bytes());
  insert->BindBlob(6, info_bytes);
  insert->BindBlob(7, system_bytes);
  insert->BindBlob(8, version.policy);
  absl::Status inserted =
      InsertionStatus(insert->Step().status(), info.graph_id());
  if (!inserted.ok()) return inserted;
  return info;
}

absl::StatusOr<std::vector<v1::PolicyVersion>>
SqliteTrainingStore::ListVersions(absl::string_view graph_id,
                                  const VersionKey& after, int limit) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query =
      database_->connection.Prepare(absl::StrCat(
          "SELECT v.info, ", kServes,
          " FROM dqn_versions v WHERE (v.policy_id, v.version) > (?1, ?2)"
          " AND (?3 = '' OR v.graph_id = ?3)"
          " ORDER BY v.policy_id, v.version LIMIT ?4"));
  if (!query.ok()) return query.status();
  query->BindText(1, after.policy_id);
  query->BindInt(2, after.version);
  query->BindText(3, graph_id);
  query->BindInt(4, limit);
  std::vector<v1::PolicyVersion> versions;
  for (;;) {
    absl::StatusOr<bool> row = query->Step();
    if (!row.ok()) return row.status();
    if (!*row) return versions;
    absl::StatusOr<v1::PolicyVersion> info = InfoFromRow(*query);
    if (!info.ok()) return info.status();
    versions.push_back(*std::move(info));
  }
}

absl::StatusOr<DqnVersion> SqliteTrainingStore::GetVersion(
    const VersionKey& key) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      absl::StrCat("SELECT v.info, ", kServes,
                   " AS serves, v.system, v.system_digest,"
                   " v.policy FROM dqn_versions v WHERE v.policy_id = ?1"
                   " AND (v.version = ?2 OR (?2 = 0 AND serves))"));
  if (!query.ok()) return query.status();
  query->BindText(1, key.policy_id);
  query->BindInt(2, key.version);
  return ReadVersion(&*query, NoSuchVersion(key));
}

absl::StatusOr<std::vector<DqnVersion>> SqliteTrainingStore::ListServing(
    absl::string_view graph_id) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<SqliteStatement> query =
      database_->connection.Prepare(absl::StrCat(
          "SELECT v.info, ", kServes,
          " AS serves, v.system, v.system_digest,"
          " v.policy FROM dqn_versions v WHERE v.graph_id = ?1 AND serves"
          " ORDER BY (SELECT max(p.sequence) FROM dqn_promotions p"
          " WHERE p.policy_id = v.policy_id) DESC"));
  if (!query.ok()) return query.status();
  query->BindText(1, graph_id);
  std::vector<DqnVersion> versions;
  for (;;) {
    absl::StatusOr<bool> row = query->Step();
    if (!row.ok()) return row.status();
    if (!*row) return versions;
    absl::StatusOr<DqnVersion> version = VersionFromRow(*query);
    if (!version.ok()) return version.status();
    versions.push_back(*std::move(version));
  }
}

absl::StatusOr<int64_t> SqliteTrainingStore::ServingVersion(
    absl::string_view policy_id) {
  absl::StatusOr<SqliteStatement> query = database_->connection.Prepare(
      "SELECT version FROM dqn_promotions WHERE policy_id = ?1"
      " ORDER BY sequence DESC LIMIT 1");
  if (!query.ok()) return query.status();
  query->BindText(1, policy_id);
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  return *row ? query->ColumnInt(0) : 0;
}

absl::Status SqliteTrainingStore::Promote(const VersionKey& key) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<int64_t> serving = ServingVersion(key.policy_id);
  if (!serving.ok()) return serving.status();
  if (*serving == key.version && key.version != 0) return absl::OkStatus();
  absl::StatusOr<SqliteStatement> insert = database_->connection.Prepare(
      "INSERT INTO dqn_promotions (policy_id, version) VALUES (?1, ?2)");
  if (!insert.ok()) return insert.status();
  insert->BindText(1, key.policy_id);
  insert->BindInt(2, key.version);
  absl::Status inserted = insert->Step().status();
  // There is one constraint: that on the version.
  return absl::IsFailedPrecondition(inserted) ? NoSuchVersion(key) : inserted;
}

absl::Status SqliteTrainingStore::RollBack(const VersionKey& from) {
  absl::MutexLock lock(&database_->mutex);
  absl::StatusOr<int64_t> serving = ServingVersion(from.policy_id);
  if (!serving.ok()) return serving.status();
  if (*serving == 0) return NoSuchVersion({from.policy_id, 0});
  if (*serving != from.version) return absl::OkStatus();
  absl::StatusOr<SqliteStatement> withdraw = database_->connection.Prepare(
      "DELETE FROM dqn_promotions WHERE policy_id = ?1"
      " AND sequence = (SELECT max(sequence) FROM dqn_promotions"
      " WHERE policy_id = ?1)"
      " AND 1 < (SELECT count(*) FROM dqn_promotions WHERE policy_id = ?1)");
  if (!withdraw.ok()) return withdraw.status();
  withdraw->BindText(1, from.policy_id);
  if (absl::Status done = withdraw->Step().status(); !done.ok()) return done;
  if (database_->connection.changes() > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "no version of policy '", from.policy_id, "' served before version ",
      from.version, "; promote the one that is to serve"));
}

}  // namespace stowage
