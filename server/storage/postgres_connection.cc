#include "server/storage/postgres_connection.h"

#include <endian.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "server/storage/postgres_status.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// The numbers that PostgreSQL gives to types, which only the headers of its
// server name.
constexpr Oid kBool = 16;
constexpr Oid kBytes = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kInt2 = 21;
constexpr Oid kInt4 = 23;
constexpr Oid kText = 25;

constexpr int kBinary = 1;

// These bound how long a replica that no longer answers keeps others waiting:
// its locks end with its transaction.
constexpr char kSettings[] =
    "SET statement_timeout = '10s';"
    "SET idle_in_transaction_session_timeout = '10s'";

// Holds parameters as libpq takes them.
class Arguments {
 public:
  explicit Arguments(const SqlParameters& parameters) {
    numbers_.reserve(parameters.size());  // so that none moves
    for (const SqlParameter& parameter : parameters) {
      std::visit(*this, parameter.value());
      formats_.push_back(kBinary);
    }
  }

  void operator()(int64_t number) {
    numbers_.push_back(htobe64(static_cast<uint64_t>(number)));
    Add(kInt8, {reinterpret_cast<const char*>(&numbers_.back()),
                sizeof(numbers_.back())});
  }
  void operator()(absl::string_view text) { Add(kText, text); }
  void operator()(SqlBlob blob) { Add(kBytes, blob.bytes); }

  // Sends the statement and returns whether that worked.
  bool Send(PGconn* connection, const std::string& sql) const {
    return PQsendQueryParams(connection, sql.c_str(),
                             static_cast<int>(types_.size()), types_.data(),
                             values_.data(), lengths_.data(), formats_.data(),
                             kBinary) == 1;
  }

 private:
  void Add(Oid type, absl::string_view bytes) {
    types_.push_back(type);
    // A null pointer would be NULL instead of nothing.
    values_.push_back(bytes.empty() ? "" : bytes.data());
    lengths_.push_back(static_cast<int>(bytes.size()));
  }

  std::vector<uint64_t> numbers_;
  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

// Returns the number in `size_bytes` bytes, the highest first.
int64_t NumberOf(const char* bytes, int size_bytes) {
  uint64_t number = (bytes[0] & 0x80) != 0 && size_bytes > 1 ? ~uint64_t{0} : 0;
  for (int i = 0; i < size_bytes; ++i) {
    number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return static_cast<int64_t>(number);
}

SqlRow::Cell CellOf(const PGresult* result, int row, int column) {
  const char* bytes = PQgetvalue(result, row, column);
  const int size_bytes = PQgetlength(result, row, column);
  switch (PQftype(result, column)) {
    case kBool:
    case kInt2:
    case kInt4:
    case kInt8:
      return size_bytes == 0 ? 0 : NumberOf(bytes, size_bytes);
    default:
      return std::string(bytes, size_bytes);
  }
}

SqlResult ToSqlResult(PGresult* result) {
  SqlResult rows;
  const int columns = PQnfields(result);
  for (int row = 0; row < PQntuples(result); ++row) {
    std::vector<SqlRow::Cell> cells;
    cells.reserve(columns);
    for (int column = 0; column < columns; ++column) {
      cells.push_back(CellOf(result, row, column));
    }
    rows.rows.emplace_back(std::move(cells));
  }
  if (!absl::SimpleAtoi(PQcmdTuples(result), &rows.changed)) rows.changed = 0;
  return rows;
}

absl::Status StatusOf(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
    return absl::OkStatus();
  }
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return PostgresStatus(
      state == nullptr ? "" : state,
      message == nullptr ? "the connection is lost" : message);
}

}  // namespace

void PostgresConnection::Closer::operator()(PGconn* connection) const {
  PQfinish(connection);
}

void PostgresConnection::Clearer::operator()(PGresult* result) const {
  PQclear(result);
}

PostgresConnection::PostgresConnection(PGconn* connection)
    : connection_(connection) {}

