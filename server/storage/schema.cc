#include "server/storage/schema.h"

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

absl::StatusOr<int64_t> ReadNumber(absl::string_view sql,
                                   SqlConnection& connection) {
  const absl::StatusOr<SqlResult> result = connection.Run(sql);
  if (!result.ok()) return result.status();
  return result->rows.empty() ? 0 : result->rows[0].Int(0);
}

absl::Status RefuseForeignTables(const Schema& schema,
                                 SqlConnection& connection) {
  const absl::StatusOr<int64_t> tables =
      ReadNumber(schema.count_tables, connection);
  if (!tables.ok()) return tables.status();
  if (*tables == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("database: holds ", *tables,
                   " tables or indices that are not Stowage's; name another "
                   "database with --db"));
}

// Runs the next migration and returns the version that it leads to, or the
// newest version if none is left.
absl::StatusOr<int64_t> RunNext(const Schema& schema,
                                SqlConnection& connection) {
  const auto newest = static_cast<int64_t>(schema.migrations.size());
  const absl::StatusOr<int64_t> version =
      ReadNumber(schema.read_version, connection);
  if (!version.ok()) return version.status();
  if (*version < 0 || *version > newest) {
    return absl::FailedPreconditionError(
        absl::StrCat("database: its schema has version ", *version,
                     ", but this stowaged knows up to ", newest,
                     "; run a newer stowaged or name another database with "
                     "--db"));
  }
  if (*version == newest) return newest;
  absl::Status status = *version == 0 ? RefuseForeignTables(schema, connection)
                                      : absl::OkStatus();
  if (status.ok()) {
    status = connection.RunScript(std::string(schema.migrations[*version]));
  }
  if (status.ok()) {
    status = connection.RunScript(schema.write_version(*version + 1));
  }
  if (!status.ok()) return status;
  return *version + 1;
}

}  // namespace

absl::Status MigrateSchema(const Schema& schema, SqlDatabase* database) {
  const auto newest = static_cast<int64_t>(schema.migrations.size());
  absl::Status status = database->Transact([&](SqlConnection& connection) {
    return connection.RunScript(schema.prepare);
  });
  for (int64_t version = 0; status.ok() && version < newest;) {
    status = database->Transact([&](SqlConnection& connection) {
      const absl::StatusOr<int64_t> reached = RunNext(schema, connection);
      if (reached.ok()) version = *reached;
      return reached.status();
    });
  }
  return status;
}

}  // namespace stowage
