#include "server/graphs/sqlite.h"

#include <sqlite3.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "server/graphs/sqlite_status.h"
#include "timing/bell.h"

namespace stowage {
namespace {

constexpr int kBusyTimeoutMs = 5000;

}  // namespace

void SqliteStatement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(sqlite3_stmt* statement)
    : statement_(statement) {}

void SqliteStatement::NoteBind(int code) {
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

void SqliteStatement::BindInt(int parameter, int64_t value) {
  NoteBind(sqlite3_bind_int64(statement_.get(), parameter, value));
}

void SqliteStatement::BindText(int parameter, absl::string_view value) {
  // A null pointer would bind NULL instead of the empty text.
  const char* data = value.empty() ? "" : value.data();
  NoteBind(sqlite3_bind_text64(statement_.get(), parameter, data, value.size(),
                               SQLITE_STATIC, SQLITE_UTF8));
}

void SqliteStatement::BindBlob(int parameter, absl::string_view value) {
  NoteBind(sqlite3_bind_blob64(statement_.get(), parameter, value.data(),
                               value.size(), SQLITE_STATIC));
}

absl::StatusOr<bool> SqliteStatement::Step() {
  if (bind_code_ != SQLITE_OK) {
    return SqliteStatus(bind_code_, sqlite3_errstr(bind_code_));
  }
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteFailure(sqlite3_db_handle(statement_.get()), code);
}

int64_t SqliteStatement::ColumnInt(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteStatement::ColumnText(int column) const {
  return std::string(ColumnBlob(column));
}

absl::string_view SqliteStatement::ColumnBlob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size_bytes = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(data), static_cast<size_t>(size_bytes)};
}

void SqliteDatabase::Closer::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

SqliteDatabase::SqliteDatabase(sqlite3* database) : database_(database) {}

absl::StatusOr<SqliteDatabase> SqliteDatabase::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                   /*zVfs=*/nullptr);
  SqliteDatabase database(handle);  // a failed open must be closed, too
  if (code != SQLITE_OK) return SqliteStatus(code, sqlite3_errstr(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  absl::Status configured = database.Execute(
      // With FULL each commit waits for the disk. With NORMAL only checkpoints
      // would wait, and a power failure would lose what came after the last
      // one.
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "PRAGMA foreign_keys = ON;");
  if (!configured.ok()) return configured;
  return database;
}

absl::StatusOr<bool> SqliteDatabase::LookForDamage(absl::Duration time) {
  absl::StatusOr<SqliteStatement> check = Prepare("PRAGMA quick_check(1)");
  if (!check.ok()) return check.status();
  Bell ended;
  std::atomic<bool> interrupted = false;
  std::thread clock([&, database = database_.get()] {
    if (ended.AwaitFor(time)) return;
    interrupted = true;
    sqlite3_interrupt(database);
  });
  const absl::StatusOr<bool> row = check->Step();
  ended.Ring();
  clock.join();
  // An interrupted check may report what it has not reached.
  if (interrupted) return false;
  if (!row.ok()) return row.status();
  const std::string found = check->ColumnText(0);
  if (found == "ok") return true;
  return SqliteStatus(
      SQLITE_CORRUPT,
      absl::StrCat("it is damaged: ",
                   absl::StripPrefix(found, "*** in database main ***\n")));
}

absl::StatusOr<SqliteStatement> SqliteDatabase::Prepare(absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &statement,
                                      /*pzTail=*/nullptr);
  if (code != SQLITE_OK) return SqliteFailure(database_.get(), code);
  return SqliteStatement(statement);
}

absl::Status SqliteDatabase::Execute(const std::string& sql) {
  const int code =
      sqlite3_exec(database_.get(), sql.c_str(), /*callback=*/nullptr,
                   /*callback argument=*/nullptr, /*errmsg=*/nullptr);
  return code == SQLITE_OK ? absl::OkStatus()
                           : SqliteFailure(database_.get(), code);
}

absl::StatusOr<int64_t> SqliteDatabase::QueryInt(absl::string_view sql) {
  absl::StatusOr<SqliteStatement> query = Prepare(sql);
  if (!query.ok()) return query.status();
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  return *row ? query->ColumnInt(0) : 0;
}

int64_t SqliteDatabase::changes() const {
  return sqlite3_changes64(database_.get());
}

}  // namespace stowage
