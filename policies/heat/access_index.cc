#include "policies/heat/access_index.h"

#include <algorithm>

namespace stowage::policies {
namespace {

KernelIndex LifetimeOf(const Tensor& tensor, KernelIndex kernel_count) {
  if (tensor.persistent) return kernel_count;
  const KernelIndex kernels = tensor.death_kernel - tensor.birth_kernel + 1;
  return tensor.wraps() ? kernels + kernel_count : kernels;
}

}  // namespace

AccessIndex::AccessIndex(const Graph& graph)
    : kernel_count_(graph.kernel_count()), lives_(graph.tensors.size()) {
  for (const Kernel& kernel : graph.kernels) {
    for (const Operand& operand : kernel.operands) {
      ++lives_[operand.tensor].last;
    }
  }
  int64_t next = 0;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    Life& life = lives_[t];
    const Tensor& tensor = graph.tensors[t];
    const int64_t accessing_kernels = life.last;
    life.first = life.last = next;
    next += accessing_kernels;
    life.lifetime = LifetimeOf(tensor, kernel_count_);
    life.repeats = tensor.alive_at_start();
    life.death = tensor.persistent ? -1 : tensor.death_kernel;
  }
  accesses_.resize(next);
  for (KernelIndex k = 0; k < kernel_count_; ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      Life& life = lives_[operand.tensor];
      accesses_[life.last++] = {k, life.count};
      life.count += operand.access_count;
    }
  }
}

int64_t AccessIndex::FirstFrom(const Life& life, KernelIndex kernel) const {
  const auto found = std::lower_bound(
      accesses_.begin() + life.first, accesses_.begin() + life.last, kernel,
      [](const Access& access, KernelIndex k) { return access.kernel < k; });
  return found - accesses_.begin();
}

int64_t AccessIndex::FutureAccesses(TensorIndex tensor,
                                    KernelIndex kernel) const {
  const Life& life = lives_[tensor];
  const auto before = [&](int64_t at) {
    return at < life.last ? accesses_[at].accesses_before : life.count;
  };
  const int64_t passed = before(FirstFrom(life, kernel));
  if (!life.repeats) return life.count - passed;
  // A persistent tensor sees all its accesses within a step. A wrapping one
  // sees those up to its death.
  const bool persistent = life.death < 0;
  if (persistent) return life.count;
  const int64_t until_death = before(FirstFrom(life, life.death + 1));
  return ComesAgain(life, kernel) ? life.count - passed + until_death
                                  : until_death - passed;
}

KernelIndex AccessIndex::FutureDistance(TensorIndex tensor,
                                        KernelIndex kernel) const {
  const Life& life = lives_[tensor];
  const int64_t next = FirstFrom(life, kernel);
  const bool this_step = next < life.last;
  const bool comes_again = ComesAgain(life, kernel);
  if (this_step) {
    const KernelIndex at = accesses_[next].kernel;
    const bool in_life = !life.repeats || comes_again || at <= life.death;
    if (in_life) return at - kernel;
  } else if (comes_again && life.last > life.first) {
    const KernelIndex at = accesses_[life.first].kernel;
    const bool in_life = life.death < 0 || at <= life.death;
    if (in_life) return kernel_count_ - kernel + at;
  }
  return kernel_count_;
}

KernelIndex AccessIndex::Lifetime(TensorIndex tensor) const {
  return lives_[tensor].lifetime;
}

}  // namespace stowage::policies
