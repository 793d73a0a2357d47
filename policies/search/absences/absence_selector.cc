#include "policies/search/absences/absence_selector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stowage::policies {
namespace {

// The numbers of absences of one class that are compared, and that are passed
// over because they cannot be taken while others might be.
constexpr int kFitsPerClass = 6;
constexpr int kMisfitsPerClass = 30;

// Classes of cost per byte are this many to a doubling.
constexpr double kClassesPerDoubling = 2;

// Costs of a class may be less than its least one by this factor, for rounding.
constexpr double kRounding = 1 - 1e-9;

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
                                 const AbsenceChoices& choices)
    : choices_(choices),
      step_(graph.kernel_count() + 1),
      first_of_(graph.tensors.size() + 1),
      starts_(step_,
              [&](auto add) {
                for (size_t a = 0; a < choices.absences.size(); ++a) {
                  add(choices.absences[a].from % step_, static_cast<int>(a));
                }
              }),
      over_before_(2 * static_cast<size_t>(step_) + 1),
      excess_({}),
      taken_of_(graph.tensors.size()),
      rank_(choices.absences.size()),
      early_rank_(choices.absences.size()) {
  items_.reserve(choices.absences.size());
  for (const Absence& absence : choices.absences) {
    items_.push_back({.from = absence.from,
                      .to = absence.to,
                      .period_from = absence.period.from,
                      .period_to = absence.period.to,
                      .tensor = absence.period.tensor,
                      .size_bytes = absence.size_bytes});
    ++first_of_[absence.period.tensor + 1];
  }
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  const Groups by_end(2 * static_cast<size_t>(step_) + 1, [&](auto add) {
    for (size_t a = 0; a < items_.size(); ++a) {
      const KernelIndex to = items_[a].to;
      add(to, static_cast<int>(a));
      if (to > step_) add(to - step_, static_cast<int>(a));
    }
  });
  for (KernelIndex b = 0; b < by_end.size(); ++b) {
    for (const int a : by_end[b]) ends_.push_back({b, a});
  }
  ranked_.resize(ends_.size());
}

std::vector<Choice> AbsenceSelector::Select(
    const std::vector<double>& costs,
    const std::vector<int64_t>& excess_bytes) {
  Reset(costs, excess_bytes);
  for (KernelIndex b = 0; b < step_; ++b) {
    Open(b);
    while (excess_.At(b) > 0) {
      if (!Relieve(b)) break;
    }
  }
  GiveBackTheUnnecessary();
  std::vector<Choice> chosen;
  for (size_t a = 0; a < items_.size(); ++a) {
    if (!items_[a].taken) continue;
    chosen.push_back({static_cast<int>(a), items_[a].needed_at});
  }
  return chosen;
}

void AbsenceSelector::Reset(const std::vector<double>& costs,
                            const std::vector<int64_t>& excess_bytes) {
  excess_ = Occupancy(excess_bytes);
  for (KernelIndex b = 0; b < 2 * step_; ++b) {
    over_before_[b + 1] = over_before_[b] + (excess_bytes[b % step_] > 0);
  }
  for (std::vector<int>& list : taken_of_) list.clear();
  for (size_t a = 0; a < items_.size(); ++a) {
    Item& item = items_[a];
    item.taken = item.closed = item.covers = false;
    item.needed_at = item.useless_before = 0;
    item.covered_cost = 0;
  }
  ClassifyCosts(costs);
  RankEnds();
  for (size_t a = 0; a < items_.size(); ++a) {
    if (!choices_.required[a]) continue;
    const InactivePeriod& period = choices_.absences[a].period;
    Take(static_cast<int>(a),
         period.mandatory() ? period.slow_first : period.from);
  }
  // Absences that reach across the end of the step are open as it begins.
  for (size_t a = 0; a < items_.size(); ++a) {
    if (!items_[a].closed && early_rank_[a] >= 0) open_.Insert(early_rank_[a]);
  }
}

