#include "daemon/log.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "absl/base/const_init.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace stowage {
namespace {

// How long a line waits for somebody to read those before it.
constexpr int kPatienceMs = 1000;

std::atomic<LogFormat> log_format = LogFormat::kText;

ABSL_CONST_INIT absl::Mutex log_mutex(absl::kConstInit);
// Lines that nobody has read, since the last one that was written.
int64_t lost ABSL_GUARDED_BY(log_mutex) = 0;
// Whether the last line was not written to its end.
bool is_cut ABSL_GUARDED_BY(log_mutex) = false;

bool HasRoom(int patience_ms) {
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  int ready;
  do {
    ready = poll(&output, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  return ready == 1 && output.revents == POLLOUT;
}

// Returns whether all of the text was written. A pipe that has room takes
// PIPE_BUF bytes at least.
bool TryWrite(absl::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(log_mutex) {
  const int patience_ms = lost > 0 ? 0 : kPatienceMs;
  while (!text.empty()) {
    if (!HasRoom(patience_ms)) return false;
    const ssize_t written =
        write(STDERR_FILENO, text.data(), text.substr(0, PIPE_BUF).size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(written);
    is_cut = !text.empty();
  }
  return true;
}

std::string LineNow(LogLevel level, absl::string_view message,
                    const LogFields& fields) {
  return FormatLogLine(log_format, absl::Now(), level, message, fields);
}

// Writes what there is to say of lines before; returns false if nobody reads
// yet.
bool CatchUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(log_mutex) {
  if (is_cut && !TryWrite("\n")) return false;
  if (lost == 0) return true;
  if (!TryWrite(LineNow(LogLevel::kWarning,
                        "log lines were lost, since nobody read those before",
                        {{"lost", lost}}))) {
    return false;
  }
  lost = 0;
  return true;
}

}  // namespace

LogFormat LogFormatOf(absl::string_view name) {
  return name == "text" ? LogFormat::kText : LogFormat::kJson;
}

void SetLogFormat(LogFormat format) { log_format = format; }

void Log(LogLevel level, absl::string_view message, const LogFields& fields) {
  const std::string line = LineNow(level, message, fields);
  absl::MutexLock lock(&log_mutex);
  if (!CatchUp() || !TryWrite(line)) ++lost;
}

}  // namespace stowage
