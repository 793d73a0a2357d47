// Wraps SQLite's C interface: statuses stand for codes, destructors for close
// and finalize.
//
//   absl::StatusOr<SqliteDatabase> database = SqliteDatabase::Open("a.db");
//   absl::StatusOr<SqliteStatement> query =
//       database->Prepare("SELECT name FROM graphs WHERE graph_id = ?1");
//   query->BindText(1, graph_id);
//   absl::StatusOr<bool> row = query->Step();
//   if (row.ok() && *row) Show(query->ColumnText(0));
//
// Errors: UNAVAILABLE (busy, full, read-only, I/O; try again), DATA_LOSS (the
// file is damaged or no database), RESOURCE_EXHAUSTED (a value is too large),
// FAILED_PRECONDITION (a constraint fails), else INTERNAL.
//
// A connection that has met damage still reads but no longer writes: its writes
// might be lost with the pages that lead to them, or overwrite pages that are
// whole. They fail with DATA_LOSS and the remedy.
#ifndef STOWAGE_SERVER_GRAPHS_SQLITE_H_
#define STOWAGE_SERVER_GRAPHS_SQLITE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stowage {

// A prepared statement. It must not outlive its database. Bound text and blobs
// must live until the last Step(). Not thread-safe.
class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement);

  // These bind parameters, which count from 1. The next Step() reports a bind
  // that failed.
  void BindInt(int parameter, int64_t value);
  void BindText(int parameter, absl::string_view value);
  void BindBlob(int parameter, absl::string_view value);

  // Runs up to the next row and returns whether there is one.
  absl::StatusOr<bool> Step();

  // These return columns, which count from 0. Text and blobs are valid until
  // the next Step().
  int64_t ColumnInt(int column) const;
  std::string ColumnText(int column) const;
  absl::string_view ColumnBlob(int column) const;

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  void NoteBind(int code);

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  int bind_code_ = 0;
};

// A connection. Not thread-safe.
class SqliteDatabase {
 public:
  // Opens or creates the file; ":memory:" is a private database in memory.
  // Turns on foreign keys and write-ahead logging. A committed transaction is
  // on the disk and survives a power failure.
  static absl::StatusOr<SqliteDatabase> Open(const std::string& path);

  // Looks for damage in all pages and rows, for at most `time`. Returns whether
  // it has checked all of them. DATA_LOSS says what is damaged. Blocks.
  absl::StatusOr<bool> LookForDamage(absl::Duration time);

  absl::StatusOr<SqliteStatement> Prepare(absl::string_view sql);

  // Runs statements that return no rows.
  absl::Status Execute(const std::string& sql);

  // Runs a query and returns the number in the first column of its first row.
  absl::StatusOr<int64_t> QueryInt(absl::string_view sql);

  // Returns how many rows the last statement changed.
  int64_t changes() const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };

  explicit SqliteDatabase(sqlite3* database);

  std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SQLITE_H_
