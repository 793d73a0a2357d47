#include "server/training/training_store.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "server/storage/stored_message.h"

namespace stowage {
namespace {

// An expression: whether row v of dqn_versions serves.
constexpr absl::string_view kServes =
    "(v.version IS NOT DISTINCT FROM (SELECT p.version FROM dqn_promotions p"
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

absl::Status NoLongerHolds(const TrainingClaim& claim) {
  return absl::AbortedError(absl::StrCat(
      "training ", claim.training_id, " is no longer that of '", claim.holder,
      "': another replica goes on with it, or it was deleted"));
}

// Returns the status of an insertion. A valid one can fail by one constraint
// alone: that on the graph.
absl::Status InsertionStatus(const absl::Status& status,
                             absl::string_view graph_id) {
  return absl::IsFailedPrecondition(status) ? NoSuchGraph(graph_id) : status;
}

// Returns the version in a row with the columns info and whether it serves.
absl::StatusOr<v1::PolicyVersion> InfoFromRow(const SqlRow& row) {
  absl::StatusOr<v1::PolicyVersion> info =
      ParseStored<v1::PolicyVersion>(row.Text(0));
  if (info.ok()) info->set_serving(row.Int(1) != 0);
  return info;
}

// Returns the version in a row with the columns info, whether it serves,
// system, system digest and policy.
absl::StatusOr<DqnVersion> VersionFromRow(const SqlRow& row) {
  absl::StatusOr<v1::PolicyVersion> info = InfoFromRow(row);
  if (!info.ok()) return info.status();
  absl::StatusOr<v1::MemorySystem> system =
      ParseStored<v1::MemorySystem>(row.Text(2));
  if (!system.ok()) return system.status();
  return DqnVersion{.info = *std::move(info),
                    .system = *std::move(system),
                    .system_digest = std::string(row.Text(3)),
                    .policy = std::string(row.Text(4))};
}

// Returns the number in the only column of the only row; 0 if there is none.
absl::StatusOr<int64_t> ReadInt(const absl::StatusOr<SqlResult>& result) {
  if (!result.ok()) return result.status();
  return result->rows.empty() ? 0 : result->rows[0].Int(0);
}

// Returns the training of an earlier request with this id; nothing if there was
// none. ALREADY_EXISTS: it asked for something else.
absl::StatusOr<std::optional<v1::Training>> FindRequest(
    const std::string& request_id, absl::string_view request,
    SqlConnection& connection) {
  const absl::StatusOr<SqlResult> found = connection.Run(
      "SELECT training, request FROM trainings WHERE request_id = $1",
      {request_id});
  if (!found.ok()) return found.status();
  if (found->rows.empty()) return std::optional<v1::Training>();
  if (found->rows[0].Text(1) != request) {
    return absl::AlreadyExistsError(
        absl::StrCat("request_id '", request_id,
                     "' was used for another training; choose another"));
  }
  return ParseStored<v1::Training>(found->rows[0].Text(0));
}

absl::Status InsertTraining(const v1::StartTrainingRequest& request,
                            absl::string_view request_bytes,
                            v1::Training* training, SqlConnection& connection) {
  const absl::StatusOr<int64_t> number = ReadInt(connection.Run(
      "UPDATE counters SET value = value + 1 WHERE name = 'trainings'"
      " RETURNING value"));
  if (!number.ok()) return number.status();
  training->set_training_id(*number);
  const std::string bytes = training->SerializeAsString();
  return InsertionStatus(
      connection
          .Run("INSERT INTO trainings (training_id, request_id, graph_id,"
               " state, request, training, checkpoint)"
               " VALUES ($1, $2, $3, $4, $5, $6, $7)",
               {training->training_id(), request.request_id(),
                training->graph_id(), training->state(), SqlBlob{request_bytes},
                SqlBlob{bytes}, SqlBlob{""}})
          .status(),
      training->graph_id());
}

// Returns the number of the version that serves; 0: none.
absl::StatusOr<int64_t> ServingVersion(absl::string_view policy_id,
                                       SqlConnection& connection) {
  return ReadInt(
      connection.Run("SELECT version FROM dqn_promotions WHERE policy_id = $1"
                     " ORDER BY sequence DESC LIMIT 1",
                     {policy_id}));
}

absl::Status InsertPromotion(const VersionKey& key, SqlConnection& connection) {
  return connection
      .Run("INSERT INTO dqn_promotions (policy_id, version) VALUES ($1, $2)",
           {key.policy_id, key.version})
      .status();
}

absl::Status InsertVersion(const TrainingClaim& claim,
                           const DqnVersion& version,
                           SqlConnection& connection) {
  const v1::PolicyVersion& info = version.info;
  const std::string info_bytes = info.SerializeAsString();
  const std::string system_bytes = version.system.SerializeAsString();
  return InsertionStatus(
      connection
          .Run("INSERT INTO dqn_versions (policy_id, version, graph_id,"
               " system_digest, fast_limit_bytes, info, system, policy,"
               " training_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
               {info.policy_id(), info.version(), info.graph_id(),
                version.system_digest, info.fast_limit_bytes(),
                SqlBlob{info_bytes}, SqlBlob{system_bytes},
                SqlBlob{version.policy}, claim.training_id})
          .status(),
      info.graph_id());
}

// Checks that the claim holds and that its training has made no version.
absl::Status CheckMayAdd(const TrainingClaim& claim,
                         SqlConnection& connection) {
  const absl::StatusOr<SqlResult> held = connection.Run(
      "SELECT (SELECT count(*) FROM dqn_versions v"
      " WHERE v.training_id = t.training_id)"
      " FROM trainings t WHERE t.training_id = $1 AND t.holder = $2",
      {claim.training_id, claim.holder});
  if (!held.ok()) return held.status();
  if (held->rows.empty()) return NoLongerHolds(claim);
  if (held->rows[0].Int(0) == 0) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("training ", claim.training_id, " has made a version"));
}

}  // namespace

