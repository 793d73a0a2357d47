#include "policies/planning/plan_builder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/layout/address_layout.h"
#include "policies/model/byte_size.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

bool StartsStep(const Graph& graph, const Residency& residency) {
  return residency.begin == 0 && !residency.moved_in &&
         graph.tensors[residency.tensor].alive_at_start();
}

bool EndsStep(const Graph& graph, const Residency& residency) {
  return residency.end == graph.kernel_count() + 1;
}

// Says how a tensor's place in a slower tier is used.
struct SlowUse {
  bool needed = false;
  bool in_place = false;
  bool streamed = false;
  Span first;   // boundaries during which the place is held
  Span second;  // for wrapping tensors
};

class Builder {
 public:
  Builder(const Graph& graph, const MemorySystem& system,
          const BuildInput& input)
      : graph_(graph),
        system_(system),
        input_(input),
        residencies_(input.residencies),
        first_residency_(graph.tensors.size() + 1) {
    const auto by_tensor = [](const Residency& a, const Residency& b) {
      return a.tensor < b.tensor;
    };
    if (!absl::c_is_sorted(residencies_, by_tensor)) {
      absl::c_stable_sort(residencies_, by_tensor);
    }
    for (const Residency& residency : residencies_) {
      ++first_residency_[residency.tensor + 1];
      has_wishes_ = has_wishes_ || residency.block >= 0 || residency.early;
    }
    absl::c_partial_sum(first_residency_, first_residency_.begin());
  }

  int64_t FastBytes() { return LayoutPeakBytes(MakeFastItems()); }

