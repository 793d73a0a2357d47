#include "policies/planning/gap.h"

#include <algorithm>
#include <tuple>

namespace stowage {
namespace {

struct Use {
  KernelIndex kernel = 0;  // unrolled
  bool fast = false;
};

// By tensor: the kernels that use it, or leave it slow, in the order of its
// life. Wrapping tensors begin with their birth.
std::vector<std::vector<Use>> FindUses(const Graph& graph,
                                       const Workload& workload) {
  const KernelIndex step = graph.kernel_count() + 1;
  std::vector<std::vector<Use>> uses(graph.tensors.size());
  const auto add = [&](TensorIndex t, KernelIndex k, bool fast) {
    const Tensor& tensor = graph.tensors[t];
    const bool next_step = tensor.wraps() && k <= tensor.death_kernel;
    uses[t].push_back({next_step ? k + step : k, fast});
  };
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) add(t, k, true);
    for (TensorIndex t : workload.left_slow[k]) add(t, k, false);
  }
  for (std::vector<Use>& list : uses) {
    std::sort(list.begin(), list.end(),
              [](const Use& a, const Use& b) { return a.kernel < b.kernel; });
  }
  return uses;
}

void NoteSlowUse(KernelIndex kernel, Gap& gap) {
  if (!gap.mandatory()) gap.slow_first = kernel;
  gap.slow_last = kernel;
}

// Gaps of a life that begins at `begin` and ends at `end`.
void AddGapsOfLife(TensorIndex t, KernelIndex begin, KernelIndex end,
                   const std::vector<Use>& uses, std::vector<Gap>& gaps) {
  Gap gap{.tensor = t, .from = begin, .moves_out = false};
  for (const Use& use : uses) {
    if (!use.fast) {
      NoteSlowUse(use.kernel, gap);
      continue;
    }
    gap.to = use.kernel;
    // Without a move out there is a gap only where the tensor is born slow.
    const bool real = gap.moves_out ? gap.to > gap.from : gap.mandatory();
    if (real) gaps.push_back(gap);
    gap = {.tensor = t, .from = use.kernel + 1};
  }
  gap.to = end;
  gap.moves_in = false;
  if (gap.to > gap.from) gaps.push_back(gap);
}

// Gaps of a tensor that lives on from step to step.
void AddGapsOfCycle(TensorIndex t, KernelIndex step,
                    const std::vector<Use>& uses, std::vector<Gap>& gaps) {
  const auto is_fast = [](const Use& use) { return use.fast; };
  const auto first = std::find_if(uses.begin(), uses.end(), is_fast);
  if (first == uses.end()) {
    Gap gap{.tensor = t, .from = 0, .moves_out = false, .to = step};
    gap.moves_in = false;
    gaps.push_back(gap);
    return;
  }
  std::vector<Use> turn(first, uses.end());
  for (auto use = uses.begin(); use != first; ++use) {
    turn.push_back({use->kernel + step, false});
  }
  turn.push_back({first->kernel + step, true});
  Gap gap{.tensor = t, .from = first->kernel + 1};
  for (auto use = turn.begin() + 1; use != turn.end(); ++use) {
    if (!use->fast) {
      NoteSlowUse(use->kernel, gap);
      continue;
    }
    gap.to = use->kernel;
    if (gap.to > gap.from) gaps.push_back(gap);
    gap = {.tensor = t, .from = use->kernel + 1};
  }
}

// Turns stays in unrolled boundaries into segments of one step.
class SegmentWriter {
 public:
  explicit SegmentWriter(KernelIndex step) : step_(step) {}

  void Add(FastSegment s) {
    // No kernel finds it there: the two gaps around it are one.
    if (s.moved_in && s.moved_out && s.end <= s.ready) return;
    if (s.begin >= step_) {
      s.begin -= step_;
      s.ready -= step_;
      s.leave -= step_;
      s.end -= step_;
    }
    const bool crosses = s.end > step_ || (s.end == step_ && s.moved_out);
    if (!crosses) {
      segments_.push_back(s);
      return;
    }
    segments_.push_back(
        {s.tensor, 0, 0, s.leave - step_, s.end - step_, false, s.moved_out});
    segments_.push_back(
        {s.tensor, s.begin, s.ready, step_, step_, s.moved_in, false});
  }

