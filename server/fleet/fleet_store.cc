#include "server/fleet/fleet_store.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "server/fleet/fleet_merge.h"
#include "server/storage/stored_message.h"

namespace stowage {
namespace {

// How many rows a transaction writes, which others wait for.
constexpr size_t kChunkRows = 500;

struct NodeTable {
  using State = v1::StoredNode;
  static constexpr absl::string_view kName = "nodes";
  static constexpr absl::string_view kKey = "node";
  static const std::string& KeyOf(const State& state) { return state.node(); }
  static void Merge(const State& theirs, State* ours) {
    MergeNode(theirs, ours);
  }
};

struct JobTable {
  using State = v1::StoredJob;
  static constexpr absl::string_view kName = "jobs";
  static constexpr absl::string_view kKey = "job_id";
  static const std::string& KeyOf(const State& state) {
    return state.job().job_id();
  }
  static void Merge(const State& theirs, State* ours) {
    MergeJob(theirs, ours);
  }
};

// Returns "$1, $2" for the two parameters from 1 on.
std::string Placeholders(size_t first, size_t count) {
  std::vector<std::string> names;
  for (size_t i = first; i < first + count; ++i) {
    names.push_back(absl::StrCat("$", i));
  }
  return absl::StrJoin(names, ", ");
}

template <typename Table>
absl::Status MergeStored(std::vector<typename Table::State>* states,
                         SqlConnection& connection) {
  absl::flat_hash_map<std::string, typename Table::State*> by_key;
  SqlParameters keys;
  for (typename Table::State& state : *states) {
    by_key[Table::KeyOf(state)] = &state;
    keys.emplace_back(Table::KeyOf(state));
  }
  const absl::StatusOr<std::vector<typename Table::State>> stored =
      FromRows(connection.Run(absl::StrCat("SELECT state FROM ", Table::kName,
                                           " WHERE ", Table::kKey, " IN (",
                                           Placeholders(1, keys.size()), ")"),
                              keys),
               &MessageFromRow<typename Table::State>);
  if (!stored.ok()) return stored.status();
  for (const typename Table::State& theirs : *stored) {
    Table::Merge(theirs, by_key.at(Table::KeyOf(theirs)));
  }
  return absl::OkStatus();
}

template <typename Table>
absl::Status Upsert(const std::vector<typename Table::State>& states,
                    int64_t change, SqlConnection& connection) {
  std::vector<std::string> bytes;
  bytes.reserve(states.size());  // so that none moves
  SqlParameters parameters;
  std::vector<std::string> rows;
  for (const typename Table::State& state : states) {
    rows.push_back(
        absl::StrCat("(", Placeholders(parameters.size() + 1, 3), ")"));
    bytes.push_back(state.SerializeAsString());
    parameters.emplace_back(Table::KeyOf(state));
    parameters.emplace_back(change);
    parameters.emplace_back(SqlBlob{bytes.back()});
  }
  return connection
      .Run(absl::StrCat("INSERT INTO ", Table::kName, " (", Table::kKey,
                        ", changed, state) VALUES ", absl::StrJoin(rows, ", "),
                        " ON CONFLICT (", Table::kKey,
                        ") DO UPDATE SET changed = excluded.changed,"
                        " state = excluded.state"),
           parameters)
      .status();
}

// Merges and writes some rows. Transactions take turns, so changes are numbered
// in the order of their commits, and a reader misses none.
template <typename Table>
absl::Status PutChunk(absl::Span<const typename Table::State> chunk,
                      SqlDatabase* database) {
  return database->Transact([&](SqlConnection& connection) -> absl::Status {
    std::vector<typename Table::State> states(chunk.begin(), chunk.end());
    if (absl::Status merged = MergeStored<Table>(&states, connection);
        !merged.ok()) {
      return merged;
    }
    const absl::StatusOr<SqlResult> change = connection.Run(
        "UPDATE counters SET value = value + 1 WHERE name = 'fleet'"
        " RETURNING value");
    if (!change.ok()) return change.status();
    return Upsert<Table>(states, change->rows.at(0).Int(0), connection);
  });
}

template <typename Table>
absl::Status PutAll(absl::Span<const typename Table::State> states,
                    SqlDatabase* database) {
  while (!states.empty()) {
    const auto chunk = states.first(std::min(states.size(), kChunkRows));
    if (absl::Status put = PutChunk<Table>(chunk, database); !put.ok()) {
      return put;
    }
    states.remove_prefix(chunk.size());
  }
  return absl::OkStatus();
}

template <typename Table>
absl::StatusOr<std::vector<typename Table::State>> Read(int64_t* cursor,
                                                        SqlDatabase* database) {
  const absl::StatusOr<SqlResult> rows =
      database->Run(absl::StrCat("SELECT state, changed FROM ", Table::kName,
                                 " WHERE changed > $1 ORDER BY changed"),
                    {*cursor});
  absl::StatusOr<std::vector<typename Table::State>> states =
      FromRows(rows, &MessageFromRow<typename Table::State>);
  if (states.ok() && !rows->rows.empty()) *cursor = rows->rows.back().Int(1);
  return states;
}

template <typename Table>
absl::Status Delete(const std::vector<std::string>& keys,
                    SqlDatabase* database) {
  for (const std::string& key : keys) {
    absl::Status deleted =
        database
            ->Run(absl::StrCat("DELETE FROM ", Table::kName, " WHERE ",
                               Table::kKey, " = $1"),
                  {key})
            .status();
    if (!deleted.ok()) return deleted;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FleetStore::Put(const FleetNews& news) {
  absl::Status put = PutAll<NodeTable>(news.nodes, database_.get());
  if (!put.ok()) return put;
  return PutAll<JobTable>(news.jobs, database_.get());
}

absl::StatusOr<FleetNews> FleetStore::ReadSince(FleetCursor* cursor) {
  FleetCursor next = *cursor;
  absl::StatusOr<std::vector<v1::StoredNode>> nodes =
      Read<NodeTable>(&next.nodes, database_.get());
  if (!nodes.ok()) return nodes.status();
  absl::StatusOr<std::vector<v1::StoredJob>> jobs =
      Read<JobTable>(&next.jobs, database_.get());
  if (!jobs.ok()) return jobs.status();
  *cursor = next;
  return FleetNews{*std::move(nodes), *std::move(jobs)};
}

absl::Status FleetStore::Forget(const std::vector<std::string>& nodes,
                                const std::vector<std::string>& job_ids) {
  absl::Status forgotten = Delete<NodeTable>(nodes, database_.get());
  if (!forgotten.ok()) return forgotten;
  return Delete<JobTable>(job_ids, database_.get());
}

}  // namespace stowage
