// The file of a database: one service at a time, for its owner's eyes alone.
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

// Holds the claim while it lives, and no longer than its process. Movable.
class DatabaseFile {
 public:
  // Makes the file, readable and writable by its owner alone whatever the
  // umask is, when it is not there; SQLite gives the files beside it the same
  // mode. Then locks "PATH.lock", a file of its own, because SQLite's locks on
  // the database come and go, and would be lost if somebody else in the process
  // closed it. ":memory:" needs neither.
  // FAILED_PRECONDITION names the process that has the database; UNAVAILABLE
  // when a file cannot be made.
  static absl::StatusOr<DatabaseFile> Claim(const std::string& path);

  // Empty, or what whoever runs the service should know: others may read the
  // file, say.
  const std::string& warning() const { return warning_; }

 private:
  DatabaseFile(OwnedFd lock, std::string warning)
      : lock_(std::move(lock)), warning_(std::move(warning)) {}

  OwnedFd lock_;
  std::string warning_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_DATABASE_FILE_H_
