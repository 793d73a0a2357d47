// Runs a PostgreSQL of the test's own, on a private socket.
//
//   PostgresServer postgres;
//   std::string url = postgres.NewDatabase();
//   postgres.Signal(SIGSTOP);
//   postgres.Kill();
//   postgres.Start();
#ifndef STOWAGE_TESTS_UNIT_SERVER_STORAGE_POSTGRES_SERVER_H_
#define STOWAGE_TESTS_UNIT_SERVER_STORAGE_POSTGRES_SERVER_H_

#include <sys/types.h>

#include <string>

#include "tests/unit/server/testing.h"

namespace stowage {

// Aborts if PostgreSQL cannot be started, since no test can go on then. The
// server ends with the object, and with the process. Not thread-safe.
class PostgresServer {
 public:
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Returns one that the tests of this process share.
  static PostgresServer& Shared();

  // Makes an empty database and returns its URL.
  std::string NewDatabase();
  // Returns the URL of the database that tools connect to.
  std::string Url(const std::string& database = "postgres") const;

  // Starts the server again and blocks until it answers.
  void Start();
  // Ends the server as a crash would. What it has acknowledged is kept.
  void Kill();
  // Sends a signal to the server and all that it has started.
  void Signal(int signal);

 private:
  TemporaryDirectory directory_;
  pid_t pid_ = -1;
  int databases_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_STORAGE_POSTGRES_SERVER_H_
