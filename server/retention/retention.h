// Keeps what is stored within bounds: deletes what was used longest ago.
//
//   Retention retention(database, &graphs, bounds, {});
//   retention.Start([&] { return GraphsOfRunningJobs(); });
//   absl::StatusOr<DeletedCounts> deleted = retention.Sweep(in_use);
#ifndef STOWAGE_SERVER_RETENTION_RETENTION_H_
#define STOWAGE_SERVER_RETENTION_RETENTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/graphs/graph_store.h"
#include "server/storage/sql_database.h"
#include "timing/bell.h"

namespace stowage {

// The most that is kept. What belongs to a graph goes with it.
struct RetentionBounds {
  int64_t graphs = 10'000;
  int64_t plans = 100'000;
  // Of graphs and all that belongs to them.
  int64_t size_bytes = int64_t{64} << 30;
  int64_t ended_trainings = 10'000;
  // Of each DQN policy; versions that have served lately stay as well.
  int64_t versions = 20;
};

struct DeletedCounts {
  int64_t graphs = 0;
  int64_t plans = 0;
  int64_t trainings = 0;
  int64_t versions = 0;
};

struct RetentionOptions {
  absl::Duration interval = absl::Minutes(5);
  // The thread calls this after each sweep.
  std::function<void(const DeletedCounts&)> on_deleted = [](const auto&) {};
};

// Thread-safe. Does not own the store, which must outlive it.
class Retention {
 public:
  using GraphIds = std::vector<std::string>;

  Retention(std::shared_ptr<SqlDatabase> database, GraphStore* graphs,
            const RetentionBounds& bounds, RetentionOptions options)
      : database_(std::move(database)),
        graphs_(graphs),
        bounds_(bounds),
        options_(std::move(options)) {}
  // Ends the thread.
  ~Retention();

  // Starts a thread that sweeps now and every interval. `in_use` returns graphs
  // that must stay.
  void Start(std::function<GraphIds()> in_use);

  // Deletes what is beyond the bounds, but graphs that are in use, those with a
  // training that has not ended, and what was used in the last hour. Blocks.
  // UNAVAILABLE, DATA_LOSS: the database cannot be used; some may be deleted.
  absl::StatusOr<DeletedCounts> Sweep(const GraphIds& in_use);

 private:
  absl::StatusOr<int64_t> DeleteGraphs(const GraphIds& in_use);
  absl::StatusOr<int64_t> DeletePlans();
  absl::StatusOr<int64_t> DeleteTrainings();
  absl::StatusOr<int64_t> DeleteVersions();

  const std::shared_ptr<SqlDatabase> database_;
  GraphStore* const graphs_;
  const RetentionBounds bounds_;
  const RetentionOptions options_;
  Bell stopped_;
  std::thread thread_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RETENTION_RETENTION_H_
