#include "policies/stow/absence_selector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stowage {
namespace {

// Absences of one class that are compared, and that are passed over because
// they can not be taken while others might be.
constexpr int kFitsPerClass = 6;
constexpr int kMisfitsPerClass = 30;

// Classes of cost per byte are this many to a doubling.
constexpr double kClassesPerDoubling = 2;

// Different ways to spread one gap's copies over steps overlap, too.
bool Overlap(const Absence& a, const Absence& b, KernelIndex step) {
  for (const KernelIndex turn : {-step, 0, step}) {
    if (a.gap.from < b.gap.to + turn && b.gap.from + turn < a.gap.to) {
      return true;
    }
  }
  return false;
}

bool Contains(const Absence& a, const Absence& b, KernelIndex step) {
  for (const KernelIndex turn : {-step, 0, step}) {
    if (a.from <= b.from + turn && b.to + turn <= a.to) return true;
  }
  return a.to - a.from >= step;
}

}  // namespace

std::vector<double> CostsAt(const AbsenceChoices& choices,
                            const LanePrices& prices) {
  std::vector<double> costs;
  for (const Absence& absence : choices.absences) {
    const double cost =
        prices.out * static_cast<double>(absence.out_ns) +
        prices.in * static_cast<double>(absence.in_ns) +
        prices.kernel *
            static_cast<double>(std::max<int64_t>(0, absence.penalty_ns) +
                                absence.exposed_ns);
    costs.push_back(std::max(1.0, cost));
  }
  return costs;
}

AbsenceSelector::AbsenceSelector(const Graph& graph,
                                 const AbsenceChoices& choices,
                                 const std::vector<int64_t>& excess_bytes)
    : choices_(choices),
      step_(graph.kernel_count() + 1),
      initial_(excess_bytes),
      over_before_(2 * static_cast<size_t>(step_) + 1),
      by_start_(step_),
      all_of_(graph.tensors.size()),
      excess_(initial_),
      taken_of_(graph.tensors.size()) {
  for (KernelIndex b = 0; b < 2 * step_; ++b) {
    over_before_[b + 1] = over_before_[b] + (excess_bytes[b % step_] > 0);
  }
  for (size_t a = 0; a < choices.absences.size(); ++a) {
    by_start_[choices.absences[a].from % step_].push_back(a);
    all_of_[choices.absences[a].gap.tensor].push_back(a);
  }
}

std::vector<Choice> AbsenceSelector::Select(std::vector<double> costs) {
  Reset(std::move(costs));
  for (KernelIndex b = 0; b < step_; ++b) {
    Open(b);
    while (excess_.At(b) > 0) {
      if (!Relieve(b)) break;
    }
  }
  GiveBackTheUnnecessary();
  std::vector<Choice> chosen;
  for (size_t a = 0; a < taken_.size(); ++a) {
    if (taken_[a]) chosen.push_back({static_cast<int>(a), needed_at_[a]});
  }
  return chosen;
}

void AbsenceSelector::Reset(std::vector<double> costs) {
  excess_ = initial_;
  taken_.assign(choices_.absences.size(), false);
  closed_.assign(choices_.absences.size(), false);
  needed_at_.assign(choices_.absences.size(), 0);
  for (std::vector<int>& list : taken_of_) list.clear();
  open_.clear();
  cost_ = std::move(costs);
  for (size_t a = 0; a < taken_.size(); ++a) {
    if (!choices_.required[a]) continue;
    const Gap& gap = choices_.absences[a].gap;
    Take(a, gap.mandatory() ? gap.slow_first : gap.from);
  }
  // What reaches across the end of the step is open as it begins.
  for (size_t a = 0; a < taken_.size(); ++a) {
    const Absence& absence = choices_.absences[a];
    if (closed_[a] || absence.to <= step_) continue;
    open_[ClassOf(a)].insert({absence.to - step_, a});
  }
}

void AbsenceSelector::Open(KernelIndex boundary) {
  for (auto& [cost_class, by_end] : open_) {
    while (!by_end.empty() && by_end.begin()->first <= boundary) {
      by_end.erase(by_end.begin());
    }
  }
  for (const int a : by_start_[boundary]) {
    if (closed_[a]) continue;
    open_[ClassOf(a)].insert({choices_.absences[a].to, a});
  }
}

