#include "policies/search/absences/absence.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

// How many times its duration a copy needs in a step to run there without being
// tight; and how many times, so that no other step is considered.
constexpr double kComfort = 1.5;
constexpr double kPlenty = 8;

// The tier by which copies are priced.
constexpr TierIndex kSlowTier = 1;

// The most runs of uses that one absence covers in the middle of a tensor's
// life.
constexpr int kLongestSpan = 3;

// Finds the absences of one tensor from its periods and the uses between them.
// Run i lies between period i - 1 and period i; run 0 begins the life of a
// tensor that is not persistent.
class AbsenceFinder {
 public:
  AbsenceFinder(const CostModel& costs, TensorIndex t,
                absl::Span<const KernelIndex> uses,
                absl::Span<const InactivePeriod> periods,
                const std::vector<bool>& crowded)
      : costs_(costs),
        t_(t),
        uses_(uses),
        periods_(periods.begin(), periods.end()),
        out_ns_(costs.OutNs(t, kSlowTier)),
        in_ns_(costs.InNs(t, kSlowTier)) {
    const Graph& graph = costs.graph();
    step_ = graph.kernel_count() + 1;
    tensor_ = &graph.tensors[t];
    if (costs.in_place_tier() == kFastTier) return;
    SplitRuns(crowded);
    penalty_ns_.reserve(uses.size() + 1);
    penalty_ns_ = {0};
    for (const KernelIndex k : uses) {
      penalty_ns_.push_back(penalty_ns_.back() + costs.InPlacePenaltyNs(k, t));
    }
  }

  void AddTo(AbsenceChoices& choices) const {
    const bool in_place = costs_.in_place_tier() != kFastTier;
    for (const InactivePeriod& period : periods_) {
      if (period.from == period.to) continue;
      const bool trailing = !period.moves_out && !period.moves_in;
      Add(period, 0, period.mandatory() || trailing, choices);
    }
    if (!in_place) return;
    if (tensor_->persistent) {
      AddSpansOfCycle(choices);
    } else {
      AddSpansOfLife(choices);
    }
  }

 private:
  // Adds periods of no length between uses by neighbouring kernels one of which
  // is `crowded`, so that spans may begin and end there.
  void SplitRuns(const std::vector<bool>& crowded) {
    const size_t known = periods_.size();
    for (size_t i = 1; i < uses_.size(); ++i) {
      const KernelIndex k = uses_[i];
      if (k != uses_[i - 1] + 1 || !(crowded[k - 1] || crowded[k])) continue;
      const bool next_step = tensor_->wraps() && k <= tensor_->death_kernel;
      const KernelIndex boundary = next_step ? k + step_ : k;
      periods_.push_back({.tensor = t_, .from = boundary, .to = boundary});
    }
    // The new ones are last. No two begin at one boundary.
    if (periods_.size() == known) return;
    std::sort(periods_.begin(), periods_.end(),
              [](const InactivePeriod& a, const InactivePeriod& b) {
                return a.from < b.from;
              });
  }

  // Adds an absence in each way in which its copies may be spread over the
  // steps that it touches; in one way if it has to be taken.
  void Add(const InactivePeriod& period, int64_t penalty_ns, bool required,
           AbsenceChoices& choices) const {
    Absence absence{.period = period, .penalty_ns = penalty_ns};
    if (period.from >= step_) {
      absence.turn = step_;
      absence.period.from -= step_;
      absence.period.to -= step_;
      absence.period.slow_first -= step_;
      absence.period.slow_last -= step_;
    }
    absence.size_bytes = RoundUpToPlacement(tensor_->size_bytes);
    if (period.moves_out) absence.out_ns = out_ns_;
    if (period.moves_in) absence.in_ns = in_ns_;
    for (const Turns& turns : TurnsOf(absence, required)) {
      absence.out_next = turns.out_next;
      absence.in_next = turns.in_next;
      SetSpan(absence);
      absence.exposed_ns = ExposedNs(absence);
      choices.absences.push_back(absence);
      choices.required.push_back(required);
    }
  }

  struct Turns {
    bool out_next = false;
    bool in_next = false;
  };

  // Returns the boundary by which a copy out has to be complete.
  static KernelIndex OutBy(const InactivePeriod& period) {
    return period.mandatory() ? std::min(period.slow_first, period.to - 1)
                              : period.to - 1;
  }

