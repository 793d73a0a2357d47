#include "server/storage/sql_database.h"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/storage/databases.h"

namespace stowage {
namespace {

class SqlDatabaseTest : public EachDatabaseTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(database_
                    ->Run(GetParam() == DatabaseKind::kSqlite
                              ? "CREATE TABLE t (n INTEGER PRIMARY KEY,"
                                " s TEXT NOT NULL, b BLOB NOT NULL)"
                              : "CREATE TABLE t (n BIGINT PRIMARY KEY,"
                                " s TEXT NOT NULL, b BYTEA NOT NULL)")
                    .ok());
  }

  absl::Status Insert(int64_t number, absl::string_view text = "",
                      absl::string_view bytes = "") {
    return database_
        ->Run("INSERT INTO t VALUES ($1, $2, $3)",
              {number, text, SqlBlob{bytes}})
        .status();
  }
  int64_t Count() {
    return database_->Run("SELECT count(*) FROM t")->rows.at(0).Int(0);
  }
};

TEST_P(SqlDatabaseTest, ReturnsValuesAsTheyWere) {
  const std::string all_bytes = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
  }();
  for (const int64_t number :
       {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0},
        int64_t{255}, std::numeric_limits<int64_t>::max()}) {
    ASSERT_TRUE(Insert(number, "a 'quoted' \xc3\xa9 $1", all_bytes).ok());
    const auto found =
        database_->Run("SELECT n, s, b FROM t WHERE n = $1", {number});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->rows.at(0).Int(0), number);
    EXPECT_EQ(found->rows.at(0).Text(1), "a 'quoted' \xc3\xa9 $1");
    EXPECT_EQ(found->rows.at(0).Text(2), all_bytes);
  }
}

TEST_P(SqlDatabaseTest, NothingIsNotNull) {
  ASSERT_TRUE(Insert(1).ok());
  const auto found = database_->Run("SELECT s, b FROM t");
  EXPECT_EQ(found->rows.at(0).Text(0), "");
  EXPECT_EQ(found->rows.at(0).Text(1), "");
}

TEST_P(SqlDatabaseTest, TruthsAreNumbers) {
  const auto found = database_->Run("SELECT 1 = 1, 1 = 2");
  EXPECT_EQ(found->rows.at(0).Int(0), 1);
  EXPECT_EQ(found->rows.at(0).Int(1), 0);
}

TEST_P(SqlDatabaseTest, AColumnOfAnotherTypeIsNothing) {
  const auto found = database_->Run("SELECT 7, 'seven'");
  EXPECT_EQ(found->rows.at(0).Text(0), "");
  EXPECT_EQ(found->rows.at(0).Int(1), 0);
}

TEST_P(SqlDatabaseTest, CountsTheRowsThatChanged) {
  for (const int64_t number : {1, 2, 3}) ASSERT_TRUE(Insert(number).ok());
  EXPECT_EQ(database_->Run("UPDATE t SET s = 'x' WHERE n > 1")->changed, 2);
  EXPECT_EQ(database_->Run("DELETE FROM t WHERE n > 9")->changed, 0);
}

TEST_P(SqlDatabaseTest, KeepsLargeValues) {
  const std::string large(32 << 20, 'x');
  ASSERT_TRUE(Insert(1, "", large).ok());
  EXPECT_EQ(database_->Run("SELECT b FROM t")->rows.at(0).Text(0), large);
}

TEST_P(SqlDatabaseTest, SaysWhichConstraintFails) {
  ASSERT_TRUE(Insert(1).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Insert(1)));
  EXPECT_TRUE(Insert(2).ok());  // the connection goes on
}

TEST_P(SqlDatabaseTest, UndoesATransactionThatFails) {
  const absl::Status failed =
      database_->Transact([](SqlConnection& connection) {
        EXPECT_TRUE(connection
                        .Run("INSERT INTO t VALUES ($1, $2, $3)",
                             {1, absl::string_view("s"), SqlBlob{"b"}})
                        .ok());
        return absl::AbortedError("no");
      });
  EXPECT_TRUE(absl::IsAborted(failed));
  EXPECT_EQ(Count(), 0);
}

TEST_P(SqlDatabaseTest, TransactionsTakeTurns) {
  ASSERT_TRUE(Insert(0).ok());
  constexpr int kThreads = 4;
  constexpr int kTimes = 25;
  const auto count_up = [&] {
    for (int i = 0; i < kTimes; ++i) {
      const absl::Status done =
          database_->Transact([](SqlConnection& connection) {
            const auto found = connection.Run("SELECT max(n) FROM t");
            if (!found.ok()) return found.status();
            return connection
                .Run("INSERT INTO t VALUES ($1, $2, $3)",
                     {found->rows.at(0).Int(0) + 1, absl::string_view(""),
                      SqlBlob{""}})
                .status();
          });
      EXPECT_TRUE(done.ok()) << done;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(count_up);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Count(), 1 + kThreads * kTimes);
}

TEST_P(SqlDatabaseTest, KnowsTheTime) {
  const std::string query =
      absl::StrCat("SELECT ", database_->now_ms(), ", ", database_->now_ms());
  const int64_t now_ms = database_->Run(query)->rows.at(0).Int(0);
  EXPECT_NEAR(static_cast<double>(now_ms),
              static_cast<double>(absl::ToUnixMillis(absl::Now())), 60'000);
}

STOWAGE_FOR_EACH_DATABASE(SqlDatabaseTest);

}  // namespace
}  // namespace stowage
