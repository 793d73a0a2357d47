#include "server/storage/sqlite_database.h"

#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/storage/schema.h"
#include "server/storage/sqlite_connection.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Returns the number that the query gives.
template <typename Database>
int64_t ReadInt(Database& database, absl::string_view sql) {
  return database.Run(sql).value().rows.at(0).Int(0);
}

class SqliteDatabaseTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/a.db";
};

TEST_F(SqliteDatabaseTest, KeepsRowsWhenReopened) {
  {
    const std::shared_ptr<SqlDatabase> database = *OpenSqliteDatabase(path_);
    ASSERT_TRUE(database->Run("INSERT INTO counters VALUES ('a', 7)").ok());
  }
  const std::shared_ptr<SqlDatabase> database = *OpenSqliteDatabase(path_);
  EXPECT_EQ(ReadInt(*database, "SELECT value FROM counters WHERE name = 'a'"),
            7);
}

TEST_F(SqliteDatabaseTest, CommitsWaitForTheDisk) {
  constexpr int kFull = 2;
  EXPECT_EQ(ReadInt(**SqliteConnection::Open(path_), "PRAGMA synchronous"),
            kFull);
}

TEST_F(SqliteDatabaseTest, RefusesAFileThatIsNoDatabase) {
  std::ofstream(path_) << std::string(8192, 'x');
  const absl::Status status = OpenSqliteDatabase(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(path_));
  EXPECT_THAT(status.message(), HasSubstr("backup"));
}

TEST_F(SqliteDatabaseTest, RefusesADirectoryThatIsNotThere) {
  const std::string path = directory_.path() + "/missing/a.db";
  EXPECT_TRUE(absl::IsUnavailable(OpenSqliteDatabase(path).status()));
}

TEST_F(SqliteDatabaseTest, RefusesASchemaOfANewerVersion) {
  ASSERT_TRUE((*SqliteConnection::Open(path_))
                  ->RunScript("PRAGMA user_version = 99")
                  .ok());
  const absl::Status status = OpenSqliteDatabase(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("version 99"));
}

// The tables that version 2 of the schema had.
TEST_F(SqliteDatabaseTest, BringsWhatAnOlderServiceWroteUpToDate) {
  {
    const Schema schema = SqliteSchema();
    const std::unique_ptr<SqliteConnection> old =
        *SqliteConnection::Open(path_);
    for (const absl::string_view migration : schema.migrations.first(2)) {
      ASSERT_TRUE(old->RunScript(std::string(migration)).ok());
    }
    ASSERT_TRUE(
        old->RunScript(
               "INSERT INTO graphs VALUES ('g', 'net', 1, 2, 3, 7000000, 'r', "
               "x'');"
               "INSERT INTO plans VALUES ('p', 'g', 'a', 's', 1, 2, x'');"
               "INSERT INTO trainings VALUES (41, 'r', 'g', 1, x'', x'', x'');"
               "PRAGMA user_version = 2")
            .ok());
  }
  const std::shared_ptr<SqlDatabase> database = *OpenSqliteDatabase(path_);
  EXPECT_EQ(ReadInt(*database, "SELECT registrations FROM graphs"), 1);
  EXPECT_EQ(
      ReadInt(*database, "SELECT value FROM counters WHERE name = 'trainings'"),
      41);
  // Retention knows the oldest.
  EXPECT_EQ(ReadInt(*database, "SELECT used_at_ms FROM graphs"), 7);
  EXPECT_EQ(ReadInt(*database, "SELECT used_at_ms FROM plans"), 7);
  EXPECT_EQ(ReadInt(*database, "SELECT lease_ends_ms FROM trainings"), 0);
}

TEST_F(SqliteDatabaseTest, RefusesTablesOfSomebodyElse) {
  ASSERT_TRUE((*SqliteConnection::Open(path_))
                  ->RunScript("CREATE TABLE graphs (mine TEXT)")
                  .ok());
  EXPECT_EQ(OpenSqliteDatabase(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(SqliteDatabaseTest, AFullDatabaseIsUnavailableAndKeepsWhatItHas) {
  const std::unique_ptr<SqliteConnection> connection =
      *SqliteConnection::Open(path_);
  ASSERT_TRUE(connection->RunScript("CREATE TABLE t (v TEXT)").ok());
  ASSERT_TRUE(connection->Run("PRAGMA max_page_count = 3").ok());
  EXPECT_TRUE(absl::IsUnavailable(
      connection->RunScript("INSERT INTO t VALUES (zeroblob(100000))")));
  EXPECT_EQ(ReadInt(*connection, "SELECT count(*) FROM t"), 0);
}

}  // namespace
}  // namespace stowage
