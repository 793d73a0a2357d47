#include "policies/stow/segment_annealing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "policies/stow/segment_streams.h"

namespace stowage {
namespace {

// What a proposal counts for itself.
constexpr int64_t kProposalWork = 50;

// Proposals between two looks at the clock.
constexpr int64_t kLookAtClock = 64;

// Tensors that have to give way to a change, at most.
constexpr int kMostEvictions = 3;

// What is done to find places for changes.
constexpr SegmentPlaces::Effort kForBetter = {.displaced = 3,
                                              .obstacles = 1000};
constexpr SegmentPlaces::Effort kForOthers = {.displaced = 0, .obstacles = 200};

// What a hundredth of the limit that is held too much costs, of the step.
constexpr double kExcessCost = 0.2;

// Of the stay that covers `boundary`, or that alone.
Span SpanAround(KernelIndex boundary, const std::vector<FastSegment>& stays) {
  for (const FastSegment& stay : stays) {
    if (stay.begin <= boundary && boundary < stay.end) {
      return {stay.begin, stay.end};
    }
  }
  return {boundary, boundary + 1};
}

}  // namespace

SegmentAnnealing::SegmentAnnealing(const Graph& graph,
                                   const MemorySystem& system,
                                   const std::vector<Stream>& streams)
    : graph_(graph),
      system_(system),
      neighbour_(graph, system.tiers[1].addressable, streams) {}

void SegmentAnnealing::Begin(BuildInput input,
                             const std::vector<int64_t>& allowed_bytes) {
  input_ = std::move(input);
  judge_.emplace(graph_, system_, input_, allowed_bytes);
  places_.reset();
  Allow(allowed_bytes);
}

void SegmentAnnealing::Allow(const std::vector<int64_t>& allowed_bytes) {
  judge_->Allow(allowed_bytes);
  now_ns_ = best_ns_ = CostNs();
  judge_->Mark();
  neighbour_.Aim(judge_->LostNs());
}

void SegmentAnnealing::KeepPlaces(int64_t arena_bytes) {
  places_.emplace(graph_, arena_bytes, judge_->stays());
}

int64_t SegmentAnnealing::Work() const {
  return judge_->work() + (places_.has_value() ? places_->work() : 0);
}

bool SegmentAnnealing::FindsPlaces(bool is_better) {
  if (!places_.has_value()) return true;
  if (!places_->Replace(changed_, judge_->stays(),
                        is_better ? kForBetter : kForOthers)) {
    return false;
  }
  for (const TensorIndex t : places_->touched()) {
    judge_->SetOffsets(t, places_->stays()[t]);
  }
  return true;
}

// Nanoseconds, more where more is held than may be.
double SegmentAnnealing::CostNs() {
  const SegmentJudge::Judgement judgement = judge_->Judge();
  const double excess_share = static_cast<double>(judgement.excess_bytes) /
                              static_cast<double>(input_.fast_limit_bytes);
  return static_cast<double>(judgement.step_ns) *
         (1 + 100 * kExcessCost * std::max(0.0, excess_share));
}

bool SegmentAnnealing::Propose() {
  std::optional<StayChange> change =
      neighbour_.Change(random_, judge_->stays());
  if (!change.has_value()) return false;
  const int64_t before_bytes = judge_->excess_bytes();
  changed_ = {change->tensor};
  judge_->Replace(*std::move(change));
  for (int n = 0; n < kMostEvictions; ++n) {
    const int64_t excess_bytes = judge_->excess_bytes();
    if (excess_bytes <= std::max<int64_t>(0, before_bytes)) break;
    const KernelIndex boundary = judge_->excess_boundary();
    change = neighbour_.Evict(
        random_, judge_->stays(), boundary,
        SpanAround(boundary, judge_->stays()[changed_[0]]), excess_bytes);
    if (!change.has_value() || std::find(changed_.begin(), changed_.end(),
                                         change->tensor) != changed_.end()) {
      break;
    }
    changed_.push_back(change->tensor);
    judge_->Replace(*std::move(change));
  }
  return true;
}

BuildInput SegmentAnnealing::Run(const AnnealingEffort& effort) {
  std::uniform_real_distribution<double> chance(0, 1);
  const double first_ns = effort.temperature * best_ns_;
  const int64_t work_before = Work();
  bool aimed = true;
  for (int64_t n = 0;; ++n) {
    if (n % kLookAtClock == 0) {
      if (absl::Now() > effort.deadline) break;
      if (!aimed) neighbour_.Aim(judge_->LostNs());
      aimed = true;
    }
    const auto done =
        static_cast<double>(Work() - work_before + n * kProposalWork);
    const double left = 1 - done / static_cast<double>(effort.work);
    if (left <= 0) break;
    if (!Propose()) continue;
    const double ns = CostNs();
    if (ns > now_ns_ &&
        chance(random_) >= std::exp((now_ns_ - ns) / (first_ns * left))) {
      judge_->Reject();
      continue;
    }
    if (!FindsPlaces(ns < now_ns_)) {
      judge_->Reject();
      continue;
    }
    judge_->Accept();
    now_ns_ = ns;
    if (ns >= best_ns_) continue;
    judge_->Mark();
    best_ns_ = ns;
    aimed = false;
  }
  BuildInput better = input_;
  const StaysByTensor stays = judge_->Marked();
  better.segments.clear();
  for (const std::vector<FastSegment>& some : stays) {
    better.segments.insert(better.segments.end(), some.begin(), some.end());
  }
  if (!HasAddressableSlowTier(system_)) {
    better.streams = StreamsOf(graph_, better.streams, stays);
    if (better.streams.empty()) better.stream_window_bytes = 0;
  }
  return better;
}

}  // namespace stowage
