#include "policies/planning/inactive_period.h"

#include <algorithm>
#include <tuple>

#include "absl/types/span.h"
#include "policies/model/groups.h"

namespace stowage::policies {
namespace {

struct Use {
  KernelIndex kernel = 0;  // unrolled
  bool fast = false;
};

// Encodes a use as a number, which Groups holds.
int32_t Encode(const Use& use) { return 2 * use.kernel + (use.fast ? 1 : 0); }
Use Decode(int32_t code) { return {code / 2, code % 2 == 1}; }

// Returns by tensor the kernels that use it, or leave it slow, in the order of
// its life. Wrapping tensors begin with their birth.
Groups FindUses(const Graph& graph, const Workload& workload, SlowUses slow) {
  const KernelIndex step = graph.kernel_count() + 1;
  const bool any_wraps =
      std::any_of(graph.tensors.begin(), graph.tensors.end(),
                  [](const Tensor& tensor) { return tensor.wraps(); });
  return Groups(graph.tensors.size(), [&](auto add) {
    // A wrapping tensor is used in the next step after all uses in this one.
    for (const bool next_step : {false, true}) {
      if (next_step && !any_wraps) return;
      const auto add_if = [&](TensorIndex t, KernelIndex k, bool fast) {
        const Tensor& tensor = graph.tensors[t];
        if (next_step != (tensor.wraps() && k <= tensor.death_kernel)) return;
        add(t, Encode({next_step ? k + step : k, fast}));
      };
      for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
        for (TensorIndex t : workload.staged[k]) add_if(t, k, true);
        for (TensorIndex t : workload.left_slow[k]) {
          add_if(t, k, slow == SlowUses::kAsFast);
        }
      }
    }
  });
}

void NoteSlowUse(KernelIndex kernel, InactivePeriod& period) {
  if (!period.mandatory()) period.slow_first = kernel;
  period.slow_last = kernel;
}

// Adds the periods of a life that begins at `begin` and ends at `end`.
void AddPeriodsOfLife(TensorIndex t, KernelIndex begin, KernelIndex end,
                      absl::Span<const int32_t> uses,
                      std::vector<InactivePeriod>& periods) {
  InactivePeriod period{.tensor = t, .from = begin, .moves_out = false};
  for (const int32_t code : uses) {
    const Use use = Decode(code);
    if (!use.fast) {
      NoteSlowUse(use.kernel, period);
      continue;
    }
    period.to = use.kernel;
    // Without a move out, there is a period only if the tensor is born slow.
    const bool real =
        period.moves_out ? period.to > period.from : period.mandatory();
    if (real) periods.push_back(period);
    period = {.tensor = t, .from = use.kernel + 1};
  }
  period.to = end;
  period.moves_in = false;
  if (period.to > period.from) periods.push_back(period);
}

// Adds the periods of a tensor that lives on from step to step.
void AddPeriodsOfCycle(TensorIndex t, KernelIndex step,
                       absl::Span<const int32_t> uses,
                       std::vector<InactivePeriod>& periods) {
  size_t first = 0;
  while (first < uses.size() && !Decode(uses[first]).fast) ++first;
  if (first == uses.size()) {
    InactivePeriod period{
        .tensor = t, .from = 0, .moves_out = false, .to = step};
    period.moves_in = false;
    periods.push_back(period);
    return;
  }
  InactivePeriod period{.tensor = t, .from = Decode(uses[first]).kernel + 1};
  for (size_t i = first + 1; i <= first + uses.size(); ++i) {
    Use use = Decode(uses[i % uses.size()]);
    if (i >= uses.size()) use.kernel += step;
    if (!use.fast) {
      NoteSlowUse(use.kernel, period);
      continue;
    }
    period.to = use.kernel;
    if (period.to > period.from) periods.push_back(period);
    period = {.tensor = t, .from = use.kernel + 1};
  }
}

// Turns residencies in unrolled boundaries, which come by tensor, into
// residencies of one step.
class ResidencyWriter {
 public:
  explicit ResidencyWriter(KernelIndex step) : step_(step) {}

  void Add(Residency s) {
    // No kernel finds it there: the two periods around it are one.
    if (s.moved_in && s.moved_out && s.end <= s.ready) return;
    if (s.begin >= step_) {
      s.begin -= step_;
      s.ready -= step_;
      s.leave -= step_;
      s.end -= step_;
    }
    const bool crosses = s.end > step_ || (s.end == step_ && s.moved_out);
    if (!crosses) {
      residencies_.push_back(s);
      return;
    }
    residencies_.push_back(
        {s.tensor, 0, 0, s.leave - step_, s.end - step_, false, s.moved_out});
    residencies_.push_back(
        {s.tensor, s.begin, s.ready, step_, step_, s.moved_in, false});
  }

