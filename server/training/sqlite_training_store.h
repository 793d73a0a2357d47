// Implements TrainingStore in tables beside the graphs in one SQLite file.
//
//   absl::StatusOr<std::shared_ptr<SharedDatabase>> database =
//       OpenDatabase(":memory:");
//   SqliteTrainingStore store(*database);
#ifndef STOWAGE_SERVER_TRAINING_SQLITE_TRAINING_STORE_H_
#define STOWAGE_SERVER_TRAINING_SQLITE_TRAINING_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "server/graphs/database.h"
#include "server/training/training_store.h"

namespace stowage {

// Thread-safe: calls take turns on the shared connection.
class SqliteTrainingStore final : public TrainingStore {
 public:
  explicit SqliteTrainingStore(std::shared_ptr<SharedDatabase> database);

  absl::StatusOr<AddedTraining> AddTraining(
      const v1::StartTrainingRequest& request, v1::Training training) override;
  absl::StatusOr<v1::Training> GetTraining(int64_t training_id) override;
  absl::StatusOr<v1::StartTrainingRequest> GetRequest(
      int64_t training_id) override;
  absl::StatusOr<std::string> GetCheckpoint(int64_t training_id) override;
  absl::Status UpdateTraining(const v1::Training& training) override;
  absl::Status PutCheckpoint(int64_t training_id,
                             absl::string_view checkpoint) override;
  absl::StatusOr<std::vector<v1::Training>> ListTrainings(
      absl::string_view graph_id, std::optional<int64_t> before,
      int limit) override;
  absl::StatusOr<std::vector<v1::Training>> ListUnfinished() override;
  absl::StatusOr<v1::PolicyVersion> AddVersion(DqnVersion version) override;
  absl::StatusOr<std::vector<v1::PolicyVersion>> ListVersions(
      absl::string_view graph_id, const VersionKey& after, int limit) override;
  absl::StatusOr<DqnVersion> GetVersion(const VersionKey& key) override;
  absl::StatusOr<std::vector<DqnVersion>> ListServing(
      absl::string_view graph_id) override;
  absl::Status Promote(const VersionKey& key) override;
  absl::Status RollBack(const VersionKey& from) override;

 private:
  absl::StatusOr<std::optional<v1::Training>> FindRequest(
      const std::string& request_id, absl::string_view request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(database_->mutex);
  // Returns a column of the table trainings. NOT_FOUND: no such row.
  absl::StatusOr<std::string> ReadColumn(absl::string_view column,
                                         int64_t training_id)
      ABSL_LOCKS_EXCLUDED(database_->mutex);
  // Returns the number of the version that serves; 0: none.
  absl::StatusOr<int64_t> ServingVersion(absl::string_view policy_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(database_->mutex);

  const std::shared_ptr<SharedDatabase> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_SQLITE_TRAINING_STORE_H_
