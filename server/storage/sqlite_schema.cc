#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/storage/schema.h"

namespace stowage {
namespace {

constexpr std::array<absl::string_view, 4> kSqliteMigrations = {
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
    R"sql(
    -- How often the graph was registered.
    ALTER TABLE graphs ADD COLUMN registrations INTEGER NOT NULL DEFAULT 1;
    -- When somebody last wanted the row; retention deletes the oldest first.
    ALTER TABLE graphs ADD COLUMN used_at_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE plans ADD COLUMN used_at_ms INTEGER NOT NULL DEFAULT 0;
    UPDATE graphs SET used_at_ms = updated_at_ns / 1000000;
    UPDATE plans SET used_at_ms = (SELECT g.used_at_ms FROM graphs g
      WHERE g.graph_id = plans.graph_id);
    -- The replica that runs the training, and until when; empty: none does.
    ALTER TABLE trainings ADD COLUMN holder TEXT NOT NULL DEFAULT '';
    ALTER TABLE trainings ADD COLUMN lease_ends_ms INTEGER NOT NULL DEFAULT 0;
    -- 1: somebody wants it to end.
    ALTER TABLE trainings ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
    -- The training that made the version; 0: unknown.
    ALTER TABLE dqn_versions ADD COLUMN training_id INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX dqn_versions_by_training ON dqn_versions (training_id);
    CREATE TABLE counters (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT;
    INSERT INTO counters VALUES ('trainings', coalesce(
      (SELECT seq FROM sqlite_sequence WHERE name = 'trainings'), 0)), ('fleet', 0);
    CREATE TABLE nodes (
      node TEXT PRIMARY KEY,
      -- Ascends with every row that is written, in the order of commits.
      changed INTEGER NOT NULL,
      -- stowage.v1.StoredNode
      state BLOB NOT NULL
    ) STRICT;
    CREATE INDEX nodes_by_change ON nodes (changed);
    CREATE TABLE jobs (
      job_id TEXT PRIMARY KEY,
      changed INTEGER NOT NULL,
      -- stowage.v1.StoredJob
      state BLOB NOT NULL
    ) STRICT;
    CREATE INDEX jobs_by_change ON jobs (changed);
    )sql",
    R"sql(
    CREATE TABLE reservations (
      reservation_id TEXT PRIMARY KEY,
      node TEXT NOT NULL,
      -- Of the call that made it, among all holders.
      request_key TEXT NOT NULL UNIQUE,
      renewals INTEGER NOT NULL,
      -- stowage.v1.Reservation
      state BLOB NOT NULL
    ) STRICT;
    CREATE INDEX reservations_by_node ON reservations (node);
    )sql",
};

std::string WriteSqliteVersion(int64_t version) {
  return absl::StrCat("PRAGMA user_version = ", version);
}

}  // namespace

Schema SqliteSchema() {
  return {.migrations = kSqliteMigrations,
          .prepare = "",
          .read_version = "PRAGMA user_version",
          .write_version = &WriteSqliteVersion,
          .count_tables = "SELECT count(*) FROM sqlite_schema"};
}

}  // namespace stowage