void AbsenceSelector::ClassifyCosts(const std::vector<double>& costs) {
  int lowest = std::numeric_limits<int>::max();
  int highest = std::numeric_limits<int>::min();
  for (size_t a = 0; a < items_.size(); ++a) {
    Item& item = items_[a];
    item.cost = costs[a];
    item.cost_class = static_cast<int>(std::floor(
        kClassesPerDoubling *
        std::log2(item.cost / static_cast<double>(item.size_bytes))));
    lowest = std::min(lowest, item.cost_class);
    highest = std::max(highest, item.cost_class);
  }
  for (Item& item : items_) item.cost_class -= lowest;
  const int classes = items_.empty() ? 0 : highest - lowest + 1;
  covered_per_byte_.assign(classes, 0);
  least_cost_per_byte_.clear();
  for (int c = 0; c < classes; ++c) {
    least_cost_per_byte_.push_back(
        kRounding * std::exp2((lowest + c) / kClassesPerDoubling));
  }
}

// Sorts by class, counting, which leaves each class in the order of its ends.
void AbsenceSelector::RankEnds() {
  first_rank_.assign(covered_per_byte_.size() + 1, 0);
  for (const End& end : ends_) {
    ++first_rank_[items_[end.absence].cost_class + 1];
  }
  std::partial_sum(first_rank_.begin(), first_rank_.end(), first_rank_.begin());
  std::vector<int> next = first_rank_;
  std::fill(early_rank_.begin(), early_rank_.end(), -1);
  for (const End& end : ends_) {
    const Item& item = items_[end.absence];
    const int rank = next[item.cost_class]++;
    ranked_[rank] = end;
    (end.boundary < item.to ? early_rank_ : rank_)[end.absence] = rank;
  }
  open_ = RankSet(ranked_.size());
}

void AbsenceSelector::Open(KernelIndex boundary) {
  for (const int a : starts_[boundary]) {
    if (!items_[a].closed) open_.Insert(rank_[a]);
  }
}

bool AbsenceSelector::Relieve(KernelIndex boundary) {
  int best = Cheapest(boundary, kMisfitsPerClass);
  if (best < 0) best = Cheapest(boundary, std::numeric_limits<int>::max());
  if (best < 0) return false;
  FindCovered(items_[best]);
  for (const int a : covered_) GiveBack(a);
  Take(best, boundary);
  return true;
}

int AbsenceSelector::Cheapest(KernelIndex boundary, int most_misfits) {
  int best = -1;
  double best_score = 0;
  for (size_t c = 0; c + 1 < first_rank_.size(); ++c) {
    int fits = 0, misfits = 0;
    int rank = open_.Below(first_rank_[c + 1]);
    if (rank < first_rank_[c]) continue;
    // The absence that ends last relieves most.
    const double most_relieved =
        over_before_[ranked_[rank].boundary] - over_before_[boundary];
    const double least_cost = least_cost_per_byte_[c] - covered_per_byte_[c];
    if (best >= 0 && least_cost >= best_score * most_relieved) continue;
    for (; rank >= first_rank_[c]; rank = open_.Below(rank)) {
      const End& end = ranked_[rank];
      if (end.boundary <= boundary) break;
      if (fits == kFitsPerClass || misfits == most_misfits) break;
      Item& item = items_[end.absence];
      if (boundary < item.useless_before) {
        ++misfits;
        continue;
      }
      const double score = Score(item, boundary, end.boundary);
      ++(score >= 0 ? fits : misfits);
      if (score >= 0 && (best < 0 || score < best_score)) {
        best = end.absence;
        best_score = score;
      }
    }
  }
  return best;
}

