#include "daemon/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "absl/base/const_init.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace stowage {
namespace {

std::atomic<LogFormat> log_format = LogFormat::kText;
ABSL_CONST_INIT absl::Mutex log_mutex(absl::kConstInit);

void WriteAll(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(written);
  }
}

}  // namespace

LogFormat LogFormatOf(absl::string_view name) {
  return name == "text" ? LogFormat::kText : LogFormat::kJson;
}

void SetLogFormat(LogFormat format) { log_format = format; }

void Log(LogLevel level, absl::string_view message, const LogFields& fields) {
  const std::string line =
      FormatLogLine(log_format, absl::Now(), level, message, fields);
  absl::MutexLock lock(&log_mutex);
  WriteAll(line);
}

}  // namespace stowage
