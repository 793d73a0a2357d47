#include "policies/stow/choice_neighbour.h"

#include <algorithm>

namespace stowage {
namespace {

constexpr int kMostChanges = 3;

// One of this many changes is made anywhere.
constexpr int kLostShare = 4;

bool Overlap(const Gap& a, const Gap& b, KernelIndex step) {
  for (const KernelIndex turn : {-step, 0, step}) {
    if (a.from < b.to + turn && b.from + turn < a.to) return true;
  }
  return false;
}

}  // namespace

NeighbourFinder::NeighbourFinder(const Graph& graph,
                                 const AbsenceChoices& choices)
    : choices_(choices),
      step_(graph.kernel_count() + 1),
      covering_(step_),
      all_of_(graph.tensors.size()) {
  for (size_t a = 0; a < choices.absences.size(); ++a) {
    const Absence& absence = choices.absences[a];
    all_of_[absence.gap.tensor].push_back(a);
    for (KernelIndex b = absence.from; b < absence.to; ++b) {
      covering_[b % step_].push_back(a);
    }
  }
}

std::optional<std::vector<Choice>> NeighbourFinder::Change(
    const std::vector<Choice>& chosen, const std::vector<double>& costs,
    const std::vector<int64_t>& excess_bytes,
    const std::vector<int64_t>& lost_ns, std::mt19937_64& random) {
  costs_ = &costs;
  Reset(chosen, excess_bytes);
  std::vector<int64_t> lost_before_ns = {0};
  for (const int64_t ns : lost_ns) {
    lost_before_ns.push_back(lost_before_ns.back() + ns);
  }
  const auto changes = 1 + random() % kMostChanges;
  for (size_t i = 0; i < changes; ++i) {
    const int absence = Draw(lost_before_ns, random);
    if (IsTaken(absence)) {
      Ban(absence);
    } else {
      Force(absence);
    }
  }
  if (!Repair()) return std::nullopt;
  GiveBackTheUnnecessary();
  std::vector<Choice> changed;
  for (size_t a = 0; a < state_.size(); ++a) {
    if (IsTaken(a)) changed.push_back({static_cast<int>(a), needed_at_[a]});
  }
  return changed;
}

void NeighbourFinder::Reset(const std::vector<Choice>& chosen,
                            const std::vector<int64_t>& excess_bytes) {
  excess_ = excess_bytes;
  state_.assign(choices_.absences.size(), State::kOut);
  needed_at_.assign(choices_.absences.size(), 0);
  for (const Choice& choice : chosen) {
    Take(choice.absence, choice.needed_at);
  }
}

int NeighbourFinder::Draw(const std::vector<int64_t>& lost_before_ns,
                          std::mt19937_64& random) const {
  const auto any = [&](const std::vector<int>& from) {
    return from[random() % from.size()];
  };
  const int64_t lost_ns = lost_before_ns.back();
  if (lost_ns > 0 && random() % kLostShare != 0) {
    const auto at = std::upper_bound(
        lost_before_ns.begin(), lost_before_ns.end(),
        static_cast<int64_t>(random() % static_cast<uint64_t>(lost_ns)));
    const auto b = static_cast<KernelIndex>(at - lost_before_ns.begin()) - 1;
    const auto& covering = covering_[(b + step_ - random() % 2) % step_];
    if (covering.empty()) return static_cast<int>(random() % state_.size());
    std::vector<int> taken;
    for (const int a : covering) {
      if (IsTaken(a)) taken.push_back(a);
    }
    return !taken.empty() && random() % 2 == 0 ? any(taken) : any(covering);
  }
  return static_cast<int>(random() % state_.size());
}

void NeighbourFinder::Ban(int absence) {
  if (choices_.required[absence]) return;
  if (IsTaken(absence)) Release(absence);
  state_[absence] = State::kBanned;
}

void NeighbourFinder::Force(int absence) {
  if (state_[absence] != State::kOut || !FindReplaced(absence)) return;
  for (const int a : replaced_) Ban(a);
  Take(absence, choices_.absences[absence].from);
  state_[absence] = State::kForced;
}

bool NeighbourFinder::Repair() {
  // Replacing what is not contained may make another boundary too full.
  size_t left = state_.size();
  for (KernelIndex b = 0; b < step_; ++b) {
    while (excess_[b] > 0) {
      const int best = left-- > 0 ? Cheapest(b) : -1;
      if (best < 0) return false;
      FindReplaced(best);
      for (const int a : replaced_) Ban(a);
      Take(best, b);
    }
  }
  return *std::max_element(excess_.begin(), excess_.end()) <= 0;
}

int NeighbourFinder::Cheapest(KernelIndex boundary) {
  std::vector<int> over(step_ + 1);  // boundaries < b that hold too much
  for (KernelIndex b = 0; b < step_; ++b)
    over[b + 1] = over[b] + (excess_[b] > 0);
  const auto over_before = [&](KernelIndex b) {
    return over[b % step_] + b / step_ * over[step_];
  };
  int best = -1;
  double best_score = 0;
  for (const int a : covering_[boundary]) {
    if (state_[a] != State::kOut || !FindReplaced(a)) continue;
    double cost = (*costs_)[a];
    bool gains = true;
    for (const int replaced : replaced_) {
      cost -= (*costs_)[replaced];
      gains = gains && !Covers(replaced, boundary);
    }
    if (!gains) continue;
    const Absence& absence = choices_.absences[a];
    const double relieved = over_before(absence.to) - over_before(absence.from);
    const double score = std::max(0.0, cost) /
                         (static_cast<double>(absence.size_bytes) * relieved);
    if (best >= 0 && score >= best_score) continue;
    best = a;
    best_score = score;
  }
  return best;
}

void NeighbourFinder::GiveBackTheUnnecessary() {
  std::vector<int> order;
  for (size_t a = 0; a < state_.size(); ++a) {
    if (state_[a] == State::kTaken && !choices_.required[a]) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return (*costs_)[a] > (*costs_)[b]; });
  for (const int a : order) {
    const Absence& absence = choices_.absences[a];
    int64_t highest = excess_[absence.from % step_];
    for (KernelIndex b = absence.from; b < absence.to; ++b) {
      highest = std::max(highest, excess_[b % step_]);
    }
    if (highest <= -absence.size_bytes) Release(a);
  }
}