bool AbsenceSelector::Relieve(KernelIndex boundary) {
  int best = Cheapest(boundary, kMisfitsPerClass);
  if (best < 0) best = Cheapest(boundary, std::numeric_limits<int>::max());
  if (best < 0) return false;
  FindCovered(best);
  for (const int a : covered_) GiveBack(a);
  Take(best, boundary);
  return true;
}

int AbsenceSelector::Cheapest(KernelIndex boundary, int most_misfits) {
  int best = -1;
  double best_score = 0;
  for (const auto& [cost_class, by_end] : open_) {
    int fits = 0, misfits = 0;
    for (auto at = by_end.rbegin(); at != by_end.rend(); ++at) {
      if (fits == kFitsPerClass || misfits == most_misfits) break;
      const double score = Score(at->second, boundary, at->first);
      ++(score >= 0 ? fits : misfits);
      if (score >= 0 && (best < 0 || score < best_score)) {
        best = at->second;
        best_score = score;
      }
    }
  }
  return best;
}

double AbsenceSelector::Score(int absence, KernelIndex boundary,
                              KernelIndex end) {
  FindCovered(absence);
  double cost = cost_[absence];
  double relieved = over_before_[end] - over_before_[boundary];
  for (const int a : covered_) {
    const Absence& covered = choices_.absences[a];
    // Nothing is gained where the boundary is relieved already.
    for (const KernelIndex turn : {0, step_}) {
      if (covered.from <= boundary + turn && boundary + turn < covered.to) {
        return -1;
      }
    }
    cost -= cost_[a];
  }
  return std::max(0.0, cost) /
         (static_cast<double>(choices_.absences[absence].size_bytes) *
          relieved);
}

void AbsenceSelector::FindCovered(int absence) {
  const Gap& gap = choices_.absences[absence].gap;
  const std::vector<int>& taken = taken_of_[gap.tensor];
  covered_.clear();
  for (const KernelIndex turn : {-step_, 0, step_}) {
    const auto first = std::partition_point(
        taken.begin(), taken.end(),
        [&](int a) { return choices_.absences[a].gap.to + turn <= gap.from; });
    for (auto at = first; at != taken.end(); ++at) {
      if (choices_.absences[*at].gap.from + turn >= gap.to) break;
      const bool known =
          std::find(covered_.begin(), covered_.end(), *at) != covered_.end();
      if (!known) covered_.push_back(*at);
    }
  }
}

void AbsenceSelector::Take(int absence, KernelIndex boundary) {
  const Absence& taken = choices_.absences[absence];
  needed_at_[absence] = boundary < taken.gap.from ? boundary + step_ : boundary;
  excess_.Add(taken.from, taken.to, -taken.size_bytes);
  taken_[absence] = true;
  std::vector<int>& all_taken = taken_of_[taken.gap.tensor];
  const auto behind = std::partition_point(
      all_taken.begin(), all_taken.end(),
      [&](int a) { return choices_.absences[a].gap.from < taken.gap.from; });
  all_taken.insert(behind, absence);
  Close(absence);
  for (const int a : all_of_[taken.gap.tensor]) {
    const Absence& other = choices_.absences[a];
    if (closed_[a] || !Overlap(other, taken, step_)) continue;
    if (!Contains(other, taken, step_)) Close(a);
  }
}

void AbsenceSelector::Close(int absence) {
  closed_[absence] = true;
  const auto by_end = open_.find(ClassOf(absence));
  if (by_end == open_.end()) return;
  const KernelIndex end = choices_.absences[absence].to;
  by_end->second.erase({end, absence});
  by_end->second.erase({end - step_, absence});
}

int AbsenceSelector::ClassOf(int absence) const {
  return static_cast<int>(std::floor(
      kClassesPerDoubling *
      std::log2(cost_[absence] / choices_.absences[absence].size_bytes)));
}

void AbsenceSelector::GiveBack(int absence) {
  const Absence& taken = choices_.absences[absence];
  excess_.Add(taken.from, taken.to, taken.size_bytes);
  taken_[absence] = false;
  std::erase(taken_of_[taken.gap.tensor], absence);
}

void AbsenceSelector::GiveBackTheUnnecessary() {
  std::vector<int> order;
  for (size_t a = 0; a < taken_.size(); ++a) {
    if (taken_[a] && !choices_.required[a]) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return cost_[a] > cost_[b]; });
  for (const int a : order) {
    const Absence& absence = choices_.absences[a];
    if (excess_.Highest(absence.from, absence.to) <= -absence.size_bytes) {
      GiveBack(a);
    }
  }
}

}  // namespace stowage
