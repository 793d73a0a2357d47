#include "policies/search/annealing/residency_splice.h"

#include <algorithm>
#include <optional>

namespace stowage::policies {
namespace {

std::optional<Residency> ResidencyAcross(
    const std::vector<Residency>& residencies, KernelIndex boundary) {
  for (const Residency& residency : residencies) {
    if (residency.begin < boundary && boundary < residency.end) {
      return residency;
    }
  }
  return std::nullopt;
}

Residency Join(Residency first, const Residency& second, KernelIndex boundary) {
  if (boundary < first.ready && boundary <= second.ready) {
    first.ready = second.ready;
  }
  first.leave = std::max(second.leave, std::min(first.leave, boundary));
  first.end = second.end;
  first.moved_out = second.moved_out;
  return first;
}

// Returns a residency that leaves by `boundary`, before which `use` is the
// last.
Residency LeavingBy(KernelIndex boundary, KernelIndex use,
                    Residency residency) {
  residency.leave = std::min(residency.leave, use + 1);
  residency.end = boundary;
  residency.moved_out = true;
  return residency;
}

// Returns a residency that comes from `boundary` on, from which `use` is the
// first.
Residency ComingFrom(KernelIndex boundary, KernelIndex use,
                     Residency residency) {
  residency.begin = boundary;
  residency.ready = std::max(residency.ready, use);
  residency.moved_in = true;
  return residency;
}

}  // namespace

std::vector<Residency> SpliceResidencies(const std::vector<KernelIndex>& uses,
                                         const std::vector<Residency>& before,
                                         const std::vector<Residency>& after,
                                         KernelIndex boundary) {
  std::vector<Residency> spliced;
  for (const Residency& residency : before) {
    if (residency.end <= boundary) spliced.push_back(residency);
  }
  const auto first = ResidencyAcross(before, boundary);
  const auto second = ResidencyAcross(after, boundary);
  const auto next = std::lower_bound(uses.begin(), uses.end(), boundary);
  if (first.has_value() && second.has_value()) {
    spliced.push_back(Join(*first, *second, boundary));
  } else if (first.has_value() && next != uses.begin() &&
             first->ready <= *std::prev(next)) {
    spliced.push_back(LeavingBy(boundary, *std::prev(next), *first));
  } else if (second.has_value() && next != uses.end() && *next < second->end) {
    spliced.push_back(ComingFrom(boundary, *next, *second));
  }
  for (const Residency& residency : after) {
    if (residency.begin >= boundary) spliced.push_back(residency);
  }
  return spliced;
}

}  // namespace stowage::policies