  std::vector<Residency> Take() {
    for (auto first = residencies_.begin(); first != residencies_.end();) {
      const auto last = std::find_if(
          first, residencies_.end(),
          [&](const Residency& s) { return s.tensor != first->tensor; });
      std::sort(first, last, [](const Residency& a, const Residency& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
      });
      first = last;
    }
    return std::move(residencies_);
  }

 private:
  KernelIndex step_;
  std::vector<Residency> residencies_;
};

// Writes the residencies of one tensor, whose periods are `taken`, ascending.
void WriteLife(const Tensor& tensor, TensorIndex t, KernelIndex step,
               absl::Span<const TakenPeriod> taken, ResidencyWriter& writer) {
  const KernelIndex end = tensor.death_kernel + 1 + (tensor.wraps() ? step : 0);
  Residency residency{
      .tensor = t, .begin = tensor.birth_kernel, .ready = tensor.birth_kernel};
  bool fast = true;
  for (const TakenPeriod& cut : taken) {
    if (cut.period.moves_out) {
      residency.leave = cut.leave;
      residency.end = cut.left;
      residency.moved_out = true;
      writer.Add(residency);
    }
    fast = cut.period.moves_in;
    residency = {
        .tensor = t, .begin = cut.fetch, .ready = cut.back, .moved_in = true};
  }
  if (!fast) return;
  residency.leave = residency.end = end;
  writer.Add(residency);
}

void WriteCycle(TensorIndex t, KernelIndex step,
                absl::Span<const TakenPeriod> taken, ResidencyWriter& writer) {
  if (taken.empty()) {
    writer.Add({.tensor = t, .leave = step, .end = step});
    return;
  }
  if (!taken.front().period.moves_in) return;  // no kernel needs it fast
  for (size_t i = 0; i < taken.size(); ++i) {
    const TakenPeriod& before = taken[i];
    const bool last = i + 1 == taken.size();
    const TakenPeriod& after = last ? taken.front() : taken[i + 1];
    KernelIndex turn = 0;
    if (last) turn = step;
    Residency residency{.tensor = t,
                        .begin = before.fetch,
                        .ready = before.back,
                        .leave = after.leave + turn,
                        .end = after.left + turn,
                        .moved_in = true,
                        .moved_out = true};
    writer.Add(residency);
  }
}

}  // namespace

std::vector<InactivePeriod> FindInactivePeriods(const Graph& graph,
                                                const Workload& workload,
                                                SlowUses slow) {
  const KernelIndex step = graph.kernel_count() + 1;
  const Groups uses = FindUses(graph, workload, slow);
  std::vector<InactivePeriod> periods;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!tensor.movable()) continue;
    if (tensor.persistent) {
      AddPeriodsOfCycle(t, step, uses[t], periods);
    } else {
      const KernelIndex end =
          tensor.death_kernel + 1 + (tensor.wraps() ? step : 0);
      AddPeriodsOfLife(t, tensor.birth_kernel, end, uses[t], periods);
    }
  }
  return periods;
}

std::vector<Residency> ResidenciesWithout(const Graph& graph,
                                          std::vector<TakenPeriod> taken) {
  const KernelIndex step = graph.kernel_count() + 1;
  const auto by_life = [](const TakenPeriod& a, const TakenPeriod& b) {
    return std::tie(a.period.tensor, a.period.from) <
           std::tie(b.period.tensor, b.period.from);
  };
  if (!std::is_sorted(taken.begin(), taken.end(), by_life)) {
    std::sort(taken.begin(), taken.end(), by_life);
  }
  ResidencyWriter writer(step);
  auto next = taken.cbegin();
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const auto first = next;
    while (next != taken.cend() && next->period.tensor == t) ++next;
    const absl::Span<const TakenPeriod> cuts(
        taken.data() + (first - taken.cbegin()), next - first);
    const Tensor& tensor = graph.tensors[t];
    if (tensor.persistent) {
      WriteCycle(t, step, cuts, writer);
    } else {
      WriteLife(tensor, t, step, cuts, writer);
    }
  }
  return writer.Take();
}

}  // namespace stowage::policies
