// Damages the file of a database.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/storage/sqlite_connection.h"
#include "server/storage/sqlite_database.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int kPageBytes = 4096;
constexpr int kRows = 2000;

class SqliteDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::unique_ptr<SqliteConnection> database =
        *SqliteConnection::Open(path_);
    ASSERT_TRUE(
        database
            ->RunScript(absl::StrCat(
                "CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB);"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                " WHERE i < ",
                kRows,
                ")"
                "INSERT INTO t SELECT i, zeroblob(8000) FROM n"))
            .ok());
  }

  // Overwrites all but the first two pages, which say what tables there are.
  void Damage() {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const auto size_bytes = std::filesystem::file_size(path_);
    ASSERT_GT(size_bytes, 10 * kPageBytes);
    file.seekp(2 * kPageBytes);
    file << std::string(size_bytes - 2 * kPageBytes, '\xff');
  }

  static absl::Status ReadAll(SqlConnection& database) {
    return database.Run("SELECT sum(length(v)) FROM t WHERE v <> x''").status();
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/a.db";
};

TEST_F(SqliteDamageTest, IsLookedForToTheEnd) {
  const std::unique_ptr<SqliteConnection> database =
      *SqliteConnection::Open(path_);
  EXPECT_TRUE(*database->LookForDamage(absl::InfiniteDuration()));
  EXPECT_TRUE(database->RunScript("DELETE FROM t WHERE k = 1").ok());
}

TEST_F(SqliteDamageTest, IsFound) {
  Damage();
  const std::unique_ptr<SqliteConnection> database =
      *SqliteConnection::Open(path_);
  const absl::Status found =
      database->LookForDamage(absl::InfiniteDuration()).status();
  EXPECT_EQ(found.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(found.message()), HasSubstr("backup"));
}

TEST_F(SqliteDamageTest, IsNotLookedForBeyondItsTime) {
  const std::unique_ptr<SqliteConnection> database =
      *SqliteConnection::Open(path_);
  const absl::StatusOr<bool> looked =
      database->LookForDamage(absl::ZeroDuration());
  ASSERT_TRUE(looked.ok()) << looked.status();
  // The database works on, also if the time was over before the check.
  EXPECT_TRUE(ReadAll(*database).ok());
}

TEST_F(SqliteDamageTest, EndsWritesOfTheConnectionThatMeetsIt) {
  const std::unique_ptr<SqliteConnection> database =
      *SqliteConnection::Open(path_);
  ASSERT_TRUE(ReadAll(*database).ok());
  Damage();
  EXPECT_EQ(ReadAll(*database).code(), absl::StatusCode::kDataLoss);
  for (const char* write : {"INSERT INTO t VALUES (0, x'01')",
                            "CREATE TABLE u (a)", "BEGIN IMMEDIATE"}) {
    const absl::Status refused = database->RunScript(write);
    EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss) << write;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("backup"));
  }
  EXPECT_TRUE(database->Run("SELECT count(*) FROM sqlite_schema").ok());
}

TEST_F(SqliteDamageTest, KeepsADatabaseFromBeingOpened) {
  Damage();
  const absl::Status refused = OpenSqliteDatabase(path_).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(path_));
}

}  // namespace
}  // namespace stowage
