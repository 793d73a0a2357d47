#include "policies/search/annealing/step_crossing.h"

#include <algorithm>

namespace stowage {
namespace {

using Stays = std::vector<FastSegment>;

KernelIndex Below(std::mt19937_64& random, KernelIndex count) {
  return static_cast<KernelIndex>(random() % static_cast<uint64_t>(count));
}

// Copied in by its first use; no stay without one.
void ArriveInStep(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                  Stays& stays) {
  FastSegment& first = stays.front();
  if (first.moved_in) return;
  const auto use = std::lower_bound(uses.begin(), uses.end(), first.ready);
  if (use == uses.end() || *use >= first.end) {
    stays.erase(stays.begin());
    return;
  }
  first.ready = *use;
  first.begin = Below(random, first.ready + 1);
  first.moved_in = true;
}

// Copied out behind its last use; no stay without one.
void LeaveInStep(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                 KernelIndex kernels, Stays& stays) {
  FastSegment& last = stays.back();
  if (last.moved_out) return;
  if (uses.back() < last.ready) {
    stays.pop_back();
    return;
  }
  last.leave = uses.back() + 1;
  last.end = last.leave + Below(random, kernels - last.leave + 1);
  last.moved_out = true;
}

void LeaveAndArriveInStep(std::mt19937_64& random,
                          const std::vector<KernelIndex>& uses,
                          KernelIndex kernels, Stays& stays) {
  ArriveInStep(random, uses, stays);
  if (!stays.empty()) LeaveInStep(random, uses, kernels, stays);
}

void BeginFast(FastSegment& first) {
  first.begin = first.ready = 0;
  first.moved_in = false;
}

void EndFast(KernelIndex kernels, FastSegment& last) {
  last.leave = last.end = kernels + 1;
  last.moved_out = false;
}

void ReturnBeforeEnd(std::mt19937_64& random, KernelIndex kernels,
                     Stays& stays) {
  FastSegment returned{.tensor = stays.front().tensor, .moved_in = true};
  const KernelIndex left = stays.back().end;
  returned.begin = left + Below(random, kernels - left + 1);
  returned.ready = kernels;
  EndFast(kernels, returned);
  BeginFast(stays.front());
  stays.push_back(returned);
}

void LeaveAfterBegin(std::mt19937_64& random, KernelIndex kernels,
                     Stays& stays) {
  FastSegment leaving{.tensor = stays.front().tensor, .moved_out = true};
  BeginFast(leaving);
  leaving.end = 1 + Below(random, stays.front().begin);
  EndFast(kernels, stays.back());
  stays.insert(stays.begin(), leaving);
}

}  // namespace

bool CrossOtherwise(std::mt19937_64& random,
                    const std::vector<KernelIndex>& uses, KernelIndex kernels,
                    std::vector<FastSegment>& stays) {
  if (stays.empty()) return false;
  const bool crosses = !stays.front().moved_in && !stays.back().moved_out;
  LeaveAndArriveInStep(random, uses, kernels, stays);
  if (stays.empty()) return true;
  // It is out of the fast tier on both sides now, which is another way only
  // where it was not before.
  switch (Below(random, crosses ? 6 : 4)) {
    case 0:
    case 1:
      BeginFast(stays.front());
      EndFast(kernels, stays.back());
      return true;
    case 2:
      ReturnBeforeEnd(random, kernels, stays);
      return true;
    case 3:
      if (stays.front().begin == 0) return false;
      LeaveAfterBegin(random, kernels, stays);
      return true;
    default:
      return true;
  }
}

void MendCrossing(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                  KernelIndex kernels, std::vector<FastSegment>& stays) {
  if (stays.empty() || stays.front().moved_in == stays.back().moved_out) return;
  LeaveAndArriveInStep(random, uses, kernels, stays);
}

}  // namespace stowage
