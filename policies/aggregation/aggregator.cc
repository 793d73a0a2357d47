#include "policies/aggregation/aggregator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/aggregation/adjoining.h"
#include "policies/aggregation/hole_layout.h"
#include "policies/aggregation/tensor_group.h"
#include "policies/aggregation/tier_residency.h"
#include "policies/heat/access_index.h"
#include "policies/layout/address_layout.h"
#include "policies/simulate/contiguous_moves.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {
namespace {

// Returns a key by which a plan orders moves. Moves that are otherwise alike go
// by address, so that neighbours follow one another.
auto IssueOrder(const Move& move) {
  return std::tuple(move.start_kernel, move.to.tier == kFastTier,
                    !move.synchronous(), !move.is_drop, move.deadline_kernel,
                    move.from.tier, move.to.tier, move.from.offset_bytes,
                    move.tensor);
}

void SortByAddress(std::vector<Move>& moves) {
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) {
                     return IssueOrder(a) < IssueOrder(b);
                   });
}

// Lays out the groups of one plan, with each of their residencies as one item.
class GroupLayout {
 public:
  enum Freedom {
    kGroupsMove,  // into holes; ungrouped tensors keep their address
    kAllMove,
  };

  GroupLayout(const Graph& graph, const MemorySystem& system, const Plan& plan,
              const std::vector<TensorResidencies>& residencies,
              int64_t small_bytes)
      : graph_(graph),
        system_(system),
        plan_(plan),
        residencies_(residencies),
        small_bytes_(small_bytes),
        begins_(graph.tensors.size()) {
    for (const Allocation& a : plan.allocations) begins_[a.tensor].birth = a.at;
    for (const Allocation& a : plan.initial) begins_[a.tensor].step = a.at;
  }

  // Returns the plan at its new addresses, or nullopt if they do not fit.
  std::optional<Plan> Place(const std::vector<TensorGroup>& groups,
                            Freedom freedom) {
    items_.assign(system_.tiers.size(), {});
    kept_offsets_.assign(system_.tiers.size(), {});
    addresses_.assign(residencies_.size(), {});
    for (const TensorGroup& group : groups) AddItems(group);
    std::vector<std::vector<int64_t>> offsets;
    for (TierIndex tier = 0; tier < system_.tier_count(); ++tier) {
      std::optional<std::vector<int64_t>> tier_offsets =
          freedom == kAllMove ? LayOut(items_[tier], RoomBytes(tier))
                              : LayOutInHoles(items_[tier], kept_offsets_[tier],
                                              RoomBytes(tier));
      if (!tier_offsets.has_value()) return std::nullopt;
      offsets.push_back(*std::move(tier_offsets));
    }
    return Write(offsets);
  }

 private:
  // Says where a residency is: an item of its tier, and how far into it.
  struct Address {
    size_t item = 0;
    int64_t offset_bytes = 0;
  };

  // Says where the plan has a tensor as it is born and as the step begins.
  struct Begins {
    Placement birth;
    Placement step;
  };

  int64_t RoomBytes(TierIndex tier) const {
    if (tier == kFastTier) {
      return plan_.fast_limit_bytes -
             RoundUpToPlacement(graph_.unmanaged_peak_bytes);
    }
    const int64_t capacity = system_.tiers[tier].capacity_bytes;
    return capacity > 0 ? capacity : std::numeric_limits<int64_t>::max() / 2;
  }

  // Returns the address with which the plan came. Small tensors may have got
  // new times, so they need new addresses.
  int64_t KeptOffset(const TensorGroup& group, size_t residency) const {
    const TensorIndex t = group.members.front().tensor;
    if (group.members.size() > 1 || group.batch ||
        graph_.tensors[t].size_bytes <= small_bytes_) {
      return kNoAddress;
    }
    const int32_t arrived_by =
        residencies_[t].residencies[residency].arrived_by;
    if (arrived_by >= 0) return plan_.moves[arrived_by].to.offset_bytes;
    return static_cast<int>(residency) == residencies_[t].birth
               ? begins_[t].birth.offset_bytes
               : begins_[t].step.offset_bytes;
  }

  // Adds one item for all residencies at one place.
  void AddItems(const TensorGroup& group) {
    const TensorIndex first = group.members.front().tensor;
    const std::vector<TierResidency>& residencies =
        residencies_[first].residencies;
    for (size_t i = 0; i < residencies.size(); ++i) {
      std::vector<LayoutItem>& items = items_[residencies[i].tier];
      const auto same =
          std::find_if(residencies.begin(), residencies.begin() + i,
                       [&](const TierResidency& residency) {
                         return residency.place == residencies[i].place;
                       });
      size_t item = items.size();
      if (same != residencies.begin() + i) {
        item = addresses_[first][same - residencies.begin()].item;
        Prolong(HeldBy(group, i), items[item]);
      } else {
        items.push_back({group.size_bytes,
                         {HeldBy(group, i), Span{}},
                         group.batch || graph_.tensors[first].pinned});
        kept_offsets_[residencies[i].tier].push_back(KeptOffset(group, i));
      }
      for (const TensorGroup::Member& member : group.members) {
        addresses_[member.tensor].push_back({item, member.offset_bytes});
      }
    }
  }

  // Adds the time `held` to an item: as part of its last span if they meet,
  // else as a second span, which ends with the step.
  static void Prolong(const Span& held, LayoutItem& item) {
    Span& last = item.spans[1].end > 0 ? item.spans[1] : item.spans[0];
    if (held.begin <= last.end) {
      last.end = std::max(last.end, held.end);
    } else {
      item.spans[1] = held;
    }
  }