bool NeighbourFinder::FindReplaced(int absence) {
  replaced_.clear();
  const Gap& gap = choices_.absences[absence].gap;
  for (const int a : all_of_[gap.tensor]) {
    if (!IsTaken(a) || !Overlap(choices_.absences[a].gap, gap, step_)) continue;
    if (choices_.required[a] || state_[a] == State::kForced) return false;
    replaced_.push_back(a);
  }
  return true;
}

void NeighbourFinder::Take(int absence, KernelIndex boundary) {
  state_[absence] = State::kTaken;
  needed_at_[absence] =
      boundary < choices_.absences[absence].from ? boundary + step_ : boundary;
  AddBytes(absence, -choices_.absences[absence].size_bytes);
}

void NeighbourFinder::Release(int absence) {
  state_[absence] = State::kOut;
  AddBytes(absence, choices_.absences[absence].size_bytes);
}

void NeighbourFinder::AddBytes(int absence, int64_t bytes) {
  const Absence& changed = choices_.absences[absence];
  for (KernelIndex b = changed.from; b < changed.to; ++b) {
    excess_[b % step_] += bytes;
  }
}

bool NeighbourFinder::Covers(int absence, KernelIndex boundary) const {
  const Absence& other = choices_.absences[absence];
  for (const KernelIndex turn : {0, step_}) {
    if (other.from <= boundary + turn && boundary + turn < other.to) {
      return true;
    }
  }
  return false;
}

}  // namespace stowage