double AbsenceSelector::Score(Item& item, KernelIndex boundary,
                              KernelIndex end) {
  double cost = item.cost;
  if (item.covers) {
    FindCovered(item);
    for (const int a : covered_) {
      const Item& covered = items_[a];
      // Nothing is gained if the boundary is relieved already. It stays so:
      // what is given back is contained in what is taken for it.
      for (const KernelIndex turn : {0, step_}) {
        if (covered.from <= boundary + turn && boundary + turn < covered.to) {
          item.useless_before = covered.to - turn;
          return -1;
        }
      }
      cost -= covered.cost;
    }
  }
  const double relieved = over_before_[end] - over_before_[boundary];
  return std::max(0.0, cost) /
         (static_cast<double>(item.size_bytes) * relieved);
}

void AbsenceSelector::FindCovered(const Item& item) {
  const std::vector<int>& taken = taken_of_[item.tensor];
  covered_.clear();
  for (const KernelIndex turn : {-step_, 0, step_}) {
    const auto first = std::partition_point(
        taken.begin(), taken.end(),
        [&](int a) { return items_[a].period_to + turn <= item.period_from; });
    for (auto at = first; at != taken.end(); ++at) {
      if (items_[*at].period_from + turn >= item.period_to) break;
      const bool known =
          std::find(covered_.begin(), covered_.end(), *at) != covered_.end();
      if (!known) covered_.push_back(*at);
    }
  }
}

void AbsenceSelector::Take(int absence, KernelIndex boundary) {
  Item& taken = items_[absence];
  taken.needed_at = boundary < taken.period_from ? boundary + step_ : boundary;
  excess_.Add(taken.from, taken.to, -taken.size_bytes);
  taken.taken = true;
  std::vector<int>& all_taken = taken_of_[taken.tensor];
  const auto behind = std::partition_point(
      all_taken.begin(), all_taken.end(),
      [&](int a) { return items_[a].period_from < taken.period_from; });
  all_taken.insert(behind, absence);
  Close(absence);
  for (int a = first_of_[taken.tensor]; a < first_of_[taken.tensor + 1]; ++a) {
    Item& other = items_[a];
    if (other.closed || !Overlap(other, taken)) continue;
    if (Contains(other, taken)) {
      Cover(taken, other);
    } else {
      Close(a);
    }
  }
}

void AbsenceSelector::Cover(const Item& taken, Item& item) {
  item.covers = true;
  item.covered_cost += taken.cost;
  double& covered = covered_per_byte_[item.cost_class];
  covered = std::max(covered, item.covered_cost / kRounding /
                                  static_cast<double>(item.size_bytes));
}

void AbsenceSelector::Close(int absence) {
  items_[absence].closed = true;
  open_.Erase(rank_[absence]);
  if (early_rank_[absence] >= 0) open_.Erase(early_rank_[absence]);
}

void AbsenceSelector::GiveBack(int absence) {
  Item& item = items_[absence];
  excess_.Add(item.from, item.to, item.size_bytes);
  item.taken = false;
  std::erase(taken_of_[item.tensor], absence);
}

void AbsenceSelector::GiveBackTheUnnecessary() {
  std::vector<int> order;
  for (size_t a = 0; a < items_.size(); ++a) {
    if (items_[a].taken && !choices_.required[a]) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return items_[a].cost > items_[b].cost;
  });
  for (const int a : order) {
    const Item& item = items_[a];
    if (excess_.Highest(item.from, item.to) <= -item.size_bytes) GiveBack(a);
  }
}

// Returns whether the absences overlap. Different ways to spread one period's
// copies over steps do, too.
bool AbsenceSelector::Overlap(const Item& a, const Item& b) const {
  for (const KernelIndex turn : {-step_, 0, step_}) {
    if (a.period_from < b.period_to + turn &&
        b.period_from + turn < a.period_to) {
      return true;
    }
  }
  return false;
}

bool AbsenceSelector::Contains(const Item& a, const Item& b) const {
  for (const KernelIndex turn : {-step_, 0, step_}) {
    if (a.from <= b.from + turn && b.to + turn <= a.to) return true;
  }
  return a.to - a.from >= step_;
}

}  // namespace stowage::policies
