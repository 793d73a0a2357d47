#include "policies/search/annealing/step_crossing.h"

#include <algorithm>

namespace stowage::policies {
namespace {

using Residencies = std::vector<Residency>;

KernelIndex Below(std::mt19937_64& random, KernelIndex count) {
  return static_cast<KernelIndex>(random() % static_cast<uint64_t>(count));
}

// Lets the tensor be copied in by its first use; if it has no use, it has no
// residency.
void ArriveInStep(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                  Residencies& residencies) {
  Residency& first = residencies.front();
  if (first.moved_in) return;
  const auto use = std::lower_bound(uses.begin(), uses.end(), first.ready);
  if (use == uses.end() || *use >= first.end) {
    residencies.erase(residencies.begin());
    return;
  }
  first.ready = *use;
  first.begin = Below(random, first.ready + 1);
  first.moved_in = true;
}

// Lets the tensor be copied out behind its last use; if it has no use, it has
// no residency.
void LeaveInStep(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                 KernelIndex kernels, Residencies& residencies) {
  Residency& last = residencies.back();
  if (last.moved_out) return;
  if (uses.back() < last.ready) {
    residencies.pop_back();
    return;
  }
  last.leave = uses.back() + 1;
  last.end = last.leave + Below(random, kernels - last.leave + 1);
  last.moved_out = true;
}

void LeaveAndArriveInStep(std::mt19937_64& random,
                          const std::vector<KernelIndex>& uses,
                          KernelIndex kernels, Residencies& residencies) {
  ArriveInStep(random, uses, residencies);
  if (!residencies.empty()) LeaveInStep(random, uses, kernels, residencies);
}

void BeginFast(Residency& first) {
  first.begin = first.ready = 0;
  first.moved_in = false;
}

void EndFast(KernelIndex kernels, Residency& last) {
  last.leave = last.end = kernels + 1;
  last.moved_out = false;
}

void ReturnBeforeEnd(std::mt19937_64& random, KernelIndex kernels,
                     Residencies& residencies) {
  Residency returned{.tensor = residencies.front().tensor, .moved_in = true};
  const KernelIndex left = residencies.back().end;
  returned.begin = left + Below(random, kernels - left + 1);
  returned.ready = kernels;
  EndFast(kernels, returned);
  BeginFast(residencies.front());
  residencies.push_back(returned);
}

void LeaveAfterBegin(std::mt19937_64& random, KernelIndex kernels,
                     Residencies& residencies) {
  Residency leaving{.tensor = residencies.front().tensor, .moved_out = true};
  BeginFast(leaving);
  leaving.end = 1 + Below(random, residencies.front().begin);
  EndFast(kernels, residencies.back());
  residencies.insert(residencies.begin(), leaving);
}

}  // namespace

bool CrossOtherwise(std::mt19937_64& random,
                    const std::vector<KernelIndex>& uses, KernelIndex kernels,
                    std::vector<Residency>& residencies) {
  if (residencies.empty()) return false;
  const bool crosses =
      !residencies.front().moved_in && !residencies.back().moved_out;
  LeaveAndArriveInStep(random, uses, kernels, residencies);
  if (residencies.empty()) return true;
  // It is out of the fast tier on both sides now, which is another way only if
  // it was not before.
  switch (Below(random, crosses ? 6 : 4)) {
    case 0:
    case 1:
      BeginFast(residencies.front());
      EndFast(kernels, residencies.back());
      return true;
    case 2:
      ReturnBeforeEnd(random, kernels, residencies);
      return true;
    case 3:
      if (residencies.front().begin == 0) return false;
      LeaveAfterBegin(random, kernels, residencies);
      return true;
    default:
      return true;
  }
}

void MendCrossing(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                  KernelIndex kernels, std::vector<Residency>& residencies) {
  if (residencies.empty() ||
      residencies.front().moved_in == residencies.back().moved_out) {
    return;
  }
  LeaveAndArriveInStep(random, uses, kernels, residencies);
}

}  // namespace stowage::policies
