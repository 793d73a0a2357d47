// The connection that the stores of one SQLite file share.
//
//   absl::StatusOr<std::shared_ptr<SharedDatabase>> database =
//       OpenDatabase("/var/lib/stowage/stowaged.db");
//   SqliteGraphStore graphs(*database);
//   SqliteTrainingStore trainings(*database);
#ifndef STOWAGE_SERVER_GRAPHS_DATABASE_H_
#define STOWAGE_SERVER_GRAPHS_DATABASE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/graphs/sqlite.h"

namespace stowage {

// Users take turns by its mutex.
struct SharedDatabase {
  explicit SharedDatabase(SqliteDatabase open) : connection(std::move(open)) {}

  absl::Mutex mutex;
  SqliteDatabase connection ABSL_GUARDED_BY(mutex);
};

// Opens or creates the database and brings its schema up to date. ":memory:"
// keeps everything in memory. Errors name the path.
absl::StatusOr<std::shared_ptr<SharedDatabase>> OpenDatabase(
    const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_DATABASE_H_