  // Builds the plan. `misfits` are as in BuildPlan.
  absl::StatusOr<Plan> Build(std::vector<Residency>* misfits) {
    const bool fits = PlaceFast(misfits);
    if (input_.cancellation.IsCancelled()) return input_.cancellation.Check();
    if (!fits) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no address layout fits into the ",
                       ArenaBytes(graph_, input_), " bytes of the fast arena"));
    }
    absl::Status status = PlaceSlow();
    if (input_.cancellation.IsCancelled()) return input_.cancellation.Check();
    if (!status.ok()) return status;
    Plan plan = Write();
    plan.graph_id = GraphId(graph_);
    return plan;
  }

  std::vector<Residency> Unplaced() {
    const std::vector<LayoutItem> items = MakeFastItems();
    const int64_t arena_bytes = ArenaBytes(graph_, input_);
    if (arena_bytes <= 0) return input_.residencies;
    return WithoutOffset(
        LayOutWhatFits(items, arena_bytes, input_.cancellation));
  }

  Plan Sketch() {
    fast_offsets_.assign(MakeFastItems().size(), 0);
    homes_.assign(graph_.tensors.size(), Placement{1, 0});
    const std::vector<SlowUse> uses = FindSlowUses();
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      TierIndex& tier = homes_[t].tier;
      if (!input_.first_slow_tier.empty()) tier = input_.first_slow_tier[t];
      while (tier + 1 < system_.tier_count() && !Usable(tier, uses[t])) ++tier;
    }
    return Write();
  }

 private:
  absl::Span<const Residency> ResidenciesOf(TensorIndex t) const {
    return absl::MakeConstSpan(residencies_)
        .subspan(first_residency_[t],
                 first_residency_[t + 1] - first_residency_[t]);
  }

  // Returns the residencies whose item has offset -1.
  std::vector<Residency> WithoutOffset(
      const std::vector<int64_t>& offsets) const {
    std::vector<Residency> residencies;
    for (size_t i = 0; i < residencies_.size(); ++i) {
      if (offsets[fast_items_[i]] < 0) residencies.push_back(residencies_[i]);
    }
    return residencies;
  }

  // Tries wishes first, with little effort.
  bool PlaceFast(std::vector<Residency>* misfits) {
    if (misfits != nullptr) misfits->clear();
    const int64_t arena_bytes = ArenaBytes(graph_, input_);
    if (arena_bytes < 0) return false;
    if (has_wishes_ && arena_bytes > 0) {
      fast_offsets_ =
          LayOutWhatFits(MakeFastItems(), arena_bytes, input_.cancellation);
      const bool fits = std::find(fast_offsets_.begin(), fast_offsets_.end(),
                                  -1) == fast_offsets_.end();
      if (fits) return true;
    }
    has_wishes_ = false;
    const std::vector<LayoutItem> items = MakeFastItems();
    if (TakePlaces(items.size())) return true;
    if (misfits != nullptr) {
      fast_offsets_ = LayOutMost(items, arena_bytes, input_.repair_work,
                                 input_.cancellation);
      *misfits = WithoutOffset(fast_offsets_);
      return misfits->empty();
    }
    std::optional<std::vector<int64_t>> offsets =
        LayOut(items, arena_bytes, input_.cancellation);
    if (!offsets.has_value()) return false;
    fast_offsets_ = *std::move(offsets);
    return true;
  }

  // Takes the places of the residencies if all of them have one.
  bool TakePlaces(size_t items) {
    const bool all = absl::c_all_of(
        residencies_,
        [](const Residency& residency) { return residency.offset_bytes >= 0; });
    if (!all) return false;
    fast_offsets_.resize(items);
    for (size_t i = 0; i < residencies_.size(); ++i) {
      fast_offsets_[fast_items_[i]] = residencies_[i].offset_bytes;
    }
    return true;
  }

  // Makes one item for each residency or block. The two residencies that meet
  // across the end of the step share one, since they are one place.
  std::vector<LayoutItem> MakeFastItems() {
    std::vector<LayoutItem> items;
    std::map<int32_t, int> block_items;
    items.reserve(residencies_.size());
    fast_items_.clear();
    fast_items_.reserve(residencies_.size());
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      int start_item = -1;
      for (const Residency& residency : ResidenciesOf(t)) {
        const Span span{residency.begin, residency.end};
        if (EndsStep(graph_, residency) && start_item >= 0) {
          items[start_item].spans[1] = span;
          fast_items_.push_back(start_item);
          continue;
        }
        if (has_wishes_ && residency.block >= 0) {
          const auto [at, is_new] =
              block_items.try_emplace(residency.block, items.size());
          if (is_new) items.push_back({0, {span, Span{}}, residency.early});
          AddToBlock(residency, items[at->second]);
          fast_items_.push_back(at->second);
          continue;
        }
        if (StartsStep(graph_, residency)) start_item = items.size();
        fast_items_.push_back(items.size());
        items.push_back(
            {RoundUpToPlacement(graph_.tensors[t].size_bytes),
             {span, Span{}},
             graph_.tensors[t].pinned || (has_wishes_ && residency.early)});
      }
    }
    return items;
  }

  void AddToBlock(const Residency& residency, LayoutItem& item) const {
    const int64_t bytes =
        RoundUpToPlacement(graph_.tensors[residency.tensor].size_bytes);
    Span& span = item.spans[0];
    span = {std::min(span.begin, residency.begin),
            std::max(span.end, residency.end)};
    item.size_bytes =
        std::max(item.size_bytes, residency.block_offset_bytes + bytes);
  }

  absl::Status PlaceSlow() {
    const std::vector<SlowUse> uses = FindSlowUses();
    std::vector<TensorIndex> homeless = PlaceFrom(input_.first_slow_tier, uses);
    if (!homeless.empty() && !input_.first_slow_tier.empty()) {
      homeless = PlaceFrom({}, uses);
    }
    if (homeless.empty()) return absl::OkStatus();
    const TensorIndex first = homeless.front();
    return absl::FailedPreconditionError(absl::StrCat(
        homeless.size(), " tensors, the first of them ", first, " (",
        graph_.tensors[first].size_bytes,
        " bytes), do not fit into the slower tiers of '", system_.name, "'",
        TiersFor(uses[first]), "; raise the fast limit or their capacity"));
  }

  // Returns text such as " in which kernels use it: cxl of 64 MiB (67108864
  // bytes)", if that is what keeps a tensor out of the other tiers.
  std::string TiersFor(const SlowUse& use) const {
    if (!use.in_place && !use.streamed) return "";
    std::vector<std::string> tiers;
    for (TierIndex tier = 1; tier < system_.tier_count(); ++tier) {
      const int64_t bytes = system_.tiers[tier].capacity_bytes;
      if (!Usable(tier, use)) continue;
      tiers.push_back(
          absl::StrCat(system_.tiers[tier].name, " of ", DescribeBytes(bytes)));
    }
    return absl::StrCat(" in which kernels use it: ",
                        tiers.empty() ? "none" : absl::StrJoin(tiers, ", "));
  }

  // Places every tensor in the first tier that takes it, beginning with
  // `first_tier`. Returns those that none takes.
  std::vector<TensorIndex> PlaceFrom(const std::vector<TierIndex>& first_tier,
                                     const std::vector<SlowUse>& uses) {
    homes_.assign(graph_.tensors.size(), Placement{});
    std::vector<TensorIndex> waiting;
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (uses[t].needed) waiting.push_back(t);
    }
    for (TierIndex tier = 1; tier < system_.tier_count(); ++tier) {
      waiting = PlaceInTier(tier, first_tier, uses, waiting);
    }
    return waiting;
  }

  bool Usable(TierIndex tier, const SlowUse& use) const {
    return (!use.in_place || system_.tiers[tier].addressable) &&
           (!use.streamed || system_.tiers[tier].streamable);
  }

  // Returns the tensors that still have to go to a slower tier.
  std::vector<TensorIndex> PlaceInTier(
      TierIndex tier, const std::vector<TierIndex>& first_tier,
      const std::vector<SlowUse>& uses,
      const std::vector<TensorIndex>& waiting) {
    std::vector<TensorIndex> tried, left;
    std::vector<LayoutItem> items;
    for (TensorIndex t : waiting) {
      const bool usable = (first_tier.empty() || first_tier[t] <= tier) &&
                          Usable(tier, uses[t]);
      (usable ? tried : left).push_back(t);
      if (!usable) continue;
      items.push_back({RoundUpToPlacement(graph_.tensors[t].size_bytes),
                       {uses[t].first, uses[t].second}});
    }
    const std::vector<int64_t> offsets = LayOutWhatFits(
        items, system_.tiers[tier].capacity_bytes, input_.cancellation);
    for (size_t i = 0; i < tried.size(); ++i) {
      if (offsets[i] < 0) {
        left.push_back(tried[i]);
      } else {
        homes_[tried[i]] = {tier, offsets[i]};
      }
    }
    std::sort(left.begin(), left.end());
    return left;
  }

  std::vector<SlowUse> FindSlowUses() const {
    std::vector<SlowUse> uses(graph_.tensors.size());
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      uses[t] = SlowUseOf(t);
    }
    std::vector<std::pair<KernelIndex, TensorIndex>> streamed;
    for (const Stream& stream : input_.streams) {
      for (TensorIndex t : stream.tensors) {
        streamed.push_back({stream.kernel, t});
        uses[t].streamed = true;
      }
    }
    absl::c_sort(streamed);
    for (KernelIndex k = 0; k < graph_.kernel_count(); ++k) {
      for (const Operand& operand : graph_.kernels[k].operands) {
        if (FastAt(operand.tensor, k)) continue;
        if (absl::c_binary_search(streamed, std::pair(k, operand.tensor))) {
          continue;
        }
        uses[operand.tensor].in_place = true;
      }
    }
    return uses;
  }

  // Returns how the tensor's place is used. It has one place in the slower
  // tiers for as long as it may need it.
  SlowUse SlowUseOf(TensorIndex t) const {
    const Tensor& tensor = graph_.tensors[t];
    const absl::Span<const Residency> residencies = ResidenciesOf(t);
    SlowUse use;
    const KernelIndex end = graph_.kernel_count() + 1;
    use.needed = residencies.empty() || !CoversLife(tensor, residencies);
    if (!use.needed) return use;
    if (tensor.persistent) {
      use.first = {0, end};
    } else if (tensor.wraps()) {
      use.first = {0, tensor.death_kernel + 1};
      use.second = {tensor.birth_kernel, end};
    } else {
      use.first = {tensor.birth_kernel, tensor.death_kernel + 1};
      // The place is needed from the first move out to the last move in.
      if (!residencies.empty() && !residencies.front().moved_in) {
        use.first.begin = residencies.front().leave;
      }
      if (!residencies.empty() && !residencies.back().moved_out) {
        use.first.end = residencies.back().ready + 1;
      }
    }
    return use;
  }

  bool CoversLife(const Tensor& tensor,
                  absl::Span<const Residency> residencies) const {
    for (const Residency& residency : residencies) {
      if (residency.moved_in || residency.moved_out) return false;
    }
    return residencies.size() == (tensor.wraps() ? 2 : 1);
  }

  bool FastAt(TensorIndex t, KernelIndex k) const {
    for (const Residency& residency : ResidenciesOf(t)) {
      if (residency.ready <= k && k < residency.end) return true;
    }
    return false;
  }

  // Returns a place of residency `residency`, an index into all of them.
  Placement FastPlace(int residency) const {
    const int64_t into_block =
        has_wishes_ ? residencies_[residency].block_offset_bytes : 0;
    return {kFastTier, fast_offsets_[fast_items_[residency]] + into_block};
  }

  // Returns where the tensor is allocated at boundary `at` (0 for the step's
  // start).
  Placement PlaceWhenAllocated(TensorIndex t, KernelIndex at,
                               bool initial) const {
    for (int i = first_residency_[t]; i < first_residency_[t + 1]; ++i) {
      const Residency& residency = residencies_[i];
      if (residency.moved_in || residency.begin != at) continue;
      if (initial == StartsStep(graph_, residency)) return FastPlace(i);
    }
    return homes_[t];
  }

  Plan Write() const {
    Plan plan;
    plan.system = system_.name;
    plan.fast_limit_bytes = input_.fast_limit_bytes;
    plan.streams = input_.streams;
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (!graph_.tensors[t].alive_at_start()) continue;
      plan.initial.push_back({t, PlaceWhenAllocated(t, 0, true)});
    }
    const auto births = BirthsByKernel(graph_);
    for (KernelIndex k = 0; k < graph_.kernel_count(); ++k) {
      for (TensorIndex t : births[k]) {
        plan.allocations.push_back({t, PlaceWhenAllocated(t, k, false)});
      }
    }
    WriteMoves(plan);
    plan.fits = plan.moves.empty() && input_.streams.empty() && AllInFast(plan);
    return plan;
  }

  static bool AllInFast(const Plan& plan) {
    const auto fast = [](const Allocation& allocation) {
      return allocation.at.tier == kFastTier;
    };
    return std::all_of(plan.initial.begin(), plan.initial.end(), fast) &&
           std::all_of(plan.allocations.begin(), plan.allocations.end(), fast);
  }

  void WriteMoves(Plan& plan) const {
    for (size_t i = 0; i < residencies_.size(); ++i) {
      const Residency& s = residencies_[i];
      const Placement fast = FastPlace(static_cast<int>(i));
      const Placement& home = homes_[s.tensor];
      if (s.moved_in) {
        plan.moves.push_back({s.tensor, home, fast, s.begin, s.ready});
      }
      if (s.moved_out) {
        plan.moves.push_back({s.tensor, fast, home, s.leave, s.end});
      }
    }
    SortMoves(plan.moves);
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const BuildInput& input_;
  std::vector<Residency> residencies_;  // by tensor
  std::vector<int> first_residency_;    // by tensor, and the end
  bool has_wishes_ = false;  // for early residencies and blocks, not dropped
  std::vector<int> fast_items_;        // parallel to residencies_
  std::vector<int64_t> fast_offsets_;  // by item
  std::vector<Placement> homes_;       // by tensor, slower tiers
};

}  // namespace

