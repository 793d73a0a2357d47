// Reads the rows of a query.
//
//   absl::StatusOr<v1::Graph> graph =
//       ReadMessage<v1::Graph>(&query, absl::NotFoundError("no such graph"));
#ifndef STOWAGE_SERVER_GRAPHS_SQLITE_ROWS_H_
#define STOWAGE_SERVER_GRAPHS_SQLITE_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/graphs/sqlite.h"

namespace stowage {

// Returns the message. DATA_LOSS: the stored bytes are damaged.
template <typename Message>
absl::StatusOr<Message> ParseStored(absl::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError(
        absl::StrCat("database: a stored ", Message::descriptor()->name(),
                     " cannot be read; delete it and store it again"));
  }
  return message;
}

// Returns the message in a column of the query's current row.
template <typename Message>
absl::StatusOr<Message> MessageInColumn(const SqliteStatement& query,
                                        int column) {
  return ParseStored<Message>(query.ColumnBlob(column));
}

// Returns the bytes in the only column of the only row.
inline absl::StatusOr<std::string> ReadBlob(SqliteStatement* query,
                                            const absl::Status& not_found) {
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return not_found;
  return std::string(query->ColumnBlob(0));
}

// Returns the message in the only column of the only row.
template <typename Message>
absl::StatusOr<Message> ReadMessage(SqliteStatement* query,
                                    const absl::Status& not_found) {
  absl::StatusOr<bool> row = query->Step();
  if (!row.ok()) return row.status();
  if (!*row) return not_found;
  return MessageInColumn<Message>(*query, 0);
}

template <typename Row>
absl::StatusOr<std::vector<Row>> ReadRows(
    SqliteStatement* query, Row (*from_row)(const SqliteStatement&)) {
  std::vector<Row> rows;
  for (;;) {
    absl::StatusOr<bool> row = query->Step();
    if (!row.ok()) return row.status();
    if (!*row) return rows;
    rows.push_back(from_row(*query));
  }
}

// Returns the messages in the first column of all rows.
template <typename Message>
absl::StatusOr<std::vector<Message>> ReadMessages(SqliteStatement* query) {
  std::vector<Message> messages;
  for (;;) {
    absl::StatusOr<bool> row = query->Step();
    if (!row.ok()) return row.status();
    if (!*row) return messages;
    absl::StatusOr<Message> message = MessageInColumn<Message>(*query, 0);
    if (!message.ok()) return message.status();
    messages.push_back(*std::move(message));
  }
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SQLITE_ROWS_H_
