#include "server/graphs/schema.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

// Migration i leads from version i to i + 1. A released migration never
// changes.
constexpr std::array<absl::string_view, 2> kMigrations = {
    R"sql(
    CREATE TABLE graphs (
      graph_id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      kernel_count INTEGER NOT NULL,
      tensor_count INTEGER NOT NULL,
      peak_bytes INTEGER NOT NULL,
      updated_at_ns INTEGER NOT NULL,
      -- Of the registration that created the row.
      request_id TEXT NOT NULL,
      -- stowage.v1.Graph
      graph BLOB NOT NULL
    ) STRICT;
    CREATE TABLE plans (
      plan_id TEXT PRIMARY KEY,
      graph_id TEXT NOT NULL REFERENCES graphs (graph_id) ON DELETE CASCADE,
      policy TEXT NOT NULL,
      system TEXT NOT NULL,
      fast_limit_bytes INTEGER NOT NULL,
      predicted_step_time_ns INTEGER NOT NULL,
      -- stowage.v1.Plan
      plan BLOB NOT NULL
    ) STRICT;
    CREATE INDEX plans_by_graph ON plans (graph_id, plan_id);
    )sql",
    R"sql(
    CREATE TABLE trainings (
      training_id INTEGER PRIMARY KEY AUTOINCREMENT,
      request_id TEXT NOT NULL UNIQUE,
      graph_id TEXT NOT NULL REFERENCES graphs (graph_id) ON DELETE CASCADE,
      -- stowage.v1.TrainingState
      state INTEGER NOT NULL,
      -- stowage.v1.StartTrainingRequest
      request BLOB NOT NULL,
      -- stowage.v1.Training
      training BLOB NOT NULL,
      -- stowage.v1.DqnPolicy; empty: none yet
      checkpoint BLOB NOT NULL
    ) STRICT;
    CREATE INDEX trainings_by_graph ON trainings (graph_id, training_id);
    CREATE INDEX trainings_by_state ON trainings (state, training_id);
    CREATE TABLE dqn_versions (
      policy_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      graph_id TEXT NOT NULL REFERENCES graphs (graph_id) ON DELETE CASCADE,
      system_digest TEXT NOT NULL,
      fast_limit_bytes INTEGER NOT NULL,
      -- stowage.v1.PolicyVersion; `serving` is never set
      info BLOB NOT NULL,
      -- stowage.v1.MemorySystem
      system BLOB NOT NULL,
      -- stowage.v1.DqnPolicy
      policy BLOB NOT NULL,
      PRIMARY KEY (policy_id, version)
    ) STRICT;
    CREATE INDEX dqn_versions_by_graph
      ON dqn_versions (graph_id, policy_id, version);
    -- The newest row of a policy names the version that serves.
    CREATE TABLE dqn_promotions (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      policy_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      FOREIGN KEY (policy_id, version)
        REFERENCES dqn_versions (policy_id, version) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX dqn_promotions_by_policy
      ON dqn_promotions (policy_id, sequence);
    )sql",
};

absl::Status RefuseForeignTables(SqliteDatabase* database) {
  absl::StatusOr<int64_t> tables =
      database->QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return tables.status();
  if (*tables == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("database: holds ", *tables,
                   " tables or indices that are not Stowage's; name another "
                   "file with --db"));
}

absl::Status Migrate(SqliteDatabase* database, int64_t version) {
  absl::Status status = database->Execute(
      absl::StrCat("BEGIN IMMEDIATE;", kMigrations[version],
                   "PRAGMA user_version = ", version + 1, "; COMMIT;"));
  // The transaction may still be open; the error to report is the first one.
  if (!status.ok()) database->Execute("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace

absl::Status MigrateSchema(SqliteDatabase* database) {
  absl::StatusOr<int64_t> version = database->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version < 0 || *version > static_cast<int64_t>(kMigrations.size())) {
    return absl::FailedPreconditionError(
        absl::StrCat("database: its schema has version ", *version,
                     ", but this stowaged knows up to ", kMigrations.size(),
                     "; run a newer stowaged or name another file with --db"));
  }
  if (*version == 0) {
    if (absl::Status status = RefuseForeignTables(database); !status.ok()) {
      return status;
    }
  }
  for (int64_t v = *version; v < static_cast<int64_t>(kMigrations.size());
       ++v) {
    if (absl::Status status = Migrate(database, v); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace stowage