  std::vector<FastSegment> Take() {
    std::sort(segments_.begin(), segments_.end(),
              [](const FastSegment& a, const FastSegment& b) {
                return std::tie(a.tensor, a.begin, a.end) <
                       std::tie(b.tensor, b.begin, b.end);
              });
    return std::move(segments_);
  }

 private:
  KernelIndex step_;
  std::vector<FastSegment> segments_;
};

// `taken` are one tensor's, ascending.
void WriteLife(const Tensor& tensor, TensorIndex t, KernelIndex step,
               const std::vector<TakenGap>& taken, SegmentWriter& writer) {
  const KernelIndex end = tensor.death_kernel + 1 + (tensor.wraps() ? step : 0);
  FastSegment stay{
      .tensor = t, .begin = tensor.birth_kernel, .ready = tensor.birth_kernel};
  bool fast = true;
  for (const TakenGap& cut : taken) {
    if (cut.gap.moves_out) {
      stay.leave = cut.leave;
      stay.end = cut.left;
      stay.moved_out = true;
      writer.Add(stay);
    }
    fast = cut.gap.moves_in;
    stay = {
        .tensor = t, .begin = cut.fetch, .ready = cut.back, .moved_in = true};
  }
  if (!fast) return;
  stay.leave = stay.end = end;
  writer.Add(stay);
}

void WriteCycle(TensorIndex t, KernelIndex step,
                const std::vector<TakenGap>& taken, SegmentWriter& writer) {
  if (taken.empty()) {
    writer.Add({.tensor = t, .leave = step, .end = step});
    return;
  }
  if (!taken.front().gap.moves_in) return;  // no kernel needs it fast
  for (size_t i = 0; i < taken.size(); ++i) {
    const TakenGap& before = taken[i];
    const bool last = i + 1 == taken.size();
    const TakenGap& after = last ? taken.front() : taken[i + 1];
    KernelIndex turn = 0;
    if (last) turn = step;
    FastSegment stay{.tensor = t,
                     .begin = before.fetch,
                     .ready = before.back,
                     .leave = after.leave + turn,
                     .end = after.left + turn,
                     .moved_in = true,
                     .moved_out = true};
    writer.Add(stay);
  }
}

}  // namespace

std::vector<Gap> FindGaps(const Graph& graph, const Workload& workload) {
  const KernelIndex step = graph.kernel_count() + 1;
  const std::vector<std::vector<Use>> uses = FindUses(graph, workload);
  std::vector<Gap> gaps;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!tensor.movable()) continue;
    if (tensor.persistent) {
      AddGapsOfCycle(t, step, uses[t], gaps);
    } else {
      const KernelIndex end =
          tensor.death_kernel + 1 + (tensor.wraps() ? step : 0);
      AddGapsOfLife(t, tensor.birth_kernel, end, uses[t], gaps);
    }
  }
  return gaps;
}

std::vector<FastSegment> SegmentsWithout(const Graph& graph,
                                         std::vector<TakenGap> taken) {
  const KernelIndex step = graph.kernel_count() + 1;
  std::vector<std::vector<TakenGap>> by_tensor(graph.tensors.size());
  for (TakenGap& cut : taken) by_tensor[cut.gap.tensor].push_back(cut);
  SegmentWriter writer(step);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    std::vector<TakenGap>& cuts = by_tensor[t];
    std::sort(cuts.begin(), cuts.end(),
              [](const TakenGap& a, const TakenGap& b) {
                return a.gap.from < b.gap.from;
              });
    const Tensor& tensor = graph.tensors[t];
    if (tensor.persistent) {
      WriteCycle(t, step, cuts, writer);
    } else {
      WriteLife(tensor, t, step, cuts, writer);
    }
  }
  return writer.Take();
}

}  // namespace stowage
