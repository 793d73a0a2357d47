// Shows on stderr what a long command is doing: in one line that changes on a
// terminal, in plain lines elsewhere.
//
//   Progress progress(12);
//   progress.Step("resnet152, belady, 40%");
#ifndef STOWAGE_TOOLS_STOWAGE_OUTPUT_PROGRESS_H_
#define STOWAGE_TOOLS_STOWAGE_OUTPUT_PROGRESS_H_

#include <string>

namespace stowage::cli {

// Not thread-safe.
class Progress {
 public:
  explicit Progress(int step_count);
  // Clears the line on a terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins the next step.
  void Step(const std::string& what);

 private:
  const bool terminal_;
  const int step_count_;
  int step_ = 0;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_PROGRESS_H_
