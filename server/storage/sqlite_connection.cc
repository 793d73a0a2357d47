#include "server/storage/sqlite_connection.h"

#include <sqlite3.h>

#include <atomic>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/storage/sqlite_status.h"
#include "timing/bell.h"

namespace stowage {
namespace {

constexpr int kBusyTimeoutMs = 5000;

// Binds a parameter's value; returns SQLite's code.
struct Binder {
  sqlite3_stmt* statement;
  int index;

  int operator()(int64_t number) const {
    return sqlite3_bind_int64(statement, index, number);
  }
  int operator()(absl::string_view text) const {
    // A null pointer would bind NULL instead of the empty text.
    const char* data = text.empty() ? "" : text.data();
    return sqlite3_bind_text64(statement, index, data, text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(SqlBlob blob) const {
    const char* data = blob.bytes.empty() ? "" : blob.bytes.data();
    return sqlite3_bind_blob64(statement, index, data, blob.bytes.size(),
                               SQLITE_STATIC);
  }
};

absl::Status Bind(const SqlParameters& parameters, sqlite3_stmt* statement) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    // To SQLite $1 is a name, which may stand in any place.
    const int index = sqlite3_bind_parameter_index(
        statement, absl::StrCat("$", i + 1).c_str());
    const int code =
        std::visit(Binder{statement, index}, parameters[i].value());
    if (code != SQLITE_OK) return SqliteStatus(code, sqlite3_errstr(code));
  }
  return absl::OkStatus();
}

SqlRow::Cell CellOf(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) {
    return sqlite3_column_int64(statement, column);
  }
  const void* data = sqlite3_column_blob(statement, column);
  const int size_bytes = sqlite3_column_bytes(statement, column);
  return std::string(static_cast<const char*>(data),
                     static_cast<size_t>(size_bytes));
}

SqlRow RowOf(sqlite3_stmt* statement) {
  std::vector<SqlRow::Cell> cells;
  const int columns = sqlite3_column_count(statement);
  cells.reserve(columns);
  for (int i = 0; i < columns; ++i) cells.push_back(CellOf(statement, i));
  return SqlRow(std::move(cells));
}

}  // namespace

void SqliteConnection::Closer::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

void SqliteConnection::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteConnection::SqliteConnection(sqlite3* database) : database_(database) {}

absl::StatusOr<std::unique_ptr<SqliteConnection>> SqliteConnection::Open(
    const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                   /*zVfs=*/nullptr);
  // A failed open must be closed, too.
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(handle));
  if (code != SQLITE_OK) return SqliteStatus(code, sqlite3_errstr(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  absl::Status configured = connection->RunScript(
      // With FULL each commit waits for the disk. With NORMAL only checkpoints
      // would wait, and a power failure would lose what came after the last
      // one.
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "PRAGMA foreign_keys = ON;");
  if (!configured.ok()) return configured;
  return connection;
}

absl::StatusOr<bool> SqliteConnection::LookForDamage(absl::Duration time) {
  Bell ended;
  std::atomic<bool> interrupted = false;
  std::thread clock([&, database = database_.get()] {
    if (ended.AwaitFor(time)) return;
    interrupted = true;
    sqlite3_interrupt(database);
  });
  const absl::StatusOr<SqlResult> check = Run("PRAGMA quick_check(1)");
  ended.Ring();
  clock.join();
  // An interrupted check may report what it has not reached.
  if (interrupted) return false;
  if (!check.ok()) return check.status();
  const absl::string_view found = check->rows[0].Text(0);
  if (found == "ok") return true;
  return SqliteStatus(
      SQLITE_CORRUPT,
      absl::StrCat("it is damaged: ",
                   absl::StripPrefix(found, "*** in database main ***\n")));
}

absl::StatusOr<SqliteConnection::Statement> SqliteConnection::Prepare(
    absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &statement,
                                      /*pzTail=*/nullptr);
  if (code != SQLITE_OK) return SqliteFailure(database_.get(), code);
  return Statement(statement);
}

absl::StatusOr<SqlResult> SqliteConnection::Run(
    absl::string_view sql, const SqlParameters& parameters) {
  absl::StatusOr<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  if (absl::Status bound = Bind(parameters, statement->get()); !bound.ok()) {
    return bound;
  }
  SqlResult result;
  for (;;) {
    const int code = sqlite3_step(statement->get());
    if (code == SQLITE_ROW) {
      result.rows.push_back(RowOf(statement->get()));
      continue;
    }
    if (code != SQLITE_DONE) return SqliteFailure(database_.get(), code);
    result.changed = sqlite3_changes64(database_.get());
    return result;
  }
}

absl::Status SqliteConnection::RunScript(const std::string& sql) {
  const int code =
      sqlite3_exec(database_.get(), sql.c_str(), /*callback=*/nullptr,
                   /*callback argument=*/nullptr, /*errmsg=*/nullptr);
  return code == SQLITE_OK ? absl::OkStatus()
                           : SqliteFailure(database_.get(), code);
}

}  // namespace stowage
