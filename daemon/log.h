// Writes log lines to standard error.
//
//   SetLogFormat(LogFormat::kJson);
//   Log(LogLevel::kWarning, "a graph was deleted", {{"graph_id", id}});
//
// For what happens a few times a minute, never for each step, heartbeat or
// answer.
#ifndef STOWAGE_DAEMON_LOG_H_
#define STOWAGE_DAEMON_LOG_H_

#include <string>

#include "absl/strings/string_view.h"
#include "daemon/log_line.h"

namespace stowage {

// Returns the format of that name: "text" or, for all others, "json".
LogFormat LogFormatOf(absl::string_view name);

// Sets the format of all lines from now on; text until then. Thread-safe.
void SetLogFormat(LogFormat format);

// Writes a line. Lines of several threads do not mix. If nobody reads them,
// blocks for a second, once; lines are then lost until somebody does, and a line
// tells how many. Thread-safe.
void Log(LogLevel level, absl::string_view message,
         const LogFields& fields = {});

}  // namespace stowage

#endif  // STOWAGE_DAEMON_LOG_H_
