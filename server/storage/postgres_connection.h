// Connects to a PostgreSQL database, through libpq.
//
//   absl::StatusOr<std::unique_ptr<PostgresConnection>> connection =
//       PostgresConnection::Connect("postgresql://stowage@db.example/stowage");
//   absl::StatusOr<SqlResult> graphs =
//       (*connection)->Run("SELECT count(*) FROM graphs");
#ifndef STOWAGE_SERVER_STORAGE_POSTGRES_CONNECTION_H_
#define STOWAGE_SERVER_STORAGE_POSTGRES_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/storage/sql.h"

struct pg_conn;
struct pg_result;

namespace stowage {

// Not thread-safe. A server that does not answer within kAnswerTime is given
// up, and the connection with it.
class PostgresConnection final : public SqlConnection {
 public:
  static constexpr absl::Duration kAnswerTime = absl::Seconds(15);

  // Connects to what libpq's URL says. Blocks for at most some seconds for each
  // host that it names. UNAVAILABLE: nothing answers, or it refuses.
  static absl::StatusOr<std::unique_ptr<PostgresConnection>> Connect(
      const std::string& url);

  // Returns whether the connection may still be used. Does not block.
  bool IsOpen();

  using SqlConnection::Run;
  absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                const SqlParameters& parameters) override;
  absl::Status RunScript(const std::string& sql) override;

 private:
  struct Closer {
    void operator()(pg_conn* connection) const;
  };
  struct Clearer {
    void operator()(pg_result* result) const;
  };
  using Result = std::unique_ptr<pg_result, Clearer>;

  explicit PostgresConnection(pg_conn* connection);

  // Sends what is left to send and returns the result of the last statement, or
  // the first error.
  absl::StatusOr<Result> Await();
  // Blocks until the server has taken or sent something.
  absl::Status AwaitSocket(bool to_write, absl::Time deadline);
  absl::Status Lost();

  // Null once the server has been given up.
  std::unique_ptr<pg_conn, Closer> connection_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_POSTGRES_CONNECTION_H_