absl::StatusOr<std::unique_ptr<PostgresConnection>> PostgresConnection::Connect(
    const std::string& url) {
  // The URL comes last, so that it may set any of these otherwise.
  constexpr auto kNames = std::to_array<const char*>(
      {"connect_timeout", "application_name", "client_encoding",
       "target_session_attrs", "dbname", nullptr});
  const auto values = std::to_array<const char*>(
      {"5", "stowaged", "UTF8", "read-write", url.c_str(), nullptr});
  std::unique_ptr<PostgresConnection> connection(new PostgresConnection(
      PQconnectdbParams(kNames.data(), values.data(), /*expand_dbname=*/1)));
  PGconn* handle = connection->connection_.get();
  if (PQstatus(handle) != CONNECTION_OK) {
    return PostgresStatus("", PQerrorMessage(handle));
  }
  PQsetnonblocking(handle, 1);
  if (absl::Status set = connection->RunScript(kSettings); !set.ok()) {
    return set;
  }
  return connection;
}

bool PostgresConnection::IsOpen() {
  PGconn* handle = connection_.get();
  if (handle == nullptr) return false;
  // Notices that a server has hung up while nobody used the connection.
  return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK;
}

absl::Status PostgresConnection::Lost() {
  const std::string message = connection_ == nullptr
                                  ? "the connection is lost"
                                  : PQerrorMessage(connection_.get());
  connection_.reset();
  return PostgresStatus("", message);
}

absl::Status PostgresConnection::AwaitSocket(bool to_write,
                                             absl::Time deadline) {
  pollfd socket = {
      .fd = PQsocket(connection_.get()),
      .events = static_cast<int16_t>(to_write ? POLLIN | POLLOUT : POLLIN),
      .revents = 0};
  for (;;) {
    const absl::Duration left = deadline - SteadyNow();
    if (left <= absl::ZeroDuration()) break;
    const int ready =
        poll(&socket, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (ready < 0 && errno != EINTR) return Lost();
    if (ready <= 0) continue;
    return PQconsumeInput(connection_.get()) == 1 ? absl::OkStatus() : Lost();
  }
  connection_.reset();
  return PostgresStatus("", absl::StrCat("it has not answered for ",
                                         absl::FormatDuration(kAnswerTime)));
}

absl::StatusOr<PostgresConnection::Result> PostgresConnection::Await() {
  const absl::Time deadline = SteadyNow() + kAnswerTime;
  for (int left = PQflush(connection_.get()); left != 0;
       left = PQflush(connection_.get())) {
    if (left < 0) return Lost();
    if (absl::Status ready = AwaitSocket(/*to_write=*/true, deadline);
        !ready.ok()) {
      return ready;
    }
  }
  absl::Status first;
  Result last;
  for (;;) {
    while (PQisBusy(connection_.get()) == 1) {
      if (absl::Status ready = AwaitSocket(/*to_write=*/false, deadline);
          !ready.ok()) {
        return first.ok() ? ready : first;
      }
    }
    Result result(PQgetResult(connection_.get()));
    if (result == nullptr) break;
    first.Update(StatusOf(result.get()));
    last = std::move(result);
  }
  if (!first.ok()) return first;
  if (last == nullptr) return Lost();
  return last;
}

absl::StatusOr<SqlResult> PostgresConnection::Run(
    absl::string_view sql, const SqlParameters& parameters) {
  if (connection_ == nullptr) return Lost();
  const Arguments arguments(parameters);
  if (!arguments.Send(connection_.get(), std::string(sql))) return Lost();
  absl::StatusOr<Result> result = Await();
  if (!result.ok()) return result.status();
  return ToSqlResult(result->get());
}

absl::Status PostgresConnection::RunScript(const std::string& sql) {
  if (connection_ == nullptr) return Lost();
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) return Lost();
  const absl::StatusOr<Result> result = Await();
  // A script without a statement has no result.
  return result.status();
}

}  // namespace stowage
