// Hands the steps of a job to training loggers: to a file, line by line, and to
// Python functions, which take what has come since they took last.
//
//   StepLog log(&segment->report, "/tmp/steps.jsonl");
//   log.Take();                              // from here on lines are collected
//   log.Add(record, kind, /*surprise=*/"");  // a step has ended
//   std::string lines = log.Take();
//
// The process itself writes the file: it has the record first, and still when
// its agent has died. A line is written by one write(2) to a file that is open
// for appending, so that ranks may share it, and a crash leaves whole lines.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LOG_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LOG_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

class StepLog {
 public:
  // Who takes lines more rarely misses the oldest.
  static constexpr size_t kMostLines = 1024;

  // `path` is the file; "-": standard output; empty: none. `report` must
  // outlive this.
  StepLog(session::Report* report, std::string path)
      : report_(report), path_(std::move(path)) {}
  ~StepLog();
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  // Adds a step that is over. If the file cannot be written, an event of the
  // report says so, and no more lines go there.
  void Add(const session::StepRecord& record, int32_t kind,
           std::string_view surprise);
  // Returns the lines that were added since the last call, each with its end.
  // The first call returns none.
  std::string Take();

 private:
  void Write(const std::string& line);
  void Fail(int error);

  session::Report* report_;
  std::string path_;  // empty: lines go to no file
  int fd_ = -1;
  bool collects_ = false;
  std::deque<std::string> lines_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LOG_H_
