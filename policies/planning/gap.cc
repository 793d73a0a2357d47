#include "policies/planning/gap.h"

#include <algorithm>
#include <tuple>

#include "absl/types/span.h"
#include "policies/model/groups.h"

namespace stowage {
namespace {

struct Use {
  KernelIndex kernel = 0;  // unrolled
  bool fast = false;
};

// Uses as Groups hold them.
int32_t Encode(const Use& use) { return 2 * use.kernel + (use.fast ? 1 : 0); }
Use Decode(int32_t code) { return {code / 2, code % 2 == 1}; }

// By tensor: the kernels that use it, or leave it slow, in the order of its
// life. Wrapping tensors begin with their birth.
Groups FindUses(const Graph& graph, const Workload& workload, SlowUses slow) {
  const KernelIndex step = graph.kernel_count() + 1;
  const bool any_wraps =
      std::any_of(graph.tensors.begin(), graph.tensors.end(),
                  [](const Tensor& tensor) { return tensor.wraps(); });
  return Groups(graph.tensors.size(), [&](auto add) {
    // What wraps is used in the next step after all uses in this one.
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

void NoteSlowUse(KernelIndex kernel, Gap& gap) {
  if (!gap.mandatory()) gap.slow_first = kernel;
  gap.slow_last = kernel;
}

// Gaps of a life that begins at `begin` and ends at `end`.
void AddGapsOfLife(TensorIndex t, KernelIndex begin, KernelIndex end,
                   absl::Span<const int32_t> uses, std::vector<Gap>& gaps) {
  Gap gap{.tensor = t, .from = begin, .moves_out = false};
  for (const int32_t code : uses) {
    const Use use = Decode(code);
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
                    absl::Span<const int32_t> uses, std::vector<Gap>& gaps) {
  size_t first = 0;
  while (first < uses.size() && !Decode(uses[first]).fast) ++first;
  if (first == uses.size()) {
    Gap gap{.tensor = t, .from = 0, .moves_out = false, .to = step};
    gap.moves_in = false;
    gaps.push_back(gap);
    return;
  }
  Gap gap{.tensor = t, .from = Decode(uses[first]).kernel + 1};
  for (size_t i = first + 1; i <= first + uses.size(); ++i) {
    Use use = Decode(uses[i % uses.size()]);
    if (i >= uses.size()) use.kernel += step;
    if (!use.fast) {
      NoteSlowUse(use.kernel, gap);
      continue;
    }
    gap.to = use.kernel;
    if (gap.to > gap.from) gaps.push_back(gap);
    gap = {.tensor = t, .from = use.kernel + 1};
  }
}

// Turns stays in unrolled boundaries, which come by tensor, into segments of
// one step.
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
    for (auto first = segments_.begin(); first != segments_.end();) {
      const auto last = std::find_if(
          first, segments_.end(),
          [&](const FastSegment& s) { return s.tensor != first->tensor; });
      std::sort(first, last, [](const FastSegment& a, const FastSegment& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
      });
      first = last;
    }
    return std::move(segments_);
  }

 private:
  KernelIndex step_;
  std::vector<FastSegment> segments_;
};

// `taken` are one tensor's, ascending.
void WriteLife(const Tensor& tensor, TensorIndex t, KernelIndex step,
               absl::Span<const TakenGap> taken, SegmentWriter& writer) {
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
                absl::Span<const TakenGap> taken, SegmentWriter& writer) {
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

std::vector<Gap> FindGaps(const Graph& graph, const Workload& workload,
                          SlowUses slow) {
  const KernelIndex step = graph.kernel_count() + 1;
  const Groups uses = FindUses(graph, workload, slow);
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
  const auto by_life = [](const TakenGap& a, const TakenGap& b) {
    return std::tie(a.gap.tensor, a.gap.from) <
           std::tie(b.gap.tensor, b.gap.from);
  };
  if (!std::is_sorted(taken.begin(), taken.end(), by_life)) {
    std::sort(taken.begin(), taken.end(), by_life);
  }
  SegmentWriter writer(step);
  auto next = taken.cbegin();
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const auto first = next;
    while (next != taken.cend() && next->gap.tensor == t) ++next;
    const absl::Span<const TakenGap> cuts(
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

}  // namespace stowage