void SortMoves(std::vector<Move>& moves) {
  if (moves.empty()) return;
  const auto [first, last] = std::minmax_element(
      moves.begin(), moves.end(), [](const Move& a, const Move& b) {
        return a.start_kernel < b.start_kernel;
      });
  const KernelIndex first_start = first->start_kernel;
  const Groups by_start(last->start_kernel - first_start + 1, [&](auto add) {
    for (size_t m = 0; m < moves.size(); ++m) {
      add(moves[m].start_kernel - first_start, static_cast<int>(m));
    }
  });
  const auto order = [](const Move& move) {
    return std::tuple(move.to.tier == kFastTier, !move.synchronous(),
                      move.deadline_kernel, move.tensor);
  };
  std::vector<Move> sorted;
  sorted.reserve(moves.size());
  for (KernelIndex b = 0; b < by_start.size(); ++b) {
    for (const int m : by_start[b]) sorted.push_back(moves[m]);
    std::sort(
        sorted.end() - by_start[b].size(), sorted.end(),
        [&](const Move& a, const Move& b) { return order(a) < order(b); });
  }
  moves = std::move(sorted);
}

absl::StatusOr<Plan> BuildPlan(const Graph& graph, const MemorySystem& system,
                               const BuildInput& input,
                               std::vector<Residency>* misfits) {
  return Builder(graph, system, input).Build(misfits);
}

