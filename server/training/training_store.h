// Stores trainings, who runs them, and the versions that they make.
//
//   TrainingStore store(database);
//   absl::StatusOr<AddedTraining> added = store.AddTraining(request, training);
//   absl::StatusOr<std::optional<ClaimedTraining>> claimed =
//       store.Claim("host-1", absl::Seconds(15));
//   absl::Status promoted = store.Promote({version.policy_id(), 1});
//
// A training runs where it was claimed. The claim holds while its lease is
// renewed, and until somebody else has claimed the training after it ended: so
// what a holder stores is refused once another has begun.
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/storage/sql_database.h"
#include "stowage/v1/memory_system.pb.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

struct AddedTraining {
  v1::Training training;
  bool created = false;  // false: the request had added it before
};

struct DqnVersion {
  // The store sets `version` when it adds the version, and `serving` always.
  v1::PolicyVersion info;
  v1::MemorySystem system;
  std::string system_digest;  // MemorySystemDigest
  std::string policy;         // EncodeDqnPolicy
};

// A place in the list of versions.
struct VersionKey {
  std::string policy_id;
  int64_t version = 0;
};

// Names a training and the replica that has claimed it.
struct TrainingClaim {
  int64_t training_id = 0;
  std::string holder;
};

struct ClaimedTraining {
  v1::Training training;
  v1::StartTrainingRequest request;
  std::string checkpoint;  // empty: there is none yet
};

enum class Lease {
  kHeld,
  kCancelled,  // held, but somebody wants the training to end
  kLost,       // another replica has claimed the training, or it is gone
};

// Returns whether the training neither waits nor runs.
bool HasEnded(const v1::Training& training);

// Thread-safe; calls block on the database. Every method may fail with
// UNAVAILABLE (the database cannot be reached or written; try again) or
// DATA_LOSS (what is stored is damaged). Those that take a claim fail with
// ABORTED if it no longer holds. Trainings and versions are deleted with their
// graph.
class TrainingStore {
 public:
  explicit TrainingStore(std::shared_ptr<SqlDatabase> database)
      : database_(std::move(database)) {}

  // Adds a training and sets its `training_id`. If the request_id is known,
  // returns its training as it is. ALREADY_EXISTS: that was another request.
  // NOT_FOUND: the graph is gone.
  absl::StatusOr<AddedTraining> AddTraining(
      const v1::StartTrainingRequest& request, v1::Training training);

  // Returns the training. NOT_FOUND: no such training.
  absl::StatusOr<v1::Training> GetTraining(int64_t training_id);
  absl::StatusOr<v1::StartTrainingRequest> GetRequest(int64_t training_id);
  // Returns the last checkpoint; empty: there is none yet.
  absl::StatusOr<std::string> GetCheckpoint(int64_t training_id);

  // Returns up to `limit` trainings older than `before`, newest first; an empty
  // `graph_id` means every graph.
  absl::StatusOr<std::vector<v1::Training>> ListTrainings(
      absl::string_view graph_id, std::optional<int64_t> before, int limit);

  // Returns how many trainings wait for a replica.
  absl::StatusOr<int64_t> CountQueued();

  // Claims the oldest training that has not ended and that nobody holds, for as
  // long as `lease`. Returns nothing if there is none.
  absl::StatusOr<std::optional<ClaimedTraining>> Claim(absl::string_view holder,
                                                       absl::Duration lease);

  // Makes the claim hold for as long as `lease` from now.
  absl::StatusOr<Lease> Renew(const TrainingClaim& claim, absl::Duration lease);

  // Lets others claim the training. Does nothing if the claim no longer holds.
  absl::Status Release(const TrainingClaim& claim);

  // Lets others claim every training. For a database that one service uses: who
  // held one has ended.
  absl::Status ReleaseAll();

  // Stores the training, or its checkpoint, of the claim.
  absl::Status UpdateTraining(const TrainingClaim& claim,
                              const v1::Training& training);
  absl::Status PutCheckpoint(const TrainingClaim& claim,
                             absl::string_view checkpoint);

  // Asks the holder of the training to end it, and returns the training. If
  // nobody holds it, lets `end` change it, and stores that. Does nothing to one
  // that has ended. NOT_FOUND: no such training.
  absl::StatusOr<v1::Training> Cancel(
      int64_t training_id, absl::FunctionRef<void(v1::Training*)> end);

  // Returns the version that the training made; nothing if it has made none.
  absl::StatusOr<std::optional<v1::PolicyVersion>> FindVersionOf(
      int64_t training_id);

  // Adds the version under the next number of its policy, and lets it serve if
  // `promote`, provided that version `serving` serves (0: none), and that the
  // training of the claim has made no other. ABORTED: another one serves, or
  // the claim no longer holds. ALREADY_EXISTS: the training has made one.
  // NOT_FOUND: the graph is gone.
  absl::StatusOr<v1::PolicyVersion> AddVersion(const TrainingClaim& claim,
                                               DqnVersion version,
                                               int64_t serving, bool promote);

  absl::StatusOr<int64_t> CountVersions();

  // Returns up to `limit` versions after `after`, by policy and number; an
  // empty `graph_id` means every graph.
  absl::StatusOr<std::vector<v1::PolicyVersion>> ListVersions(
      absl::string_view graph_id, const VersionKey& after, int limit);

  // Returns the version; version 0 is the one that serves. NOT_FOUND: no such
  // version.
  absl::StatusOr<DqnVersion> GetVersion(const VersionKey& key);

  // Returns the versions that serve for this graph, the last promoted one
  // first.
  absl::StatusOr<std::vector<DqnVersion>> ListServing(
      absl::string_view graph_id);

  // Lets the version serve. NOT_FOUND: no such version.
  absl::Status Promote(const VersionKey& key);

  // Lets the version serve that served before `from` was promoted. Changes
  // nothing if another one than `from` serves. NOT_FOUND: no version of the
  // policy serves. FAILED_PRECONDITION: none served before.
  absl::Status RollBack(const VersionKey& from);

 private:
  // Returns a column of the table trainings. NOT_FOUND: no such row.
  absl::StatusOr<std::string> ReadColumn(absl::string_view column,
                                         int64_t training_id);

  const std::shared_ptr<SqlDatabase> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_
