#include "server/storage/postgres_database.h"

#include <libpq-fe.h>

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "server/storage/postgres_connection.h"
#include "server/storage/schema.h"

namespace stowage {
namespace {

constexpr int kMaxConnections = 8;

// Transactions take turns by an advisory lock of this number, which others who
// use the database should not take.
constexpr char kTakeTurn[] =
    "BEGIN; SELECT pg_advisory_xact_lock(742074207420)";

using Connection = std::unique_ptr<PostgresConnection>;

class PostgresDatabase final : public SqlDatabase {
 public:
  explicit PostgresDatabase(std::string url) : url_(std::move(url)) {}

  using SqlDatabase::Run;
  absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                const SqlParameters& parameters) override {
    absl::StatusOr<Connection> connection = Borrow();
    if (!connection.ok()) return connection.status();
    absl::StatusOr<SqlResult> result = (*connection)->Run(sql, parameters);
    Return(*std::move(connection));
    return result;
  }

  absl::Status Transact(Transaction body) override {
    absl::StatusOr<Connection> connection = Borrow();
    if (!connection.ok()) return connection.status();
    absl::Status status = (*connection)->RunScript(kTakeTurn);
    if (status.ok()) status = body(**connection);
    if (status.ok()) status = (*connection)->RunScript("COMMIT");
    // A connection that cannot even undo is of no use to others.
    if (!status.ok() && !(*connection)->RunScript("ROLLBACK").ok()) {
      connection->reset();
    }
    Return(*std::move(connection));
    return status;
  }

  absl::string_view now_ms() const override {
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
  }
  bool is_shared() const override { return true; }
  const std::vector<std::string>& warnings() const override {
    return warnings_;
  }

  void AddWarning(std::string warning) {
    warnings_.push_back(std::move(warning));
  }

 private:
  // Returns a connection that nobody else uses. Blocks while all are used.
  absl::StatusOr<Connection> Borrow() {
    {
      absl::MutexLock lock(&mutex_);
      const auto is_free = [this] {
        mutex_.AssertReaderHeld();
        return borrowed_ < kMaxConnections;
      };
      mutex_.Await(absl::Condition(&is_free));
      ++borrowed_;
      while (!idle_.empty()) {
        Connection connection = std::move(idle_.back());
        idle_.pop_back();
        if (connection->IsOpen()) return connection;
      }
    }
    absl::StatusOr<Connection> connection = PostgresConnection::Connect(url_);
    if (!connection.ok()) Return(nullptr);
    return connection;
  }

  void Return(Connection connection) {
    absl::MutexLock lock(&mutex_);
    --borrowed_;
    if (connection != nullptr && connection->IsOpen()) {
      idle_.push_back(std::move(connection));
    }
  }

  const std::string url_;
  absl::Mutex mutex_;
  int borrowed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Connection> idle_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> warnings_;
};

struct OptionsFreer {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, OptionsFreer>;

absl::StatusOr<Options> ParseUrl(const std::string& url) {
  char* error = nullptr;
  Options options(PQconninfoParse(url.c_str(), &error));
  if (options != nullptr) return options;
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(
      "the URL of the database: ", error == nullptr ? "out of memory" : error,
      "; name it as postgresql://USER@HOST:PORT/DATABASE"));
  PQfreemem(error);
  return status;
}

absl::string_view Value(const PQconninfoOption* options,
                        absl::string_view keyword) {
  for (; options->keyword != nullptr; ++options) {
    if (options->keyword == keyword && options->val != nullptr) {
      return options->val;
    }
  }
  return "";
}

}  // namespace

bool IsPostgresUrl(absl::string_view text) {
  return absl::StartsWith(text, "postgresql://") ||
         absl::StartsWith(text, "postgres://");
}

std::string PostgresName(const std::string& url) {
  const absl::StatusOr<Options> options = ParseUrl(url);
  if (!options.ok()) return "postgresql://";
  const absl::string_view user = Value(options->get(), "user");
  const absl::string_view port = Value(options->get(), "port");
  return absl::StrCat("postgresql://", user, user.empty() ? "" : "@",
                      Value(options->get(), "host"), port.empty() ? "" : ":",
                      port, "/", Value(options->get(), "dbname"));
}

absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenPostgresDatabase(
    const std::string& url) {
  if (absl::StatusOr<Options> parsed = ParseUrl(url); !parsed.ok()) {
    return parsed.status();
  }
  auto database = std::make_shared<PostgresDatabase>(url);
  if (absl::Status migrated = MigrateSchema(PostgresSchema(), database.get());
      !migrated.ok()) {
    return absl::Status(migrated.code(), absl::StrCat(PostgresName(url), ": ",
                                                      migrated.message()));
  }
  const absl::StatusOr<SqlResult> commit =
      database->Run("SELECT current_setting('synchronous_commit')");
  if (commit.ok() && commit->rows[0].Text(0) == "off") {
    database->AddWarning(
        absl::StrCat(PostgresName(url),
                     ": synchronous_commit is off, so a crash of PostgreSQL "
                     "may lose what the service has acknowledged"));
  }
  return database;
}

}  // namespace stowage
