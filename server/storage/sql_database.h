// Says what the stores need of a database, SQLite's or PostgreSQL's.
//
//   absl::StatusOr<std::shared_ptr<SqlDatabase>> database =
//       OpenDatabase("postgresql://stowage@db.example/stowage");
//   absl::StatusOr<SqlResult> found =
//       (*database)->Run("SELECT count(*) FROM graphs");
//   absl::Status both = (*database)->Transact([&](SqlConnection& connection) {
//     return connection.Run("DELETE FROM plans").status();
//   });
#ifndef STOWAGE_SERVER_STORAGE_SQL_DATABASE_H_
#define STOWAGE_SERVER_STORAGE_SQL_DATABASE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/storage/sql.h"

namespace stowage {

// Thread-safe. Calls block on the database; sql.h lists their errors. What a
// call has written when it returns OK survives a crash and a power failure.
class SqlDatabase {
 public:
  using Transaction = absl::FunctionRef<absl::Status(SqlConnection&)>;

  virtual ~SqlDatabase() = default;

  // Runs a statement in a transaction of its own.
  virtual absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                        const SqlParameters& parameters) = 0;
  absl::StatusOr<SqlResult> Run(absl::string_view sql) { return Run(sql, {}); }

  // Runs `body` in a transaction, which is undone if it fails. All of them take
  // turns, those of other replicas included; Run() does not wait for them.
  virtual absl::Status Transact(Transaction body) = 0;

  // Returns the SQL of the database's own time, in milliseconds since 1970. The
  // clocks of replicas may differ.
  virtual absl::string_view now_ms() const = 0;

  // Returns whether other services may use the database at the same time.
  virtual bool is_shared() const = 0;

  // Returns things that the operator of the service should know.
  virtual const std::vector<std::string>& warnings() const = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SQL_DATABASE_H_
