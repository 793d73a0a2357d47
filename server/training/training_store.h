// Stores trainings and the versions that they make.
//
//   SqliteTrainingStore store(database);
//   absl::StatusOr<AddedTraining> added = store.AddTraining(request, training);
//   absl::StatusOr<v1::PolicyVersion> version = store.AddVersion(new_version);
//   absl::Status promoted = store.Promote({version->policy_id(), 1});
//
// Implementations are thread-safe; calls block on the database. Every method
// may fail with UNAVAILABLE (the database cannot be reached or written; try
// again) or DATA_LOSS (what is stored is damaged). Trainings and versions are
// deleted with their graph.
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

class TrainingStore {
 public:
  virtual ~TrainingStore() = default;

  // Adds a training and sets its `training_id`. If the request_id is known,
  // returns its training as it is. ALREADY_EXISTS: that was another request.
  // NOT_FOUND: the graph is gone.
  virtual absl::StatusOr<AddedTraining> AddTraining(
      const v1::StartTrainingRequest& request, v1::Training training) = 0;

  // Returns the training. NOT_FOUND: no such training.
  virtual absl::StatusOr<v1::Training> GetTraining(int64_t training_id) = 0;
  virtual absl::StatusOr<v1::StartTrainingRequest> GetRequest(
      int64_t training_id) = 0;
  // Returns the last checkpoint; empty: there is none yet.
  virtual absl::StatusOr<std::string> GetCheckpoint(int64_t training_id) = 0;

  // Stores the training again. Does nothing if it is gone.
  virtual absl::Status UpdateTraining(const v1::Training& training) = 0;
  virtual absl::Status PutCheckpoint(int64_t training_id,
                                     absl::string_view checkpoint) = 0;

  // Returns up to `limit` trainings older than `before`, newest first; an empty
  // `graph_id` means every graph.
  virtual absl::StatusOr<std::vector<v1::Training>> ListTrainings(
      absl::string_view graph_id, std::optional<int64_t> before, int limit) = 0;

  // Returns the trainings that are queued or run, oldest first.
  virtual absl::StatusOr<std::vector<v1::Training>> ListUnfinished() = 0;

  // Adds the version under the next number of its policy. NOT_FOUND: the graph
  // is gone.
  virtual absl::StatusOr<v1::PolicyVersion> AddVersion(DqnVersion version) = 0;

  // Returns up to `limit` versions after `after`, by policy and number; an
  // empty `graph_id` means every graph.
  virtual absl::StatusOr<std::vector<v1::PolicyVersion>> ListVersions(
      absl::string_view graph_id, const VersionKey& after, int limit) = 0;

  // Returns the version; version 0 is the one that serves. NOT_FOUND: no such
  // version.
  virtual absl::StatusOr<DqnVersion> GetVersion(const VersionKey& key) = 0;

  // Returns the versions that serve for this graph, the last promoted one
  // first.
  virtual absl::StatusOr<std::vector<DqnVersion>> ListServing(
      absl::string_view graph_id) = 0;

  // Lets the version serve. NOT_FOUND: no such version.
  virtual absl::Status Promote(const VersionKey& key) = 0;

  // Lets the version serve that served before `from` was promoted. Changes
  // nothing if another one than `from` serves. NOT_FOUND: no version of the
  // policy serves. FAILED_PRECONDITION: none served before.
  virtual absl::Status RollBack(const VersionKey& from) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_STORE_H_
