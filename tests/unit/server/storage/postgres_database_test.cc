#include "server/storage/postgres_database.h"

#include <signal.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/storage/postgres_connection.h"
#include "tests/unit/server/storage/postgres_server.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCount[] = "SELECT count(*) FROM graphs";

TEST(PostgresDatabaseTest, KeepsRowsAndLetsSeveralServicesIn) {
  const std::string url = PostgresServer::Shared().NewDatabase();
  const auto first = OpenPostgresDatabase(url).value();
  const auto second = OpenPostgresDatabase(url).value();
  ASSERT_TRUE(first->Run("INSERT INTO counters VALUES ('a', 7)").ok());
  EXPECT_EQ(second->Run("SELECT value FROM counters WHERE name = 'a'")
                ->rows.at(0)
                .Int(0),
            7);
  EXPECT_TRUE(first->is_shared());
}

TEST(PostgresDatabaseTest, RefusesASchemaOfANewerVersion) {
  const std::string url = PostgresServer::Shared().NewDatabase();
  ASSERT_TRUE((*OpenPostgresDatabase(url))
                  ->Run("INSERT INTO stowage_schema VALUES (99)")
                  .ok());
  const absl::Status refused = OpenPostgresDatabase(url).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("version 99"));
}

TEST(PostgresDatabaseTest, RefusesTablesOfSomebodyElse) {
  const std::string url = PostgresServer::Shared().NewDatabase();
  ASSERT_TRUE((*PostgresConnection::Connect(url))
                  ->RunScript("CREATE TABLE graphs (mine TEXT)")
                  .ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenPostgresDatabase(url).status()));
}

TEST(PostgresDatabaseTest, SaysWhereItCouldNotConnectWithoutTheSecret) {
  const absl::Status nobody =
      OpenPostgresDatabase("postgresql://me:secret@127.0.0.1:1/db").status();
  EXPECT_TRUE(absl::IsUnavailable(nobody));
  EXPECT_THAT(std::string(nobody.message()),
              AllOf(HasSubstr("postgresql://me@127.0.0.1:1/db"),
                    HasSubstr("refused"), Not(HasSubstr("secret"))));
  const absl::Status malformed =
      OpenPostgresDatabase("postgresql://me@[::1/db").status();
  EXPECT_TRUE(absl::IsInvalidArgument(malformed));
  EXPECT_TRUE(absl::IsUnavailable(
      OpenPostgresDatabase(PostgresServer::Shared().Url("none")).status()));
}

TEST(PostgresDatabaseTest, GoesOnWhenTheServerIsBack) {
  PostgresServer server;
  const auto database = OpenPostgresDatabase(server.NewDatabase()).value();
  ASSERT_TRUE(database->Run(kCount).ok());
  server.Kill();
  const absl::Status gone = database->Run(kCount).status();
  EXPECT_TRUE(absl::IsUnavailable(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("try again"));
  server.Start();
  // Without a further failure, although the connections were lost.
  EXPECT_TRUE(database->Run(kCount).ok());
}

TEST(PostgresDatabaseTest, GivesUpAServerThatDoesNotAnswer) {
  PostgresServer server;
  const auto database = OpenPostgresDatabase(server.NewDatabase()).value();
  ASSERT_TRUE(database->Run(kCount).ok());
  server.Signal(SIGSTOP);
  absl::Time start;
  absl::Status status;
  do {  // Its processes run on until they have seen the signal.
    start = SteadyNow();
    status = database->Run(kCount).status();
  } while (status.ok());
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_LT(SteadyNow() - start, 2 * PostgresConnection::kAnswerTime);
  server.Signal(SIGCONT);
  EXPECT_TRUE(database->Run(kCount).ok());
}

TEST(PostgresDatabaseTest, AZeroByteInTextIsTheCallersMistake) {
  const auto database =
      OpenPostgresDatabase(PostgresServer::Shared().NewDatabase()).value();
  EXPECT_TRUE(absl::IsInvalidArgument(
      database
          ->Run("SELECT 1 FROM graphs WHERE graph_id = $1",
                {absl::string_view("a\0b", 3)})
          .status()));
  EXPECT_TRUE(database->Run(kCount).ok());
}

}  // namespace
}  // namespace stowage
