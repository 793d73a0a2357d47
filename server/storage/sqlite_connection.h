// Connects to an SQLite file.
//
//   absl::StatusOr<std::unique_ptr<SqliteConnection>> connection =
//       SqliteConnection::Open("a.db");
//   absl::StatusOr<SqlResult> graphs =
//       (*connection)->Run("SELECT count(*) FROM graphs");
//
// A connection that has met damage still reads but no longer writes: its writes
// might be lost with the pages that lead to them, or overwrite pages that are
// whole. They fail with DATA_LOSS and the remedy.
#ifndef STOWAGE_SERVER_STORAGE_SQLITE_CONNECTION_H_
#define STOWAGE_SERVER_STORAGE_SQLITE_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/storage/sql.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stowage {

// Not thread-safe.
class SqliteConnection final : public SqlConnection {
 public:
  // Opens or creates the file; ":memory:" is a private database in memory.
  // Turns on foreign keys and write-ahead logging. A committed transaction is
  // on the disk and survives a power failure.
  static absl::StatusOr<std::unique_ptr<SqliteConnection>> Open(
      const std::string& path);

  // Looks for damage in all pages and rows, for at most `time`. Returns whether
  // it has checked all of them. DATA_LOSS says what is damaged. Blocks.
  absl::StatusOr<bool> LookForDamage(absl::Duration time);

  using SqlConnection::Run;
  absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                const SqlParameters& parameters) override;
  absl::Status RunScript(const std::string& sql) override;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

  explicit SqliteConnection(sqlite3* database);

  absl::StatusOr<Statement> Prepare(absl::string_view sql);

  std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SQLITE_CONNECTION_H_