bool HasEnded(const v1::Training& training) {
  return training.state() != v1::TRAINING_STATE_QUEUED &&
         training.state() != v1::TRAINING_STATE_RUNNING;
}

absl::StatusOr<AddedTraining> TrainingStore::AddTraining(
    const v1::StartTrainingRequest& request, v1::Training training) {
  const std::string request_bytes = request.SerializeAsString();
  AddedTraining added;
  absl::Status status = database_->Transact([&](SqlConnection& connection) {
    absl::StatusOr<std::optional<v1::Training>> known =
        FindRequest(request.request_id(), request_bytes, connection);
    if (!known.ok()) return known.status();
    added.created = !known->has_value();
    added.training = added.created ? training : **std::move(known);
    if (!added.created) return absl::OkStatus();
    return InsertTraining(request, request_bytes, &added.training, connection);
  });
  if (!status.ok()) return status;
  return added;
}

absl::StatusOr<std::string> TrainingStore::ReadColumn(absl::string_view column,
                                                      int64_t training_id) {
  absl::StatusOr<SqlResult> found = database_->Run(
      absl::StrCat("SELECT ", column, " FROM trainings WHERE training_id = $1"),
      {training_id});
  if (!found.ok()) return found.status();
  if (found->rows.empty()) return NoSuchTraining(training_id);
  return found->rows[0].TakeText(0);
}

absl::StatusOr<v1::Training> TrainingStore::GetTraining(int64_t training_id) {
  const absl::StatusOr<std::string> bytes = ReadColumn("training", training_id);
  if (!bytes.ok()) return bytes.status();
  return ParseStored<v1::Training>(*bytes);
}

absl::StatusOr<v1::StartTrainingRequest> TrainingStore::GetRequest(
    int64_t training_id) {
  const absl::StatusOr<std::string> bytes = ReadColumn("request", training_id);
  if (!bytes.ok()) return bytes.status();
  return ParseStored<v1::StartTrainingRequest>(*bytes);
}

