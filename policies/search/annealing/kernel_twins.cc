#include "policies/search/annealing/kernel_twins.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace stowage::policies {
namespace {

// The number of kernels to either side that have to look the same as those of a
// twin.
constexpr KernelIndex kSameAround = 3;

// The number of twins that are drawn for a stretch.
constexpr int kDrawn = 4;

// The number of kernels to either side at which twins are compared.
constexpr KernelIndex kCompared = 12;

// Numbers keys in the order in which they come.
class Numbering {
 public:
  int NumberOf(std::vector<int64_t> key) {
    return numbers_.emplace(std::move(key), static_cast<int>(numbers_.size()))
        .first->second;
  }

 private:
  std::map<std::vector<int64_t>, int> numbers_;
};

// Returns by kernel a number for the sizes of its operands and what it does to
// them.
std::vector<int> Looks(const Graph& graph) {
  Numbering numbering;
  std::vector<int> looks;
  for (const Kernel& kernel : graph.kernels) {
    std::vector<int64_t> key;
    for (const Operand& operand : kernel.operands) {
      key.push_back(graph.tensors[operand.tensor].size_bytes);
      key.push_back(2 * operand.read + operand.write);
    }
    looks.push_back(numbering.NumberOf(std::move(key)));
  }
  return looks;
}

}  // namespace

KernelTwins::KernelTwins(const Graph& graph)
    : graph_(graph), looks_(Looks(graph)) {
  Numbering numbering;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    std::vector<int64_t> key;
    for (KernelIndex j = k - kSameAround; j <= k + kSameAround; ++j) {
      key.push_back(0 <= j && j < graph.kernel_count() ? looks_[j] : -1);
    }
    class_of_.push_back(numbering.NumberOf(std::move(key)));
    classes_.resize(std::max<size_t>(classes_.size(), class_of_[k] + 1));
    classes_[class_of_[k]].push_back(k);
  }
}

std::optional<TwinStretch> KernelTwins::Draw(std::mt19937_64& random,
                                             KernelIndex kernel,
                                             KernelIndex around,
                                             const LostTime& lost) const {
  const std::vector<KernelIndex>& twins = classes_[class_of_[kernel]];
  std::optional<TwinStretch> best;
  int64_t most_ns = 0;
  for (int n = 0; n < kDrawn; ++n) {
    const KernelIndex twin = twins[random() % twins.size()];
    const KernelIndex shift = twin - kernel;
    const Span own = Stretch(kernel, twin, around);
    const int64_t more_ns = lost.WithinNs(own) -
                            lost.WithinNs({own.begin + shift, own.end + shift});
    if (more_ns <= most_ns) continue;
    most_ns = more_ns;
    best = {.kernels = own, .shift = shift};
  }
  if (best.has_value()) best->tensors = Pairs(best->kernels, best->shift);
  return best;
}

std::vector<int64_t> KernelTwins::MoreThanTwinsNs(const LostTime& lost) const {
  const auto around = [](KernelIndex k) {
    return Span{k - kCompared, k + kCompared + 1};
  };
  std::vector<int64_t> more_ns(looks_.size());
  for (const std::vector<KernelIndex>& twins : classes_) {
    int64_t least_ns = std::numeric_limits<int64_t>::max();
    for (const KernelIndex k : twins) {
      more_ns[k] = lost.WithinNs(around(k));
      // Less lies around kernels at the ends of the step.
      if (lost.Has(around(k))) least_ns = std::min(least_ns, more_ns[k]);
    }
    if (twins.size() == 1) continue;
    for (const KernelIndex k : twins) {
      more_ns[k] = std::max<int64_t>(1, more_ns[k] - least_ns);
    }
  }
  return more_ns;
}

Span KernelTwins::Stretch(KernelIndex kernel, KernelIndex twin,
                          KernelIndex around) const {
  const KernelIndex shift = twin - kernel;
  const auto count = static_cast<KernelIndex>(looks_.size());
  const auto is_alike = [&](KernelIndex k) {
    return 0 <= k && k < count && 0 <= k + shift && k + shift < count &&
           looks_[k] == looks_[k + shift];
  };
  Span own{kernel, kernel + 1};
  while (kernel - own.begin < around && is_alike(own.begin - 1)) --own.begin;
  while (own.end - kernel <= around && is_alike(own.end)) ++own.end;
  return own;
}

// Returns pairs of tensors that stand for each other. A tensor that would stand
// for several is left out.
std::vector<std::pair<TensorIndex, TensorIndex>> KernelTwins::Pairs(
    const Span& kernels, KernelIndex shift) const {
  std::map<TensorIndex, TensorIndex> twin_of;
  for (KernelIndex k = kernels.begin; k < kernels.end; ++k) {
    const std::vector<Operand>& twins = graph_.kernels[k + shift].operands;
    for (size_t i = 0; i < twins.size(); ++i) {
      const TensorIndex t = graph_.kernels[k].operands[i].tensor;
      const auto [at, is_new] = twin_of.emplace(t, twins[i].tensor);
      if (at->second != twins[i].tensor) at->second = -1;
    }
  }
  std::vector<std::pair<TensorIndex, TensorIndex>> pairs;
  for (const auto& pair : twin_of) {
    if (pair.second >= 0) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace stowage::policies
