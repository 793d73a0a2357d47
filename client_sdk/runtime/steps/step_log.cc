#include "client_sdk/runtime/steps/step_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/runtime/process/rank.h"
#include "client_sdk/runtime/steps/step_line.h"
#include "client_sdk/session/error_text.h"

namespace stowage::runtime {
namespace {

int64_t WallClockNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

int Open(const std::string& path) {
  if (path == "-") return dup(STDOUT_FILENO);
  return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

}  // namespace

StepLog::~StepLog() {
  if (fd_ >= 0) close(fd_);
}

void StepLog::Add(const session::StepRecord& record, int32_t kind,
                  std::string_view surprise) {
  if (path_.empty() && !collects_) return;
  const size_t id_length = strnlen(report_->job_id, sizeof(report_->job_id));
  const std::string line =
      StepLine(record, {.job_id = {report_->job_id, id_length},
                        .pid = static_cast<int32_t>(getpid()),
                        .rank = RankOfProcess(),
                        .time_ns = WallClockNs(),
                        .kind = kind,
                        .surprise = surprise}) +
      "\n";
  if (!path_.empty()) Write(line);
  if (!collects_) return;
  lines_.push_back(line);
  if (lines_.size() > kMostLines) lines_.pop_front();
}

void StepLog::Write(const std::string& line) {
  if (fd_ < 0) fd_ = Open(path_);
  if (fd_ < 0) return Fail(errno);
  ssize_t written = -1;
  do {
    written = write(fd_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return Fail(errno);
  if (written < static_cast<ssize_t>(line.size())) Fail(ENOSPC);
}

void StepLog::Fail(int error) {
  ReportEvent(report_, "step-log-failed",
              "no more lines in '" + path_ + "': " + session::ErrorText(error));
  path_.clear();
}

std::string StepLog::Take() {
  collects_ = true;
  std::string taken;
  for (const std::string& line : std::exchange(lines_, {})) taken += line;
  return taken;
}

}  // namespace stowage::runtime