absl::StatusOr<std::string> TrainingStore::GetCheckpoint(int64_t training_id) {
  return ReadColumn("checkpoint", training_id);
}

absl::StatusOr<std::vector<v1::Training>> TrainingStore::ListTrainings(
    absl::string_view graph_id, std::optional<int64_t> before, int limit) {
  return FromRows(
      database_->Run("SELECT training FROM trainings"
                     " WHERE training_id < $1 AND ($2 = '' OR graph_id = $2)"
                     " ORDER BY training_id DESC LIMIT $3",
                     {before.value_or(std::numeric_limits<int64_t>::max()),
                      graph_id, limit}),
      &MessageFromRow<v1::Training>);
}

absl::StatusOr<int64_t> TrainingStore::CountQueued() {
  return ReadInt(
      database_->Run("SELECT count(*) FROM trainings WHERE state = $1",
                     {v1::TRAINING_STATE_QUEUED}));
}

absl::StatusOr<std::optional<ClaimedTraining>> TrainingStore::Claim(
    absl::string_view holder, absl::Duration lease) {
  absl::StatusOr<SqlResult> found(SqlResult{});
  absl::Status status = database_->Transact([&](SqlConnection& connection) {
    found = connection.Run(
        absl::StrCat("SELECT training_id, training, request, checkpoint"
                     " FROM trainings WHERE state IN ($1, $2)"
                     " AND (holder = '' OR lease_ends_ms < ",
                     database_->now_ms(), ") ORDER BY training_id LIMIT 1"),
        {v1::TRAINING_STATE_QUEUED, v1::TRAINING_STATE_RUNNING});
    if (!found.ok() || found->rows.empty()) return found.status();
    return connection
        .Run(absl::StrCat("UPDATE trainings SET holder = $2,"
                          " lease_ends_ms = $3 + ",
                          database_->now_ms(), " WHERE training_id = $1"),
             {found->rows[0].Int(0), holder, absl::ToInt64Milliseconds(lease)})
        .status();
  });
  if (!status.ok()) return status;
  if (found->rows.empty()) return std::optional<ClaimedTraining>();
  SqlRow& row = found->rows[0];
  absl::StatusOr<v1::Training> training =
      ParseStored<v1::Training>(row.Text(1));
  if (!training.ok()) return training.status();
  absl::StatusOr<v1::StartTrainingRequest> request =
      ParseStored<v1::StartTrainingRequest>(row.Text(2));
  if (!request.ok()) return request.status();
  return ClaimedTraining{*std::move(training), *std::move(request),
                         row.TakeText(3)};
}

absl::StatusOr<Lease> TrainingStore::Renew(const TrainingClaim& claim,
                                           absl::Duration lease) {
  const absl::StatusOr<SqlResult> renewed = database_->Run(
      absl::StrCat("UPDATE trainings SET lease_ends_ms = $3 + ",
                   database_->now_ms(),
                   " WHERE training_id = $1 AND holder = $2"
                   " RETURNING cancelled"),
      {claim.training_id, claim.holder, absl::ToInt64Milliseconds(lease)});
  if (!renewed.ok()) return renewed.status();
  if (renewed->rows.empty()) return Lease::kLost;
  return renewed->rows[0].Int(0) == 0 ? Lease::kHeld : Lease::kCancelled;
}

absl::Status TrainingStore::Release(const TrainingClaim& claim) {
  return database_
      ->Run(
          "UPDATE trainings SET holder = '' WHERE training_id = $1"
          " AND holder = $2",
          {claim.training_id, claim.holder})
      .status();
}

absl::Status TrainingStore::ReleaseAll() {
  return database_->Run("UPDATE trainings SET holder = '' WHERE holder <> ''")
      .status();
}

