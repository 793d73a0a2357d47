#include "policies/search/annealing/stay_splice.h"

#include <algorithm>
#include <optional>

namespace stowage {
namespace {

std::optional<FastSegment> StayAcross(const std::vector<FastSegment>& stays,
                                      KernelIndex boundary) {
  for (const FastSegment& stay : stays) {
    if (stay.begin < boundary && boundary < stay.end) return stay;
  }
  return std::nullopt;
}

FastSegment Join(FastSegment first, const FastSegment& second,
                 KernelIndex boundary) {
  if (boundary < first.ready && boundary <= second.ready) {
    first.ready = second.ready;
  }
  first.leave = std::max(second.leave, std::min(first.leave, boundary));
  first.end = second.end;
  first.moved_out = second.moved_out;
  return first;
}

// Leaves by `boundary`, before which `use` is the last.
FastSegment LeavingBy(KernelIndex boundary, KernelIndex use, FastSegment stay) {
  stay.leave = std::min(stay.leave, use + 1);
  stay.end = boundary;
  stay.moved_out = true;
  return stay;
}

// Comes from `boundary` on, from which `use` is the first.
FastSegment ComingFrom(KernelIndex boundary, KernelIndex use,
                       FastSegment stay) {
  stay.begin = boundary;
  stay.ready = std::max(stay.ready, use);
  stay.moved_in = true;
  return stay;
}

}  // namespace

std::vector<FastSegment> SpliceStays(const std::vector<KernelIndex>& uses,
                                     const std::vector<FastSegment>& before,
                                     const std::vector<FastSegment>& after,
                                     KernelIndex boundary) {
  std::vector<FastSegment> spliced;
  for (const FastSegment& stay : before) {
    if (stay.end <= boundary) spliced.push_back(stay);
  }
  const auto first = StayAcross(before, boundary);
  const auto second = StayAcross(after, boundary);
  const auto next = std::lower_bound(uses.begin(), uses.end(), boundary);
  if (first.has_value() && second.has_value()) {
    spliced.push_back(Join(*first, *second, boundary));
  } else if (first.has_value() && next != uses.begin() &&
             first->ready <= *std::prev(next)) {
    spliced.push_back(LeavingBy(boundary, *std::prev(next), *first));
  } else if (second.has_value() && next != uses.end() && *next < second->end) {
    spliced.push_back(ComingFrom(boundary, *next, *second));
  }
  for (const FastSegment& stay : after) {
    if (stay.begin >= boundary) spliced.push_back(stay);
  }
  return spliced;
}

}  // namespace stowage
