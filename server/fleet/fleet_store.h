// Stores what is known of nodes and jobs.
//
//   FleetStore store(database);
//   absl::Status put = store.Put({.nodes = {node}, .jobs = {job}});
//   FleetCursor cursor;
//   absl::StatusOr<FleetNews> news = store.ReadSince(&cursor);
#ifndef STOWAGE_SERVER_FLEET_FLEET_STORE_H_
#define STOWAGE_SERVER_FLEET_FLEET_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/sql_database.h"
#include "stowage/v1/fleet_state.pb.h"

namespace stowage {

// What has changed.
struct FleetNews {
  std::vector<v1::StoredNode> nodes;
  std::vector<v1::StoredJob> jobs;

  bool empty() const { return nodes.empty() && jobs.empty(); }
};

// Says what a reader has read. One that reads for the first time has it new.
struct FleetCursor {
  int64_t nodes = 0;
  int64_t jobs = 0;
};

// Thread-safe; calls block on the database. Every method may fail with
// UNAVAILABLE or DATA_LOSS.
class FleetStore {
 public:
  explicit FleetStore(std::shared_ptr<SqlDatabase> database)
      : database_(std::move(database)) {}

  // Merges the news with what is stored.
  absl::Status Put(const FleetNews& news);

  // Returns what was put since the cursor, by whomever, and moves the cursor.
  absl::StatusOr<FleetNews> ReadSince(FleetCursor* cursor);

  // Deletes nodes and jobs by their ids.
  absl::Status Forget(const std::vector<std::string>& nodes,
                      const std::vector<std::string>& job_ids);

 private:
  const std::shared_ptr<SqlDatabase> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_FLEET_STORE_H_
