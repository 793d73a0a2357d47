// Opens the connection that the stores of one SQLite file share.
//
//   absl::StatusOr<std::shared_ptr<SharedDatabase>> database =
//       OpenDatabase("/var/lib/stowage/stowaged.db");
//   for (const std::string& warning : (*database)->warnings) Tell(warning);
//   SqliteGraphStore graphs(*database);
//   SqliteTrainingStore trainings(*database);
#ifndef STOWAGE_SERVER_GRAPHS_DATABASE_H_
#define STOWAGE_SERVER_GRAPHS_DATABASE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/graphs/database_file.h"
#include "server/graphs/sqlite.h"

namespace stowage {

// A database whose users take turns by its mutex.
struct SharedDatabase {
  SharedDatabase(DatabaseFile claimed, SqliteDatabase open,
                 std::vector<std::string> notes)
      : file(std::move(claimed)),
        connection(std::move(open)),
        warnings(std::move(notes)) {}

  const DatabaseFile file;
  absl::Mutex mutex;
  SqliteDatabase connection ABSL_GUARDED_BY(mutex);
  // Things that the operator of the service should know.
  const std::vector<std::string> warnings;
};

struct DatabaseOptions {
  // How long to look for damage. SQLite checks the other pages of a large
  // database when it reads them.
  absl::Duration check_time = absl::Seconds(1);
};

// Opens or creates the database for this process alone, looks for damage and
// brings the schema up to date. ":memory:" keeps everything in memory. Errors
// are those of DatabaseFile, SqliteDatabase and MigrateSchema(), with the path
// and the remedy.
absl::StatusOr<std::shared_ptr<SharedDatabase>> OpenDatabase(
    const std::string& path, const DatabaseOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_DATABASE_H_