  absl::InlinedVector<Turns, 3> TurnsOf(const Absence& absence,
                                        bool required) const {
    const InactivePeriod& period = absence.period;
    const bool in_crosses = period.moves_in && period.to >= step_;
    const bool may_leave_next = period.moves_out && OutBy(period) > step_;
    const bool may_return_before =
        in_crosses && std::max(period.from, period.slow_last) < step_ - 1;
    const int64_t rest_ns = BoundaryNs(step_ - 1) - BoundaryNs(period.from);
    const int64_t begin_ns = in_crosses ? BoundaryNs(period.to - step_) : 0;
    const auto lacks = [](int64_t span_ns, int64_t copies_ns, double times) {
      return static_cast<double>(span_ns) <
             times * static_cast<double>(copies_ns);
    };
    if (required) {
      const Turns turns{
          may_leave_next && lacks(rest_ns, absence.out_ns, kComfort),
          in_crosses};
      const bool before =
          may_return_before && !turns.out_next &&
          lacks(begin_ns, absence.in_ns, kComfort) &&
          !lacks(rest_ns, absence.in_ns + absence.out_ns, kComfort);
      return {{turns.out_next, in_crosses && !before}};
    }
    absl::InlinedVector<Turns, 3> all = {{false, in_crosses}};
    if (may_leave_next && lacks(rest_ns, absence.out_ns, kPlenty)) {
      all.push_back({true, in_crosses});
    }
    if (may_return_before && lacks(begin_ns, absence.in_ns, kPlenty)) {
      all.push_back({false, false});
    }
    return all;
  }

  void SetSpan(Absence& absence) const {
    const InactivePeriod& period = absence.period;
    absence.from = absence.out_next ? step_ : period.from;
    absence.to = period.to;
    if (period.moves_in && !absence.in_next) {
      absence.to = std::min(absence.to, step_ - 1);
    }
    if (absence.from < step_) return;
    absence.from -= step_;
    absence.to -= step_;
  }

  // Returns when an unrolled boundary is reached if all operands are fast.
  int64_t BoundaryNs(KernelIndex boundary) const {
    const std::vector<int64_t>& time_ns = costs_.fast_boundary_ns();
    if (boundary < step_) return time_ns[boundary];
    return time_ns.back() + time_ns[std::min(boundary - step_, step_ - 1)];
  }

  int64_t ExposedNs(const Absence& absence) const {
    const InactivePeriod& period = absence.period;
    const bool used = period.mandatory();
    const int64_t end_ns = BoundaryNs(step_ - 1);
    int64_t out_begin_ns = BoundaryNs(period.from);
    int64_t out_end_ns = BoundaryNs(used ? period.slow_first : period.to);
    if (absence.out_next) {
      out_begin_ns = end_ns;
    } else {
      out_end_ns = std::min(out_end_ns, end_ns);
    }
    int64_t in_begin_ns = BoundaryNs(used ? period.slow_last + 1 : period.from);
    int64_t in_end_ns = BoundaryNs(period.to);
    if (absence.in_next) {
      in_begin_ns = std::max(in_begin_ns, end_ns);
    } else {
      in_end_ns = std::min(in_end_ns, end_ns);
    }
    const auto over = [](int64_t copy_ns, int64_t span_ns) {
      return std::max<int64_t>(0, copy_ns - std::max<int64_t>(0, span_ns));
    };
    const bool together = !used && period.moves_out && period.moves_in &&
                          absence.out_next == absence.in_next;
    if (together) {
      return over(absence.out_ns + absence.in_ns, in_end_ns - out_begin_ns);
    }
    int64_t exposed_ns = 0;
    if (period.moves_out) {
      exposed_ns += over(absence.out_ns, out_end_ns - out_begin_ns);
    }
    if (period.moves_in) {
      exposed_ns += over(absence.in_ns, in_end_ns - in_begin_ns);
    }
    return exposed_ns;
  }

  // Returns the penalty of uses at unrolled kernels first .. last.
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

  // Return the first and the last use of a span that begins, or ends, with
  // `period`.
  static KernelIndex FirstUse(const InactivePeriod& period) {
    return period.mandatory() ? period.slow_first : period.to;
  }
  static KernelIndex LastUse(const InactivePeriod& period) {
    return period.mandatory() ? period.slow_last : period.from - 1;
  }

