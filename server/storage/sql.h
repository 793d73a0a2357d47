// Runs SQL on a connection to whichever database holds the service's state.
//
//   absl::StatusOr<SqlResult> found = connection.Run(
//       "SELECT name, graph FROM graphs WHERE graph_id = $1", {graph_id});
//   if (found.ok() && !found->rows.empty()) Show(found->rows[0].Text(0));
//
// Statements are written once, in what SQLite and PostgreSQL have in common:
// parameters are $1, $2 and so on, and no value is NULL.
#ifndef STOWAGE_SERVER_STORAGE_SQL_H_
#define STOWAGE_SERVER_STORAGE_SQL_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

// Bytes, as text is valid UTF-8.
struct SqlBlob {
  absl::string_view bytes;
};

// A parameter: a number, text or bytes. Text and bytes must live until the
// statement has run.
class SqlParameter {
 public:
  // These convert, because parameters are listed as values.
  // NOLINTBEGIN(google-explicit-constructor)
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number> SqlParameter(
      Number number)
      : value_(static_cast<int64_t>(number)) {}
  SqlParameter(absl::string_view text) : value_(text) {}
  SqlParameter(const std::string& text) : value_(absl::string_view(text)) {}
  SqlParameter(SqlBlob blob) : value_(blob) {}
  // NOLINTEND(google-explicit-constructor)

  const std::variant<int64_t, absl::string_view, SqlBlob>& value() const {
    return value_;
  }

 private:
  std::variant<int64_t, absl::string_view, SqlBlob> value_;
};

using SqlParameters = std::vector<SqlParameter>;

// A row of a result. Columns count from 0. Plain data.
class SqlRow {
 public:
  using Cell = std::variant<int64_t, std::string>;

  explicit SqlRow(std::vector<Cell> cells) : cells_(std::move(cells)) {}

  // Returns a number; a truth is 0 or 1. Returns 0 if the column holds none, as
  // it may in a damaged database.
  int64_t Int(int column) const {
    const auto* number = std::get_if<int64_t>(&cells_[column]);
    return number == nullptr ? 0 : *number;
  }
  // Returns text or bytes; nothing if the column holds none.
  absl::string_view Text(int column) const {
    const auto* text = std::get_if<std::string>(&cells_[column]);
    return text == nullptr ? "" : absl::string_view(*text);
  }
  // Returns text or bytes, which the row then no longer has.
  std::string TakeText(int column) {
    auto* text = std::get_if<std::string>(&cells_[column]);
    return text == nullptr ? "" : std::move(*text);
  }

 private:
  std::vector<Cell> cells_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  int64_t changed = 0;  // rows that were inserted, updated or deleted
};

// Not thread-safe. Calls block on the database. Errors: UNAVAILABLE (it cannot
// be reached or written; try again), DATA_LOSS (it is damaged),
// RESOURCE_EXHAUSTED (a value is too large), FAILED_PRECONDITION (a constraint
// fails), INVALID_ARGUMENT (it cannot hold the value), else INTERNAL.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  // Runs one statement and returns all its rows.
  virtual absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                        const SqlParameters& parameters) = 0;
  absl::StatusOr<SqlResult> Run(absl::string_view sql) { return Run(sql, {}); }

  // Runs statements that have no parameters and return no rows.
  virtual absl::Status RunScript(const std::string& sql) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SQL_H_
