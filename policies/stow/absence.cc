#include "policies/stow/absence.h"

#include <algorithm>
#include <utility>

#include "policies/model/liveness.h"
#include "policies/planning/address_layout.h"

namespace stowage {
namespace {

// Runs of uses that one absence covers in the middle of a tensor's life.
constexpr int kLongestSpan = 3;

// One tensor's gaps and the uses between them. Run i lies between gap i - 1 and
// gap i; run 0 begins the life of a tensor that is not persistent.
class TensorLife {
 public:
  TensorLife(const CostModel& costs, TensorIndex t,
             const std::vector<KernelIndex>& uses, std::vector<Gap> gaps)
      : costs_(costs), t_(t), uses_(uses), gaps_(std::move(gaps)) {
    const Graph& graph = costs.graph();
    step_ = graph.kernel_count() + 1;
    tensor_ = &graph.tensors[t];
    if (costs.in_place_tier() == kFastTier) return;
    penalty_ns_ = {0};
    for (const KernelIndex k : uses) {
      penalty_ns_.push_back(penalty_ns_.back() + costs.InPlacePenaltyNs(k, t));
    }
  }

  void AddTo(AbsenceChoices& choices) const {
    const bool in_place = costs_.in_place_tier() != kFastTier;
    for (const Gap& gap : gaps_) {
      const bool trailing = !gap.moves_out && !gap.moves_in;
      Add(gap, 0, gap.mandatory() || trailing, choices);
    }
    if (!in_place) return;
    if (tensor_->persistent) {
      AddSpansOfCycle(choices);
    } else {
      AddSpansOfLife(choices);
    }
  }

 private:
  void Add(const Gap& gap, int64_t penalty_ns, bool required,
           AbsenceChoices& choices) const {
    Absence absence{.gap = gap, .penalty_ns = penalty_ns};
    if (gap.from >= step_) {
      absence.turn = step_;
      absence.gap.from -= step_;
      absence.gap.to -= step_;
      absence.gap.slow_first -= step_;
      absence.gap.slow_last -= step_;
    }
    absence.size_bytes = RoundUpToPlacement(tensor_->size_bytes);
    const TierIndex tier = 1;
    if (gap.moves_out) absence.out_ns = costs_.OutNs(t_, tier);
    if (gap.moves_in) absence.in_ns = costs_.InNs(t_, tier);
    choices.absences.push_back(absence);
    choices.required.push_back(required);
  }

  // Of uses at unrolled kernels first .. last.
  int64_t PenaltyNs(KernelIndex first, KernelIndex last) const {
    return PenaltyBeforeNs(last + 1) - PenaltyBeforeNs(first);
  }

  int64_t PenaltyBeforeNs(KernelIndex kernel) const {
    const bool next_step = kernel >= step_;
    const auto at = std::lower_bound(uses_.begin(), uses_.end(),
                                     next_step ? kernel - step_ : kernel);
    return penalty_ns_[at - uses_.begin()] +
           (next_step ? penalty_ns_.back() : 0);
  }

  // Of a span that begins with `gap`, or ends with it.
  static KernelIndex FirstUse(const Gap& gap) {
    return gap.mandatory() ? gap.slow_first : gap.to;
  }
  static KernelIndex LastUse(const Gap& gap) {
    return gap.mandatory() ? gap.slow_last : gap.from - 1;
  }

  void AddSpan(Gap gap, KernelIndex first, KernelIndex last,
               AbsenceChoices& choices) const {
    gap.slow_first = first;
    gap.slow_last = last;
    Add(gap, PenaltyNs(first, last), false, choices);
  }

  void AddSpansOfLife(AbsenceChoices& choices) const {
    const KernelIndex begin = tensor_->birth_kernel;
    const KernelIndex end =
        tensor_->death_kernel + 1 + (tensor_->wraps() ? step_ : 0);
    const int last_run = static_cast<int>(gaps_.size());
    for (int i = 0; i <= last_run; ++i) {
      for (int j = i; j <= last_run; ++j) {
        const bool inside = i > 0 && j < last_run;
        if (inside && j - i >= kLongestSpan) continue;
        Gap gap{.tensor = t_, .from = begin, .moves_out = false, .to = end};
        gap.moves_in = false;
        KernelIndex first = begin, last = end - 1;
        if (i > 0) {
          gap.from = gaps_[i - 1].from;
          gap.moves_out = gaps_[i - 1].moves_out;
          first = FirstUse(gaps_[i - 1]);
        }
        if (j < last_run) {
          gap.to = gaps_[j].to;
          gap.moves_in = gaps_[j].moves_in;
          last = LastUse(gaps_[j]);
        }
        if (first <= last) AddSpan(gap, first, last, choices);
      }
    }
  }

  void AddSpansOfCycle(AbsenceChoices& choices) const {
    if (gaps_.size() == 1 && !gaps_.front().moves_in) return;
    Gap whole{.tensor = t_, .from = 0, .moves_out = false, .to = step_};
    whole.moves_in = false;
    AddSpan(whole, 0, step_ - 1, choices);
    const int count = static_cast<int>(gaps_.size());
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < std::min(i + kLongestSpan, i + count); ++j) {
        Gap gap = gaps_[i];
        const Gap& last = gaps_[j % count];
        const KernelIndex turn = j >= count ? step_ : 0;
        gap.to = last.to + turn;
        const KernelIndex last_use = LastUse(last) + turn;
        if (gap.to - gap.from >= step_) continue;
        AddSpan(gap, FirstUse(gaps_[i]), last_use, choices);
      }
    }
  }

  const CostModel& costs_;
  const TensorIndex t_;
  const std::vector<KernelIndex>& uses_;
  const std::vector<Gap> gaps_;
  KernelIndex step_ = 0;
  const Tensor* tensor_ = nullptr;
  std::vector<int64_t> penalty_ns_;  // of the first n uses
};

}  // namespace

AbsenceChoices FindAbsences(const Graph& graph, const Workload& workload,
                            const CostModel& costs) {
  std::vector<std::vector<Gap>> gaps(graph.tensors.size());
  for (const Gap& gap : FindGaps(graph, workload)) {
    gaps[gap.tensor].push_back(gap);
  }
  const auto uses = UsesByTensor(graph);
  AbsenceChoices choices;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (!graph.tensors[t].movable()) continue;
    TensorLife(costs, t, uses[t], std::move(gaps[t])).AddTo(choices);
  }
  return choices;
}

}  // namespace stowage
