#include "server/runtime/store_counts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

StoreCounts::Counts NoAnswer() {
  const absl::Status status = absl::UnavailableError(
      absl::StrCat("the database has not answered for ",
                   absl::FormatDuration(StoreCounts::kPatience),
                   "; look at its host and the connection to it"));
  return {status, status, status};
}

}  // namespace

StoreCounts::StoreCounts(GraphStore* graphs, TrainingStore* trainings)
    : graphs_(graphs), trainings_(trainings), thread_([this] { Work(); }) {}

StoreCounts::~StoreCounts() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  asks_.Ring();
  thread_.join();
}

StoreCounts::Counts StoreCounts::Read() {
  const uint64_t heard = answers_.rings();
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = SteadyNow();
    if (now - asked_.value_or(now) > kPatience) return NoAnswer();
    if (!asked_.has_value()) asked_ = now;
  }
  asks_.Ring();
  if (!answers_.AwaitFor(kPatience, heard)) return NoAnswer();
  absl::MutexLock lock(&mutex_);
  return counts_;
}

StoreCounts::Counts StoreCounts::Count() {
  Counts counts;
  counts.graphs = graphs_->CountGraphs();
  // One that hangs is not asked again and again.
  if (!counts.graphs.ok()) {
    counts.queued_trainings = counts.versions = counts.graphs.status();
    return counts;
  }
  counts.queued_trainings = trainings_->CountQueued();
  counts.versions = trainings_->CountVersions();
  return counts;
}

void StoreCounts::Work() {
  uint64_t heard = 0;
  for (;;) {
    if (!asks_.AwaitFor(absl::Hours(1), heard)) continue;
    heard = asks_.rings();
    {
      absl::MutexLock lock(&mutex_);
      if (stopping_) return;
    }
    Counts counts = Count();
    {
      absl::MutexLock lock(&mutex_);
      counts_ = std::move(counts);
      asked_.reset();
    }
    answers_.Ring();
  }
}

}  // namespace stowage
