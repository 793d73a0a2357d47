// Finds stretches of a step that repeat each other. The layers and periods of
// most networks are many times the same kernels, on tensors of the same sizes,
// so a change that is good for one is worth a try at the others.
//
//   KernelTwins twins(graph);
//   std::optional<TwinStretch> better = twins.Draw(random, kernel, 10, lost);
//
// Thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_KERNEL_TWINS_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_KERNEL_TWINS_H_

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/model/graph.h"
#include "policies/search/annealing/lost_time.h"

namespace stowage::policies {

// Says that kernels kernels.begin .. kernels.end - 1 are like those `shift`
// later.
struct TwinStretch {
  Span kernels;
  KernelIndex shift = 0;
  // Their tensors, ascending, and the tensor that stands for each of them
  // there.
  std::vector<std::pair<TensorIndex, TensorIndex>> tensors;
};

// Keeps a reference to the graph.
class KernelTwins {
 public:
  explicit KernelTwins(const Graph& graph);

  // Returns a stretch that holds `kernel` and at most `around` kernels to
  // either side, and whose twin loses less; among some that are drawn, the one
  // whose twin loses least. Nullopt if there is none.
  std::optional<TwinStretch> Draw(std::mt19937_64& random, KernelIndex kernel,
                                  KernelIndex around,
                                  const LostTime& lost) const;

  // Returns by kernel how much more is lost around it than around the twin
  // around which least is lost, and at least 1; the whole loss if it has no
  // twin.
  std::vector<int64_t> MoreThanTwinsNs(const LostTime& lost) const;

 private:
  // Returns the most kernels around `kernel` that are like those around its
  // twin.
  Span Stretch(KernelIndex kernel, KernelIndex twin, KernelIndex around) const;
  std::vector<std::pair<TensorIndex, TensorIndex>> Pairs(
      const Span& kernels, KernelIndex shift) const;

  const Graph& graph_;
  std::vector<int> looks_;  // by kernel, equal where their operands look alike
  std::vector<int> class_of_;  // by kernel
  // Kernels that look alike with their neighbours, ascending.
  std::vector<std::vector<KernelIndex>> classes_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_KERNEL_TWINS_H_