Plan SketchPlan(const Graph& graph, const MemorySystem& system,
                const BuildInput& input) {
  return Builder(graph, system, input).Sketch();
}

std::vector<Residency> FindUnplaced(const Graph& graph,
                                    const BuildInput& input) {
  const MemorySystem none;
  return Builder(graph, none, input).Unplaced();
}

std::vector<Residency> AllFastResidencies(const Graph& graph) {
  const KernelIndex end = graph.kernel_count() + 1;
  std::vector<Residency> residencies;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    const KernelIndex death = tensor.death_kernel + 1;
    const KernelIndex birth = tensor.birth_kernel;
    if (tensor.persistent) {
      residencies.push_back({t, 0, 0, end, end});
    } else if (tensor.wraps()) {
      residencies.push_back({t, 0, 0, death, death});
      residencies.push_back({t, birth, birth, end, end});
    } else {
      residencies.push_back({t, birth, birth, death, death});
    }
  }
  return residencies;
}

int64_t AllFastBytes(const Graph& graph) {
  const BuildInput input{.residencies = AllFastResidencies(graph)};
  const MemorySystem none;
  return Builder(graph, none, input).FastBytes() +
         RoundUpToPlacement(graph.unmanaged_peak_bytes);
}

int64_t ArenaBytes(const Graph& graph, const BuildInput& input) {
  return input.fast_limit_bytes -
         RoundUpToPlacement(graph.unmanaged_peak_bytes);
}

}  // namespace stowage::policies
