// Reads a configuration file: "name = value" lines, '#' before comments.
//
//   absl::StatusOr<std::vector<FileEntry>> entries =
//       ReadConfigFile("/etc/stowage/stowaged.conf");
//   // planning-threads = 4
//   // roles = ["scheduler=sched.example", "agent=*.nodes.example"]
//
// CLI11 parses it, since the programs read their flags with it anyway. It
// takes a '#' for a comment's begin also between quotes.
#ifndef STOWAGE_DAEMON_CONFIG_FILE_H_
#define STOWAGE_DAEMON_CONFIG_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage {

// Plain data.
struct FileEntry {
  std::string name;
  std::vector<std::string> values;  // several: an array
};

// Reads the file, which is at most 1 MiB. NOT_FOUND if it cannot be read;
// INVALID_ARGUMENT names the file, the key and the remedy. Blocks on the file
// system.
absl::StatusOr<std::vector<FileEntry>> ReadConfigFile(const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_DAEMON_CONFIG_FILE_H_
