#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/storage/schema.h"

namespace stowage {
namespace {

// sqlite_schema.cc says what the columns are. Ids sort by their bytes, as they
// do in SQLite.
constexpr std::array<absl::string_view, 2> kPostgresMigrations = {
    R"sql(
    CREATE TABLE graphs (
      graph_id TEXT COLLATE "C" PRIMARY KEY,
      name TEXT NOT NULL,
      kernel_count BIGINT NOT NULL,
      tensor_count BIGINT NOT NULL,
      peak_bytes BIGINT NOT NULL,
      updated_at_ns BIGINT NOT NULL,
      request_id TEXT NOT NULL,
      graph BYTEA NOT NULL,
      registrations BIGINT NOT NULL DEFAULT 1,
      used_at_ms BIGINT NOT NULL DEFAULT 0
    );
    CREATE TABLE plans (
      plan_id TEXT COLLATE "C" PRIMARY KEY,
      graph_id TEXT COLLATE "C" NOT NULL
        REFERENCES graphs (graph_id) ON DELETE CASCADE,
      policy TEXT NOT NULL,
      system TEXT NOT NULL,
      fast_limit_bytes BIGINT NOT NULL,
      predicted_step_time_ns BIGINT NOT NULL,
      plan BYTEA NOT NULL,
      used_at_ms BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX plans_by_graph ON plans (graph_id, plan_id);
    CREATE TABLE trainings (
      training_id BIGINT PRIMARY KEY,
      request_id TEXT NOT NULL UNIQUE,
      graph_id TEXT COLLATE "C" NOT NULL
        REFERENCES graphs (graph_id) ON DELETE CASCADE,
      state BIGINT NOT NULL,
      request BYTEA NOT NULL,
      training BYTEA NOT NULL,
      checkpoint BYTEA NOT NULL,
      holder TEXT NOT NULL DEFAULT '',
      lease_ends_ms BIGINT NOT NULL DEFAULT 0,
      cancelled BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX trainings_by_graph ON trainings (graph_id, training_id);
    CREATE INDEX trainings_by_state ON trainings (state, training_id);
    CREATE TABLE dqn_versions (
      policy_id TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      graph_id TEXT COLLATE "C" NOT NULL
        REFERENCES graphs (graph_id) ON DELETE CASCADE,
      system_digest TEXT NOT NULL,
      fast_limit_bytes BIGINT NOT NULL,
      info BYTEA NOT NULL,
      system BYTEA NOT NULL,
      policy BYTEA NOT NULL,
      training_id BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (policy_id, version)
    );
    CREATE INDEX dqn_versions_by_graph
      ON dqn_versions (graph_id, policy_id, version);
    CREATE INDEX dqn_versions_by_training ON dqn_versions (training_id);
    CREATE TABLE dqn_promotions (
      sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      policy_id TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      FOREIGN KEY (policy_id, version)
        REFERENCES dqn_versions (policy_id, version) ON DELETE CASCADE
    );
    CREATE INDEX dqn_promotions_by_policy
      ON dqn_promotions (policy_id, sequence);
    CREATE TABLE counters (
      name TEXT PRIMARY KEY,
      value BIGINT NOT NULL
    );
    INSERT INTO counters VALUES ('trainings', 0), ('fleet', 0);
    CREATE TABLE nodes (
      node TEXT PRIMARY KEY,
      changed BIGINT NOT NULL,
      state BYTEA NOT NULL
    );
    CREATE INDEX nodes_by_change ON nodes (changed);
    CREATE TABLE jobs (
      job_id TEXT PRIMARY KEY,
      changed BIGINT NOT NULL,
      state BYTEA NOT NULL
    );
    CREATE INDEX jobs_by_change ON jobs (changed);
    )sql",
    R"sql(
    CREATE TABLE reservations (
      reservation_id TEXT COLLATE "C" PRIMARY KEY,
      node TEXT NOT NULL,
      request_key TEXT NOT NULL UNIQUE,
      renewals BIGINT NOT NULL,
      state BYTEA NOT NULL
    );
    CREATE INDEX reservations_by_node ON reservations (node);
    )sql",
};

std::string WritePostgresVersion(int64_t version) {
  return absl::StrCat("INSERT INTO stowage_schema VALUES (", version, ")");
}

}  // namespace

Schema PostgresSchema() {
  return {
      .migrations = kPostgresMigrations,
      .prepare =
          "CREATE TABLE IF NOT EXISTS stowage_schema (version BIGINT NOT NULL)",
      .read_version = "SELECT coalesce(max(version), 0) FROM stowage_schema",
      .write_version = &WritePostgresVersion,
      .count_tables =
          "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
          " AND tablename <> 'stowage_schema'"};
}

}  // namespace stowage
