#include "policies/autotm/overlap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace stowage::policies {
namespace {

// Chooses kernels from `begin` on, in steps of `by`, before `end`.
std::vector<KernelIndex> Choose(const FlowProblem& problem, KernelIndex begin,
                                KernelIndex end, KernelIndex by) {
  std::vector<KernelIndex> chosen;
  double longest_ns = 0;
  for (KernelIndex k = begin; k != end; k += by) {
    if (chosen.size() == kMaxOverlapKernels) break;
    const KernelIndex rolled = problem.Roll(k);
    if (rolled == problem.kernel_count()) continue;
    const double ns =
        problem.kernels[rolled].implementations.front().cost.fast_ns;
    if (chosen.size() >= 2 && ns <= longest_ns) continue;
    longest_ns = std::max(longest_ns, ns);
    chosen.push_back(k);
  }
  return chosen;
}

class Overlapper {
 public:
  Overlapper(const FlowProblem& problem, Paths paths)
      : problem_(problem),
        paths_(std::move(paths)),
        held_(HeldBytes(problem, paths_)),
        kernel_ns_(KernelTimes(problem, paths_)),
        beside_ns_(problem.kernels.size(), 0) {
    const std::vector<int32_t> best = BestImplementations(problem, paths_);
    for (KernelIndex k = 0; k < problem.kernel_count(); ++k) {
      held_[k] += problem.kernels[k].implementations[best[k]].extra_bytes;
    }
  }

  Paths Run() {
    std::vector<size_t> order;
    for (size_t f = 0; f < paths_.size(); ++f) order.push_back(f);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return problem_.flows[a].bytes > problem_.flows[b].bytes;
    });
    for (size_t f : order) {
      for (int i = 0; i < problem_.flows[f].use_count(); ++i) Overlap(f, i);
    }
    return std::move(paths_);
  }

 private:
  void Overlap(size_t f, int i) {
    const TensorFlow& flow = problem_.flows[f];
    if (!flow.has_rest(i) || paths_[f].rests[i].fast) return;
    const OverlapKernels kernels = FindOverlapKernels(problem_, flow, i);
    Rest& rest = paths_[f].rests[i];
    if (paths_[f].fast[i]) {
      KernelIndex best = -1;
      double best_ns = 0;
      for (KernelIndex k : kernels.out) {
        Consider(flow, flow.out_ns, k, flow.first_rest(i), k, best, best_ns);
      }
      if (best >= 0) {
        Take(flow, flow.out_ns, best, flow.first_rest(i), best);
        rest.leave = best;
        rest.left = best + 1;
      }
    }
    if (flow.has_next(i) && paths_[f].fast[flow.next(i)]) {
      KernelIndex best = -1;
      double best_ns = 0;
      for (KernelIndex k : kernels.in) {
        Consider(flow, flow.in_ns, k, k, flow.last_rest(i), best, best_ns);
      }
      if (best >= 0) {
        Take(flow, flow.in_ns, best, best, flow.last_rest(i));
        rest.fetch = best;
        rest.back = best + 1;
      }
    }
  }

  // Takes `k` as the best kernel if a copy beside it, which holds room from
  // `first` to `last`, hides more than the best so far.
  void Consider(const TensorFlow& flow, int64_t copy_ns, KernelIndex k,
                KernelIndex first, KernelIndex last, KernelIndex& best,
                double& best_ns) const {
    const KernelIndex rolled = problem_.Roll(k);
    const double ns = kernel_ns_[rolled];
    const double beside = beside_ns_[rolled];
    const double hidden =
        copy_ns - (std::max(ns, beside + copy_ns) - std::max(ns, beside));
    if (hidden <= best_ns || !HasRoom(flow.bytes, first, last)) return;
    best = k;
    best_ns = hidden;
  }

  bool HasRoom(int64_t bytes, KernelIndex first, KernelIndex last) const {
    for (KernelIndex k = first; k <= last; ++k) {
      const KernelIndex rolled = problem_.Roll(k);
      if (rolled == problem_.kernel_count()) continue;
      if (held_[rolled] + bytes > problem_.kernels[rolled].limit_bytes) {
        return false;
      }
    }
    return true;
  }

  void Take(const TensorFlow& flow, int64_t copy_ns, KernelIndex k,
            KernelIndex first, KernelIndex last) {
    beside_ns_[problem_.Roll(k)] += copy_ns;
    for (KernelIndex held = first; held <= last; ++held) {
      const KernelIndex rolled = problem_.Roll(held);
      if (rolled < problem_.kernel_count()) held_[rolled] += flow.bytes;
    }
  }

  const FlowProblem& problem_;
  Paths paths_;
  std::vector<int64_t> held_;
  const std::vector<double> kernel_ns_;
  std::vector<double> beside_ns_;
};

}  // namespace

OverlapKernels FindOverlapKernels(const FlowProblem& problem,
                                  const TensorFlow& flow, int i) {
  const KernelIndex first = flow.first_rest(i), last = flow.last_rest(i);
  if (first > last) return {};
  const KernelIndex middle = first + (last - first) / 2;
  if (flow.has_next(i)) {
    return {.out = Choose(problem, first, middle + 1, 1),
            .in = Choose(problem, last, middle, -1)};
  }
  // A copy has to end before the last kernel of a life does.
  return {.out = Choose(problem, first, std::min(middle + 1, last), 1)};
}

Paths MoveBesideKernels(const FlowProblem& problem, Paths paths) {
  return Overlapper(problem, std::move(paths)).Run();
}

}  // namespace stowage::policies
