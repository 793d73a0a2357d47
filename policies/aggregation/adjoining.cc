#include "policies/aggregation/adjoining.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "policies/aggregation/batching.h"
#include "policies/aggregation/route.h"
#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// A group holds its room from the first of its tensors to the last. At most
// this share may be held for nothing, in bytes times time.
constexpr double kMostWasteShare = 0.2;

// Sums the room of a growing group over its residencies.
class HeldRoom {
 public:
  explicit HeldRoom(const std::vector<TensorResidencies>& residencies)
      : residencies_(residencies) {}

  void Clear() {
    spans_.clear();
    bytes_ = 0;
    used_ = 0;
  }

  void Add(TensorIndex tensor, int64_t bytes) {
    const std::vector<TierResidency>& residencies =
        residencies_[tensor].residencies;
    if (spans_.empty()) {
      for (const TierResidency& residency : residencies) {
        spans_.push_back(residency.held);
      }
    }
    bytes_ += static_cast<double>(bytes);
    for (size_t i = 0; i < residencies.size(); ++i) {
      const Span& held = residencies[i].held;
      spans_[i] = {std::min(spans_[i].begin, held.begin),
                   std::max(spans_[i].end, held.end)};
      used_ += static_cast<double>(bytes) * (held.end - held.begin);
    }
  }

  double WasteShare() const {
    double held = 0;
    for (const Span& span : spans_) held += bytes_ * (span.end - span.begin);
    return held > 0 ? 1 - used_ / held : 0;
  }

 private:
  const std::vector<TensorResidencies>& residencies_;
  std::vector<Span> spans_;  // by residency
  double bytes_ = 0;
  double used_ = 0;
};

void Append(const TensorGroup& part, TensorGroup& group) {
  for (const TensorGroup::Member& member : part.members) {
    group.members.push_back(
        {member.tensor, group.size_bytes + member.offset_bytes});
  }
  group.size_bytes += part.size_bytes;
}

class Adjoiner {
 public:
  Adjoiner(const Graph& graph,
           const std::vector<TensorResidencies>& residencies,
           const AccessIndex& accesses, int64_t most_group_bytes)
      : graph_(graph),
        residencies_(residencies),
        accesses_(accesses),
        most_group_bytes_(most_group_bytes) {}

  // Joins parts of one route as far as they may be joined; the rest begins a
  // new group.
  void Join(std::vector<TensorGroup> parts, std::vector<TensorGroup>& groups) {
    std::stable_sort(parts.begin(), parts.end(),
                     [this](const TensorGroup& a, const TensorGroup& b) {
                       return OrderOf(a) < OrderOf(b);
                     });
    HeldRoom room(residencies_);
    TensorGroup group;
    for (const TensorGroup& part : parts) {
      HeldRoom with_part = room;
      AddTo(with_part, part);
      const bool joins =
          group.size_bytes + part.size_bytes <= most_group_bytes_ &&
          with_part.WasteShare() <= kMostWasteShare;
      if (!group.members.empty() && !joins) {
        groups.push_back(std::exchange(group, {}));
        room.Clear();
      }
      AddTo(room, part);
      group.batch = part.batch;
      Append(part, group);
    }
    if (!group.members.empty()) groups.push_back(std::move(group));
  }

 private:
  std::tuple<KernelIndex, int64_t> OrderOf(const TensorGroup& part) const {
    const TensorIndex t = part.members.front().tensor;
    const KernelIndex kernel = AllocationKernel(graph_.tensors[t]);
    return {accesses_.FutureDistance(t, kernel),
            accesses_.FutureAccesses(t, kernel)};
  }

  static void AddTo(HeldRoom& room, const TensorGroup& part) {
    const auto count = static_cast<int64_t>(part.members.size());
    for (const TensorGroup::Member& member : part.members) {
      room.Add(member.tensor, part.size_bytes / count);
    }
  }

  const Graph& graph_;
  const std::vector<TensorResidencies>& residencies_;
  const AccessIndex& accesses_;
  const int64_t most_group_bytes_;
};

}  // namespace

std::vector<TensorGroup> AdjoinTensors(
    const Graph& graph, const Plan& plan,
    const std::vector<TensorResidencies>& residencies,
    const AccessIndex& accesses, std::vector<TensorGroup> pages,
    int64_t most_group_bytes) {
  std::vector<bool> batched(graph.tensors.size());
  for (const TensorGroup& page : pages) {
    for (const TensorGroup::Member& m : page.members) batched[m.tensor] = true;
  }
  std::vector<TensorGroup> parts = std::move(pages);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (batched[t]) continue;
    parts.push_back(
        {.members = {{t, 0}},
         .size_bytes = RoundUpToPlacement(graph.tensors[t].size_bytes)});
  }
  std::vector<TensorGroup> groups;
  // Batches have space of their own.
  std::map<std::pair<bool, Route>, std::vector<TensorGroup>> together;
  for (TensorGroup& part : parts) {
    const TensorIndex t = part.members.front().tensor;
    if (!Moves(residencies[t]) || 2 * part.size_bytes > most_group_bytes) {
      groups.push_back(std::move(part));
    } else {
      together[{part.batch, RouteOf(graph, plan, residencies[t], t)}].push_back(
          std::move(part));
    }
  }
  Adjoiner adjoiner(graph, residencies, accesses, most_group_bytes);
  for (auto& [key, alike] : together) {
    adjoiner.Join(std::move(alike), groups);
  }
  return groups;
}

}  // namespace stowage::policies
