// Reads messages from the rows of a database.
//
//   absl::StatusOr<v1::Graph> graph = ParseStored<v1::Graph>(row.Text(0));
#ifndef STOWAGE_SERVER_STORAGE_STORED_MESSAGE_H_
#define STOWAGE_SERVER_STORAGE_STORED_MESSAGE_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/storage/sql.h"

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

// Returns what `from_row` makes of each row, or its first error.
template <typename Value>
absl::StatusOr<std::vector<Value>> FromRows(
    const absl::StatusOr<SqlResult>& result,
    absl::StatusOr<Value> (*from_row)(const SqlRow&)) {
  if (!result.ok()) return result.status();
  std::vector<Value> values;
  values.reserve(result->rows.size());
  for (const SqlRow& row : result->rows) {
    absl::StatusOr<Value> value = from_row(row);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

// Returns the message in the first column of a row.
template <typename Message>
absl::StatusOr<Message> MessageFromRow(const SqlRow& row) {
  return ParseStored<Message>(row.Text(0));
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_STORED_MESSAGE_H_
