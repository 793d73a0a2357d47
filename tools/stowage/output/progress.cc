#include "tools/stowage/output/progress.h"

#include <unistd.h>

#include <iostream>

namespace stowage::cli {
namespace {

constexpr int kBarWidth = 20;
constexpr char kClearLine[] = "\r\033[K";

}  // namespace

Progress::Progress(int step_count)
    : terminal_(isatty(STDERR_FILENO) == 1), step_count_(step_count) {}

Progress::~Progress() {
  if (terminal_ && step_ > 0) std::cerr << kClearLine << std::flush;
}

void Progress::Step(const std::string& what) {
  if (terminal_) {
    const int filled = kBarWidth * step_ / step_count_;
    std::cerr << kClearLine << "[" << std::string(filled, '#')
              << std::string(kBarWidth - filled, ' ') << "] ";
  }
  ++step_;
  std::cerr << step_ << "/" << step_count_ << " " << what;
  if (terminal_) {
    std::cerr << std::flush;
  } else {
    std::cerr << "\n";
  }
}

}  // namespace stowage::cli