  void AddSpan(InactivePeriod period, KernelIndex first, KernelIndex last,
               AbsenceChoices& choices) const {
    period.slow_first = first;
    period.slow_last = last;
    Add(period, PenaltyNs(first, last), false, choices);
  }

  void AddSpansOfLife(AbsenceChoices& choices) const {
    const KernelIndex begin = tensor_->birth_kernel;
    const KernelIndex end =
        tensor_->death_kernel + 1 + (tensor_->wraps() ? step_ : 0);
    const int last_run = static_cast<int>(periods_.size());
    for (int i = 0; i <= last_run; ++i) {
      for (int j = i; j <= last_run; ++j) {
        const bool inside = i > 0 && j < last_run;
        if (inside && j - i >= kLongestSpan) continue;
        InactivePeriod period{
            .tensor = t_, .from = begin, .moves_out = false, .to = end};
        period.moves_in = false;
        KernelIndex first = begin, last = end - 1;
        if (i > 0) {
          period.from = periods_[i - 1].from;
          period.moves_out = periods_[i - 1].moves_out;
          first = FirstUse(periods_[i - 1]);
        }
        if (j < last_run) {
          period.to = periods_[j].to;
          period.moves_in = periods_[j].moves_in;
          last = LastUse(periods_[j]);
        }
        if (first <= last) AddSpan(period, first, last, choices);
      }
    }
  }

  void AddSpansOfCycle(AbsenceChoices& choices) const {
    if (periods_.size() == 1 && !periods_.front().moves_in) return;
    InactivePeriod whole{
        .tensor = t_, .from = 0, .moves_out = false, .to = step_};
    whole.moves_in = false;
    AddSpan(whole, 0, step_ - 1, choices);
    const int count = static_cast<int>(periods_.size());
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < std::min(i + kLongestSpan, i + count); ++j) {
        InactivePeriod period = periods_[i];
        const InactivePeriod& last = periods_[j % count];
        const KernelIndex turn = j >= count ? step_ : 0;
        period.to = last.to + turn;
        const KernelIndex last_use = LastUse(last) + turn;
        if (period.to - period.from >= step_) continue;
        AddSpan(period, FirstUse(periods_[i]), last_use, choices);
      }
    }
  }

  const CostModel& costs_;
  const TensorIndex t_;
  const absl::Span<const KernelIndex> uses_;
  std::vector<InactivePeriod> periods_;
  const int64_t out_ns_;
  const int64_t in_ns_;
  KernelIndex step_ = 0;
  const Tensor* tensor_ = nullptr;
  std::vector<int64_t> penalty_ns_;  // of the first n uses
};

// Returns by boundary the bytes that are fast whatever is chosen. Only tensors
// that cannot move have to be.
std::vector<int64_t> FixedBytes(const Graph& graph, const Workload& workload) {
  std::vector<int64_t> bytes = workload.need_bytes;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const TensorIndex t : workload.staged[k]) {
      if (!graph.tensors[t].movable()) continue;
      bytes[k] -= RoundUpToPlacement(graph.tensors[t].size_bytes);
    }
  }
  return bytes;
}

}  // namespace

AbsenceChoices FindAbsences(const Graph& graph, const Workload& workload,
                            const CostModel& costs) {
  std::vector<bool> crowded;  // kernels whose operands do not all fit
  for (const auto& left_slow : workload.left_slow) {
    crowded.push_back(!left_slow.empty());
  }
  const bool in_place = costs.in_place_tier() != kFastTier;
  const std::vector<InactivePeriod> periods = FindInactivePeriods(
      graph, workload, in_place ? SlowUses::kAsFast : SlowUses::kAsInWorkload);
  const Groups uses = UsesByTensor(graph);
  AbsenceChoices choices{.least_bytes = in_place ? FixedBytes(graph, workload)
                                                 : workload.need_bytes};
  choices.least_bytes.push_back(0);
  // About as many as there will be: a vector of megabytes is better not copied.
  choices.absences.reserve((kLongestSpan + 2) *
                           (periods.size() + graph.tensors.size()));
  size_t next = 0;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const size_t first = next;
    while (next < periods.size() && periods[next].tensor == t) ++next;
    if (!graph.tensors[t].movable()) continue;
    const auto periods_of =
        absl::MakeConstSpan(periods).subspan(first, next - first);
    AbsenceFinder(costs, t, uses[t], periods_of, crowded).AddTo(choices);
  }
  return choices;
}

}  // namespace stowage::policies
