// Names the exit statuses of stowaged, which docs/reference-stowaged.md lists.
//
//   if (!config.ok()) return kExitUsage;
#ifndef STOWAGE_SERVER_RUNTIME_EXIT_CODE_H_
#define STOWAGE_SERVER_RUNTIME_EXIT_CODE_H_

namespace stowage {

enum ExitCode : int {
  kExitOk = 0,
  // A flag or environment variable is unknown or malformed, or the process may
  // open too few descriptors.
  kExitUsage = 1,
  // The database cannot be opened.
  kExitDatabase = 2,
  // An address cannot be bound, or the port file cannot be written.
  kExitAddress = 3,
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_EXIT_CODE_H_
