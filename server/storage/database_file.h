// Claims the file of a database, so that one service at a time uses it and only
// its owner may read it.
//
//   absl::StatusOr<DatabaseFile> file = DatabaseFile::Claim("/var/lib/a.db");
//   if (!file->warning().empty()) std::cerr << file->warning() << "\n";
#ifndef STOWAGE_SERVER_STORAGE_DATABASE_FILE_H_
#define STOWAGE_SERVER_STORAGE_DATABASE_FILE_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "network/owned_fd.h"

namespace stowage {

// Holds the claim while it lives. The claim also ends with the process.
// Movable.
class DatabaseFile {
 public:
  // Makes the file if it does not exist. Whatever the umask is, its owner alone
  // may read and write it; SQLite gives the files beside it the same mode. Then
  // locks "PATH.lock". It does not lock the database, because SQLite takes and
  // releases locks there, and any part of the process that closed the database
  // would release ours. ":memory:" needs neither file nor lock.
  static absl::StatusOr<DatabaseFile> Claim(const std::string& path);

  // Returns what the operator of the service should know, such as that others
  // may read the file; empty: nothing.
  const std::string& warning() const { return warning_; }

 private:
  DatabaseFile(OwnedFd lock, std::string warning)
      : lock_(std::move(lock)), warning_(std::move(warning)) {}

  OwnedFd lock_;
  std::string warning_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_DATABASE_FILE_H_