absl::Status TrainingStore::UpdateTraining(const TrainingClaim& claim,
                                           const v1::Training& training) {
  const std::string bytes = training.SerializeAsString();
  const absl::StatusOr<SqlResult> updated = database_->Run(
      "UPDATE trainings SET state = $3, training = $4"
      " WHERE training_id = $1 AND holder = $2",
      {claim.training_id, claim.holder, training.state(), SqlBlob{bytes}});
  if (!updated.ok()) return updated.status();
  return updated->changed == 0 ? NoLongerHolds(claim) : absl::OkStatus();
}

absl::Status TrainingStore::PutCheckpoint(const TrainingClaim& claim,
                                          absl::string_view checkpoint) {
  const absl::StatusOr<SqlResult> updated = database_->Run(
      "UPDATE trainings SET checkpoint = $3"
      " WHERE training_id = $1 AND holder = $2",
      {claim.training_id, claim.holder, SqlBlob{checkpoint}});
  if (!updated.ok()) return updated.status();
  return updated->changed == 0 ? NoLongerHolds(claim) : absl::OkStatus();
}

absl::StatusOr<v1::Training> TrainingStore::Cancel(
    int64_t training_id, absl::FunctionRef<void(v1::Training*)> end) {
  absl::StatusOr<v1::Training> training(NoSuchTraining(training_id));
  absl::Status status = database_->Transact([&](SqlConnection& connection) {
    const absl::StatusOr<SqlResult> found = connection.Run(
        absl::StrCat("SELECT training, holder <> '' AND lease_ends_ms >= ",
                     database_->now_ms(),
                     " FROM trainings WHERE training_id = $1"),
        {training_id});
    if (!found.ok()) return found.status();
    if (found->rows.empty()) return training.status();
    training = ParseStored<v1::Training>(found->rows[0].Text(0));
    if (!training.ok() || HasEnded(*training)) return training.status();
    if (found->rows[0].Int(1) == 0) end(&*training);
    const std::string bytes = training->SerializeAsString();
    return connection
        .Run(
            "UPDATE trainings SET cancelled = 1, state = $2, training = $3"
            " WHERE training_id = $1",
            {training_id, training->state(), SqlBlob{bytes}})
        .status();
  });
  if (!status.ok()) return status;
  return training;
}

absl::StatusOr<std::optional<v1::PolicyVersion>> TrainingStore::FindVersionOf(
    int64_t training_id) {
  const absl::StatusOr<SqlResult> found = database_->Run(
      absl::StrCat("SELECT v.info, ", kServes,
                   " FROM dqn_versions v WHERE v.training_id = $1"),
      {training_id});
  if (!found.ok()) return found.status();
  if (found->rows.empty()) return std::optional<v1::PolicyVersion>();
  return InfoFromRow(found->rows[0]);
}

absl::StatusOr<v1::PolicyVersion> TrainingStore::AddVersion(
    const TrainingClaim& claim, DqnVersion version, int64_t serving,
    bool promote) {
  v1::PolicyVersion& info = version.info;
  info.clear_serving();
  absl::Status status = database_->Transact([&](SqlConnection& connection) {
    if (absl::Status may = CheckMayAdd(claim, connection); !may.ok()) {
      return may;
    }
    const absl::StatusOr<int64_t> now_serving =
        ServingVersion(info.policy_id(), connection);
    if (!now_serving.ok()) return now_serving.status();
    if (*now_serving != serving) {
      return absl::AbortedError(absl::StrCat("version ", *now_serving,
                                             " of policy '", info.policy_id(),
                                             "' serves now, not ", serving));
    }
    const absl::StatusOr<int64_t> newest = ReadInt(
        connection.Run("SELECT coalesce(max(version), 0) FROM dqn_versions"
                       " WHERE policy_id = $1",
                       {info.policy_id()}));
    if (!newest.ok()) return newest.status();
    info.set_version(*newest + 1);
    if (absl::Status added = InsertVersion(claim, version, connection);
        !added.ok() || !promote) {
      return added;
    }
    return InsertPromotion({info.policy_id(), info.version()}, connection);
  });
  if (!status.ok()) return status;
  info.set_serving(promote);
  return std::move(info);
}

