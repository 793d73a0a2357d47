// Claims the file of a database: one service at a time may use it, and only its
// owner may read it.
//
//   absl::StatusOr<DatabaseFile> file = DatabaseFile::Claim("/var/lib/a.db");
//   if (!file->warning().empty()) std::cerr << file->warning() << "\n";
#ifndef STOWAGE_SERVER_GRAPHS_DATABASE_FILE_H_
#define STOWAGE_SERVER_GRAPHS_DATABASE_FILE_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "network/owned_fd.h"

namespace stowage {

// Holds the claim while it lives, and at most as long as its process. Movable.
class DatabaseFile {
 public:
  // Makes the file if it does not exist, readable and writable by its owner
  // alone whatever the umask is; SQLite gives the files beside it the same
  // mode. Then locks "PATH.lock", a file of its own, because SQLite's locks on
  // the database come and go, and another part of the process that closed the
  // database would release them. ":memory:" needs neither.
  static absl::StatusOr<DatabaseFile> Claim(const std::string& path);

  // Returns an empty string, or what the operator of the service should know:
  // that others may read the file, say.
  const std::string& warning() const { return warning_; }

 private:
  DatabaseFile(OwnedFd lock, std::string warning)
      : lock_(std::move(lock)), warning_(std::move(warning)) {}

  OwnedFd lock_;
  std::string warning_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_DATABASE_FILE_H_
