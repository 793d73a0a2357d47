#include "policies/search/absences/allowed_room.h"

#include <algorithm>

#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// The largest share of the arena that is taken at once.
constexpr double kLargestCut = 0.04;

}  // namespace

AllowedRoom::AllowedRoom(const CostModel& costs, const AbsenceChoices& choices)
    : costs_(costs), choices_(choices) {
  AllowAll(1);
}

void AllowedRoom::AllowAll(double share) {
  const auto arena_bytes = static_cast<double>(costs_.workload().arena_bytes);
  const auto most_bytes = static_cast<int64_t>(share * arena_bytes);
  bytes_.clear();
  for (const int64_t least_bytes : choices_.least_bytes) {
    bytes_.push_back(std::max(least_bytes, most_bytes));
  }
}

void AllowedRoom::Take(const std::vector<Residency>& misfits, double share) {
  const auto arena_bytes = static_cast<double>(costs_.workload().arena_bytes);
  const auto largest_bytes = static_cast<int64_t>(kLargestCut * arena_bytes);
  std::vector<int64_t> cut(bytes_.size() + 1);  // changes, then sums
  for (const Residency& misfit : misfits) {
    const Tensor& tensor = costs_.graph().tensors[misfit.tensor];
    const auto bytes = static_cast<int64_t>(
        share * static_cast<double>(RoundUpToPlacement(tensor.size_bytes)));
    if (misfit.begin >= misfit.end) continue;
    cut[misfit.begin] += bytes;
    cut[misfit.end] -= bytes;
  }
  int64_t cut_bytes = 0;
  for (size_t b = 0; b < bytes_.size(); ++b) {
    cut_bytes += cut[b];
    bytes_[b] = std::max(choices_.least_bytes[b],
                         bytes_[b] - std::min(largest_bytes, cut_bytes));
  }
}

}  // namespace stowage::policies