absl::StatusOr<int64_t> TrainingStore::CountVersions() {
  return ReadInt(database_->Run("SELECT count(*) FROM dqn_versions", {}));
}

absl::StatusOr<std::vector<v1::PolicyVersion>> TrainingStore::ListVersions(
    absl::string_view graph_id, const VersionKey& after, int limit) {
  return FromRows(
      database_->Run(absl::StrCat("SELECT v.info, ", kServes,
                                  " FROM dqn_versions v"
                                  " WHERE (v.policy_id, v.version) > ($1, $2)"
                                  " AND ($3 = '' OR v.graph_id = $3)"
                                  " ORDER BY v.policy_id, v.version LIMIT $4"),
                     {after.policy_id, after.version, graph_id, limit}),
      &InfoFromRow);
}

absl::StatusOr<DqnVersion> TrainingStore::GetVersion(const VersionKey& key) {
  const absl::StatusOr<SqlResult> found =
      database_->Run(absl::StrCat("SELECT v.info, ", kServes,
                                  ", v.system, v.system_digest, v.policy"
                                  " FROM dqn_versions v WHERE v.policy_id = $1"
                                  " AND (v.version = $2 OR ($2 = 0 AND ",
                                  kServes, "))"),
                     {key.policy_id, key.version});
  if (!found.ok()) return found.status();
  if (found->rows.empty()) return NoSuchVersion(key);
  return VersionFromRow(found->rows[0]);
}

absl::StatusOr<std::vector<DqnVersion>> TrainingStore::ListServing(
    absl::string_view graph_id) {
  return FromRows(
      database_->Run(
          absl::StrCat("SELECT v.info, ", kServes,
                       ", v.system, v.system_digest, v.policy"
                       " FROM dqn_versions v WHERE v.graph_id = $1 AND ",
                       kServes,
                       " ORDER BY (SELECT max(p.sequence)"
                       " FROM dqn_promotions p"
                       " WHERE p.policy_id = v.policy_id) DESC"),
          {graph_id}),
      &VersionFromRow);
}

absl::Status TrainingStore::Promote(const VersionKey& key) {
  absl::Status promoted = database_->Transact([&](SqlConnection& connection) {
    const absl::StatusOr<int64_t> serving =
        ServingVersion(key.policy_id, connection);
    if (!serving.ok()) return serving.status();
    const bool serves = *serving == key.version && key.version != 0;
    return serves ? absl::OkStatus() : InsertPromotion(key, connection);
  });
  // There is one constraint: that on the version.
  return absl::IsFailedPrecondition(promoted) ? NoSuchVersion(key) : promoted;
}

absl::Status TrainingStore::RollBack(const VersionKey& from) {
  return database_->Transact([&](SqlConnection& connection) {
    const absl::StatusOr<int64_t> serving =
        ServingVersion(from.policy_id, connection);
    if (!serving.ok()) return serving.status();
    if (*serving == 0) return NoSuchVersion({from.policy_id, 0});
    if (*serving != from.version) return absl::OkStatus();
    const absl::StatusOr<SqlResult> withdrawn = connection.Run(
        "DELETE FROM dqn_promotions WHERE policy_id = $1"
        " AND sequence = (SELECT max(sequence) FROM dqn_promotions"
        " WHERE policy_id = $1)"
        " AND 1 < (SELECT count(*) FROM dqn_promotions WHERE policy_id = $1)",
        {from.policy_id});
    if (!withdrawn.ok()) return withdrawn.status();
    if (withdrawn->changed > 0) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        "no version of policy '", from.policy_id, "' served before version ",
        from.version, "; promote the one that is to serve"));
  });
}

}  // namespace stowage