  Span HeldBy(const TensorGroup& group, size_t residency) const {
    Span held =
        residencies_[group.members.front().tensor].residencies[residency].held;
    for (const TensorGroup::Member& member : group.members) {
      const Span& one = residencies_[member.tensor].residencies[residency].held;
      held = {std::min(held.begin, one.begin), std::max(held.end, one.end)};
    }
    return held;
  }

  Plan Write(const std::vector<std::vector<int64_t>>& offsets) const {
    const auto placement = [&](TensorIndex t, size_t residency) -> Placement {
      const TierIndex tier = residencies_[t].residencies[residency].tier;
      const Address& address = addresses_[t][residency];
      return {tier, offsets[tier][address.item] + address.offset_bytes};
    };
    Plan plan = plan_;
    for (Allocation& a : plan.initial) a.at = placement(a.tensor, 0);
    for (Allocation& a : plan.allocations) {
      a.at = placement(a.tensor, residencies_[a.tensor].birth);
    }
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      for (size_t i = 1; i < residencies_[t].residencies.size(); ++i) {
        const int32_t m = residencies_[t].residencies[i].arrived_by;
        if (m < 0) continue;
        plan.moves[m].from = placement(t, i - 1);
        plan.moves[m].to = placement(t, i);
      }
    }
    SortByAddress(plan.moves);
    return plan;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Plan& plan_;
  const std::vector<TensorResidencies>& residencies_;
  const int64_t small_bytes_;
  std::vector<Begins> begins_;  // by tensor
  // By tier, for the groups that are being placed.
  std::vector<std::vector<LayoutItem>> items_;
  std::vector<std::vector<int64_t>> kept_offsets_;  // parallel to items_
  std::vector<std::vector<Address>> addresses_;     // by tensor, residency
};

// Returns the plan at new addresses, in groups as large as there is room for,
// or nullopt if not even small ones fit. Small groups gain most and fit most
// easily.
std::optional<Plan> Readdress(const Graph& graph, const MemorySystem& system,
                              const Plan& plan, const AccessIndex& accesses,
                              const AggregationSettings& settings) {
  const std::optional<std::vector<TensorResidencies>> residencies =
      FindTierResidencies(graph, plan);
  if (!residencies.has_value()) return std::nullopt;
  const std::vector<TensorGroup> pages = BatchMicroTensors(
      graph, system, plan, *residencies, accesses, settings.batching);
  GroupLayout layout(graph, system, plan, *residencies,
                     settings.alignment.most_tensor_bytes);
  for (int64_t most_bytes = settings.most_group_bytes; most_bytes > 0;
       most_bytes /= 16) {
    const std::vector<TensorGroup> groups =
        AdjoinTensors(graph, plan, *residencies, accesses, pages, most_bytes);
    std::optional<Plan> placed = layout.Place(groups, GroupLayout::kGroupsMove);
    // Laying everything out anew takes long where it fails, so it is tried
    // once.
    if (!placed.has_value() && most_bytes == settings.most_group_bytes) {
      placed = layout.Place(groups, GroupLayout::kAllMove);
    }
    if (placed.has_value()) return placed;
  }
  return std::nullopt;
}

absl::Status Predict(const Graph& graph, const MemorySystem& system,
                     Plan& plan) {
  absl::StatusOr<Simulation> simulation = Simulate(graph, system, plan);
  if (simulation.ok()) plan.prediction = simulation->prediction;
  return simulation.status();
}

// Returns whether `plan` is faster, or as fast with fewer copies.
bool Better(const Graph& graph, const Plan& plan, const Plan& than) {
  const int64_t gain_ns =
      than.prediction.step_time_ns - plan.prediction.step_time_ns;
  if (gain_ns != 0) return gain_ns > 0;
  return CountCopies(graph, plan).copies <= CountCopies(graph, than).copies;
}

}  // namespace

absl::StatusOr<Plan> AggregatePlan(const Graph& graph,
                                   const MemorySystem& system, Plan plan,
                                   const AggregationSettings& settings) {
  if (absl::Status s = Predict(graph, system, plan); !s.ok()) return s;
  const AccessIndex accesses(graph);
  Plan ordered = plan;
  SortByAddress(ordered.moves);
  std::vector<Plan> schedules = {ordered};
  const std::optional<std::vector<TensorResidencies>> residencies =
      FindTierResidencies(graph, ordered);
  if (residencies.has_value() && settings.align_moves && !plan.moves.empty()) {
    schedules.push_back(
        AlignMoves(graph, ordered, *residencies, settings.alignment));
    SortByAddress(schedules.back().moves);
  }
  for (const Plan& schedule : schedules) {
    std::optional<Plan> candidate =
        Readdress(graph, system, schedule, accesses, settings);
    if (!candidate.has_value()) continue;
    if (absl::Status s = Predict(graph, system, *candidate); !s.ok()) return s;
    if (Better(graph, *candidate, plan)) plan = *std::move(candidate);
  }
  return plan;
}

CopyCount CountCopies(const Graph& graph, const Plan& plan) {
  CopyCount count{.moves = static_cast<int64_t>(plan.moves.size())};
  for (size_t m = 0; m < plan.moves.size();
       m = ContiguousRunEnd(graph, plan.moves, m)) {
    if (!plan.moves[m].is_drop) ++count.copies;
  }
  return count;
}

}  // namespace stowage::policies
