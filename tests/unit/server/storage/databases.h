// Runs tests of what is stored on each kind of database.
//
//   class StoreTest : public EachDatabaseTest {
//     GraphStore store_{database_};
//   };
//
// Then come tests, TEST_P(StoreTest, KeepsGraphs), and behind them all
// STOWAGE_FOR_EACH_DATABASE(StoreTest).
#ifndef STOWAGE_TESTS_UNIT_SERVER_STORAGE_DATABASES_H_
#define STOWAGE_TESTS_UNIT_SERVER_STORAGE_DATABASES_H_

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/storage/postgres_server.h"

namespace stowage {

enum class DatabaseKind { kSqlite, kPostgres };

// Gives each test an empty database.
class EachDatabaseTest : public ::testing::TestWithParam<DatabaseKind> {
 protected:
  const std::string name_ = GetParam() == DatabaseKind::kSqlite
                                ? ":memory:"
                                : PostgresServer::Shared().NewDatabase();
  const std::shared_ptr<SqlDatabase> database_ = OpenDatabase(name_).value();
};

inline std::string DatabaseKindName(
    const ::testing::TestParamInfo<DatabaseKind>& kind) {
  return kind.param == DatabaseKind::kSqlite ? "Sqlite" : "Postgres";
}

#define STOWAGE_FOR_EACH_DATABASE(Test)                                  \
  INSTANTIATE_TEST_SUITE_P(                                              \
      Databases, Test,                                                   \
      ::testing::Values(DatabaseKind::kSqlite, DatabaseKind::kPostgres), \
      &DatabaseKindName)

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_STORAGE_DATABASES_H_
