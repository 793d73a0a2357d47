#include "tools/stowage/train/training_progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

constexpr int kBarWidth = 20;
constexpr char kClearLine[] = "\r\033[K";

std::string Bar(const v1::Episode& episode) {
  const int filled = std::clamp(
      kBarWidth * episode.episode() / std::max(1, episode.episodes()), 0,
      kBarWidth);
  return absl::StrCat("[", std::string(filled, '#'),
                      std::string(kBarWidth - filled, ' '), "] ");
}

// Returns whether to print a line of its own for the episode, where lines are
// not overwritten: for the first, the last and some between.
bool IsWorthALine(const v1::Episode& episode) {
  const int every = std::max(1, episode.episodes() / kBarWidth);
  return episode.episode() % every == 0 || episode.episode() == 1 ||
         episode.episode() == episode.episodes();
}

}  // namespace

std::string EpisodeText(const v1::Episode& episode) {
  return absl::StrCat(
      absl::StrFormat("%d/%d epsilon %.2f, loss %.4g, reward %.4g, ",
                      episode.episode(), episode.episodes(),
                      1 - episode.greedy_probability(), episode.loss(),
                      episode.reward()),
      episode.out_of_memory()
          ? "ended early, out of fast memory"
          : absl::StrCat("step ", FormatDurationNs(episode.step_time_ns())),
      episode.remaining_ns() > 0
          ? absl::StrFormat(", %.0f s left",
                            static_cast<double>(episode.remaining_ns()) * 1e-9)
          : "");
}

TrainingProgress::TrainingProgress() : terminal_(isatty(STDERR_FILENO) == 1) {}

TrainingProgress::~TrainingProgress() {
  if (terminal_ && shown_) std::cerr << kClearLine << std::flush;
}

void TrainingProgress::Show(const v1::Episode& episode) {
  shown_ = true;
  if (terminal_) {
    std::cerr << kClearLine << Bar(episode) << EpisodeText(episode)
              << std::flush;
  } else if (IsWorthALine(episode)) {
    std::cerr << EpisodeText(episode) << "\n";
  }
}

}  // namespace stowage::cli
