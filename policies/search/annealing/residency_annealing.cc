#include "policies/search/annealing/residency_annealing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "policies/search/annealing/residency_streams.h"

namespace stowage::policies {
namespace {

// The work that a proposal counts for itself.
constexpr int64_t kProposalWork = 50;

// The number of proposals between two looks at the clock.
constexpr int64_t kLookAtClock = 64;

// The most tensors that give way to a change, and to an imitation.
constexpr int kMostEvictions = 3;
constexpr int kMostEvictionsForTwins = 20;

// The share of changes that are aimed.
constexpr double kAimed = 0.5;

// The number of kernels around which changes are tried between two looks at
// where time is lost.
constexpr int kReheatedAtOnce = 10;

// The number of changes that are tried in a row around a kernel, the most
// kernels to either side, and the temperature as a share of what is lost there.
constexpr int kInARow = 8;
constexpr KernelIndex kMostAround = 17;
constexpr double kLocalTemperature = 0.1;

// An imitation has 2^0, 2^1 .. kernels to either side, each equally likely;
// this is the number of powers.
constexpr int kTwinLengths = 7;

// The effort to find places for changes.
constexpr ResidencyPlaces::Effort kForBetter = {.displaced = 3,
                                                .obstacles = 1000};
constexpr ResidencyPlaces::Effort kForOthers = {.displaced = 0,
                                                .obstacles = 200};

// What a hundredth of the limit that is held too much costs, as a share of the
// step.
constexpr double kExcessCost = 0.2;

// Returns the span of the residency that covers `boundary`, or that boundary
// alone.
Span SpanAround(KernelIndex boundary,
                const std::vector<Residency>& residencies) {
  for (const Residency& residency : residencies) {
    if (residency.begin <= boundary && boundary < residency.end) {
      return {residency.begin, residency.end};
    }
  }
  return {boundary, boundary + 1};
}

}  // namespace

ResidencyAnnealing::ResidencyAnnealing(const Graph& graph,
                                       const MemorySystem& system,
                                       const std::vector<Stream>& streams,
                                       uint64_t seed)
    : graph_(graph),
      system_(system),
      neighbour_(graph, system.tiers[1].addressable, streams),
      twins_(graph),
      random_(seed) {}

void ResidencyAnnealing::Begin(BuildInput input,
                               const std::vector<int64_t>& allowed_bytes) {
  input_ = std::move(input);
  judge_.emplace(graph_, system_, input_, allowed_bytes);
  places_.reset();
  Allow(allowed_bytes);
}

void ResidencyAnnealing::Allow(const std::vector<int64_t>& allowed_bytes) {
  judge_->Allow(allowed_bytes);
  now_ns_ = best_ns_ = CostNs();
  judge_->Mark();
}

void ResidencyAnnealing::KeepPlaces(int64_t arena_bytes) {
  places_.emplace(graph_, arena_bytes, judge_->residencies());
}

int64_t ResidencyAnnealing::Work() const {
  return judge_->work() + (places_.has_value() ? places_->work() : 0) +
         kProposalWork * proposals_;
}

bool ResidencyAnnealing::FindsPlaces(bool is_better) {
  if (!places_.has_value()) return true;
  if (!places_->Replace(changed_, judge_->residencies(),
                        is_better ? kForBetter : kForOthers)) {
    return false;
  }
  for (const TensorIndex t : places_->touched()) {
    RememberForUndo(t);
    judge_->SetOffsets(t, places_->residencies()[t]);
  }
  return true;
}

void ResidencyAnnealing::RememberForUndo(TensorIndex t) {
  if (!is_undoable_) return;
  const bool known = std::any_of(
      undo_.begin(), undo_.end(),
      [&](const ResidencyChange& undo) { return undo.tensor == t; });
  if (!known) undo_.push_back({t, judge_->AcceptedResidencies(t)});
}

void ResidencyAnnealing::UndoAll() {
  if (places_.has_value()) places_->Return(undo_);
  for (ResidencyChange& undo : undo_) judge_->Replace(std::move(undo));
  now_ns_ = CostNs();
  judge_->Accept();
}

// Returns nanoseconds; more if more is held than allowed.
double ResidencyAnnealing::CostNs() {
  const ResidencyJudge::Judgement judgement = judge_->Judge();
  const double excess_share = static_cast<double>(judgement.excess_bytes) /
                              static_cast<double>(input_.fast_limit_bytes);
  return static_cast<double>(judgement.step_ns) *
         (1 + 100 * kExcessCost * std::max(0.0, excess_share));
}

bool ResidencyAnnealing::Propose() {
  std::optional<ResidencyChange> change =
      neighbour_.Change(random_, judge_->residencies());
  if (!change.has_value()) return false;
  const int64_t before_bytes = judge_->excess_bytes();
  changed_ = {change->tensor};
  judge_->Replace(*std::move(change));
  MakeRoom(kMostEvictions, before_bytes, std::nullopt);
  return true;
}

void ResidencyAnnealing::MakeRoom(int most_evictions, int64_t before_bytes,
                                  const std::optional<Span>& span) {
  for (int n = 0; n < most_evictions; ++n) {
    const int64_t excess_bytes = judge_->excess_bytes();
    if (excess_bytes <= std::max<int64_t>(0, before_bytes)) break;
    const KernelIndex boundary = judge_->excess_boundary();
    std::optional<ResidencyChange> change = neighbour_.Evict(
        random_, judge_->residencies(), boundary,
        span.value_or(SpanAround(boundary, judge_->residencies()[changed_[0]])),
        excess_bytes);
    if (!change.has_value() || std::find(changed_.begin(), changed_.end(),
                                         change->tensor) != changed_.end()) {
      break;
    }
    changed_.push_back(change->tensor);
    judge_->Replace(*std::move(change));
  }
}

void ResidencyAnnealing::Try(double temperature_ns) {
  std::uniform_real_distribution<double> chance(0, 1);
  ++proposals_;
  if (!Propose()) return;
  const double ns = CostNs();
  const bool is_accepted =
      ns <= now_ns_ ||
      chance(random_) < std::exp((now_ns_ - ns) / temperature_ns);
  if (!is_accepted || !FindsPlaces(ns < now_ns_)) return judge_->Reject();
  Accept(ns);
}

void ResidencyAnnealing::Accept(double ns) {
  for (const TensorIndex t : changed_) RememberForUndo(t);
  judge_->Accept();
  now_ns_ = ns;
  if (ns >= best_ns_) return;
  judge_->Mark();
  best_ns_ = ns;
}

void ResidencyAnnealing::Cool(int64_t work, const AnnealingEffort& effort) {
  const double first_ns = effort.temperature * best_ns_;
  const int64_t work_before = Work();
  double aimed_ns = 0;
  for (int64_t n = 0;; ++n) {
    if (n % kLookAtClock == 0) {
      if (effort.IsOver()) return;
      if (best_ns_ != aimed_ns) neighbour_.Aim(0, judge_->LostNs(), kAimed);
      aimed_ns = best_ns_;
    }
    const double left = 1 - static_cast<double>(Work() - work_before) /
                                static_cast<double>(work);
    if (left <= 0) return;
    Try(first_ns * left);
  }
}

void ResidencyAnnealing::Reheat(int64_t work, const AnnealingEffort& effort) {
  using Draw = std::discrete_distribution<KernelIndex>;
  const int64_t end = Work() + work;
  while (Work() < end && !effort.IsOver()) {
    const LostTime lost(judge_->LostNs());
    const std::vector<int64_t>& all_ns = lost.by_kernel_ns();
    const std::vector<int64_t> more_ns = twins_.MoreThanTwinsNs(lost);
    Draw by_loss[] = {Draw(all_ns.begin(), all_ns.end()),
                      Draw(more_ns.begin(), more_ns.end())};
    for (int n = 0; n < kReheatedAtOnce; ++n) {
      ReheatAround(by_loss[random_() % 2](random_), lost);
    }
  }
}

void ResidencyAnnealing::ReheatAround(KernelIndex kernel,
                                      const LostTime& lost) {
  std::uniform_int_distribution<KernelIndex> radius(2, kMostAround);
  const KernelIndex around = radius(random_);
  const auto [begin, end] = lost.Clip({kernel - around, kernel + around + 1});
  const int64_t ns = lost.WithinNs({begin, end});
  // Half of the changes go to kernels that lose time, half to any.
  std::vector<int64_t> aim_ns;
  aim_ns.reserve(end - begin);
  for (KernelIndex k = begin; k < end; ++k) {
    aim_ns.push_back(lost.by_kernel_ns()[k] + ns / (end - begin));
  }
  neighbour_.Aim(begin, aim_ns, 1);
  const double before_ns = now_ns_;
  is_undoable_ = true;
  undo_.clear();
  if (random_() % 2 == 0) ImitateTwins(kernel, lost);
  for (int n = 0; n < kInARow; ++n) {
    Try(kLocalTemperature * static_cast<double>(ns) * (kInARow - n) / kInARow);
  }
  is_undoable_ = false;
  if (now_ns_ > before_ns) UndoAll();
}

void ResidencyAnnealing::ImitateTwins(KernelIndex kernel,
                                      const LostTime& lost) {
  const KernelIndex around = 1 << (random_() % kTwinLengths);
  const std::optional<TwinStretch> stretch =
      twins_.Draw(random_, kernel, around, lost);
  if (!stretch.has_value()) return;
  const int64_t before_bytes = judge_->excess_bytes();
  ++proposals_;
  changed_.clear();
  for (const auto& [t, twin] : stretch->tensors) {
    std::optional<ResidencyChange> change =
        neighbour_.Imitate(*stretch, t, judge_->AcceptedResidencies(t),
                           judge_->AcceptedResidencies(twin));
    if (!change.has_value()) continue;
    changed_.push_back(t);
    judge_->Replace(*std::move(change));
  }
  MakeRoom(kMostEvictionsForTwins, before_bytes, stretch->kernels);
  const double ns = CostNs();
  if (!FindsPlaces(true)) return judge_->Reject();
  Accept(ns);
}

BuildInput ResidencyAnnealing::Best() const {
  BuildInput better = input_;
  const ResidenciesByTensor residencies = judge_->Marked();
  better.residencies.clear();
  for (const std::vector<Residency>& some : residencies) {
    better.residencies.insert(better.residencies.end(), some.begin(),
                              some.end());
  }
  if (!HasAddressableSlowTier(system_)) {
    better.streams = StreamsOf(graph_, better.streams, residencies);
  }
  return better;
}

BuildInput ResidencyAnnealing::Run(const AnnealingEffort& effort) {
  const auto first = static_cast<int64_t>((1 - effort.reheating) *
                                          static_cast<double>(effort.work));
  Cool(first, effort);
  Reheat(effort.work - first, effort);
  return Best();
}

}  // namespace stowage::policies
