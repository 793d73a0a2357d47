#include "policies/planning/move_windows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/layout/address_layout.h"
#include "policies/layout/highest_by_address.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {
namespace {

// Copies out get this many times their duration.
constexpr double kMargin = 1.5;

// Describes a tensor's residency at one address of the fast tier, from boundary
// `begin` to `end` - 1.
struct PlacedResidency {
  int64_t offset = 0;
  int64_t bytes = 0;
  AddressSpan span;  // of its places
  KernelIndex begin = 0;
  KernelIndex end = 0;
  int move_in = -1;
  int move_out = -1;
};

class WindowWidener {
 public:
  WindowWidener(const Graph& graph, const Simulation& simulation, Plan& plan)
      : graph_(graph),
        simulation_(simulation),
        plan_(plan),
        uses_(UsesByTensor(graph)),
        moves_of_(MovesByTensor(graph, plan)) {
    boundary_ns_ = {0};
    for (const KernelTrace& kernel : simulation.kernels) {
      boundary_ns_.push_back(kernel.end_ns);
    }
    FindTierResidencies();
    FindSpans();
  }

  void Run() {
    ProlongOuts();
    BeginInsEarlier();
    SortMoves(plan_.moves);
  }

 private:
  static Groups MovesByTensor(const Graph& graph, const Plan& plan) {
    return Groups(graph.tensors.size(), [&](auto add) {
      for (size_t m = 0; m < plan.moves.size(); ++m) {
        add(plan.moves[m].tensor, static_cast<int>(m));
      }
    });
  }

  KernelIndex last() const { return graph_.kernel_count(); }

  void FindTierResidencies() {
    for (const Allocation& initial : plan_.initial) {
      const Tensor& tensor = graph_.tensors[initial.tensor];
      const KernelIndex end =
          tensor.persistent ? last() + 1 : tensor.death_kernel + 1;
      FindResidenciesOfLife(initial, 0, end);
    }
    for (const Allocation& birth : plan_.allocations) {
      const Tensor& tensor = graph_.tensors[birth.tensor];
      const KernelIndex end =
          tensor.wraps() ? last() + 1 : tensor.death_kernel + 1;
      FindResidenciesOfLife(birth, tensor.birth_kernel, end);
    }
  }

  void FindResidenciesOfLife(const Allocation& first, KernelIndex begin,
                             KernelIndex end) {
    PlacedResidency residency{.begin = begin};
    Placement at = first.at;
    const auto finish = [&](KernelIndex boundary) {
      if (at.tier != kFastTier) return;
      residency.offset = at.offset_bytes;
      residency.bytes =
          RoundUpToPlacement(graph_.tensors[first.tensor].size_bytes);
      residency.end = boundary;
      residencies_.push_back(residency);
    };
    for (const int m : moves_of_[first.tensor]) {
      const Move& move = plan_.moves[m];
      if (move.start_kernel < begin || move.start_kernel >= end) continue;
      if (move.to.tier != kFastTier) residency.move_out = m;
      finish(move.deadline_kernel);
      residency = {.begin = move.start_kernel, .move_in = m};
      at = move.to;
    }
    finish(end);
  }

  void FindSpans() {
    for (const PlacedResidency& residency : residencies_) {
      bounds_.push_back(residency.offset);
      bounds_.push_back(residency.offset + residency.bytes);
    }
    std::sort(bounds_.begin(), bounds_.end());
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
    for (PlacedResidency& residency : residencies_) {
      residency.span = {BoundOf(residency.offset),
                        BoundOf(residency.offset + residency.bytes)};
    }
  }

  int BoundOf(int64_t offset) const {
    return static_cast<int>(
        std::lower_bound(bounds_.begin(), bounds_.end(), offset) -
        bounds_.begin());
  }

  // Returns residencies by (begin, end, offset).
  std::vector<int> ResidenciesInOrder() const {
    const Groups by_begin(last() + 2, [&](auto add) {
      for (size_t i = 0; i < residencies_.size(); ++i) {
        add(residencies_[i].begin, static_cast<int>(i));
      }
    });
    std::vector<int> order;
    order.reserve(residencies_.size());
    for (KernelIndex b = 0; b < by_begin.size(); ++b) {
      order.insert(order.end(), by_begin[b].begin(), by_begin[b].end());
      std::sort(order.end() - by_begin[b].size(), order.end(),
                [&](int a, int b) {
                  return std::tie(residencies_[a].end, residencies_[a].offset) <
                         std::tie(residencies_[b].end, residencies_[b].offset);
                });
    }
    return order;
  }

  // Returns the first boundary that was reached at `ns` or later.
  KernelIndex BoundaryAt(int64_t ns) const {
    const auto at =
        std::lower_bound(boundary_ns_.begin(), boundary_ns_.end(), ns);
    return std::min<KernelIndex>(at - boundary_ns_.begin(), last());
  }

  // Returns by when a copy out has to be complete if its place is not needed:
  // before the tensor is used, moved or freed again.
  KernelIndex LatestDeadline(int m) const {
    const Move& move = plan_.moves[m];
    const Tensor& tensor = graph_.tensors[move.tensor];
    const KernelIndex deadline = move.deadline_kernel;
    KernelIndex latest = last();
    const bool dies =
        !tensor.persistent &&
        (!tensor.wraps() || move.start_kernel <= tensor.death_kernel);
    if (dies) latest = tensor.death_kernel;
    const absl::Span<const KernelIndex> uses = uses_[move.tensor];
    const auto use = std::lower_bound(uses.begin(), uses.end(), deadline);
    if (use != uses.end()) latest = std::min(latest, *use);
    const absl::Span<const int> moves = moves_of_[move.tensor];
    const auto next = std::upper_bound(moves.begin(), moves.end(), m);
    if (next != moves.end()) {
      latest = std::min(latest, plan_.moves[*next].start_kernel);
    }
    return std::max(latest, deadline);
  }

  // Returns the first deadline: a kernel that reads the tensor while it is
  // copied out may need it in the fast tier.
  KernelIndex EarliestDeadline(const Move& move) const {
    const absl::Span<const KernelIndex> uses = uses_[move.tensor];
    const auto use =
        std::lower_bound(uses.begin(), uses.end(), move.deadline_kernel);
    if (use == uses.begin()) return move.start_kernel;
    return std::max(move.start_kernel, *std::prev(use) + 1);
  }

  void ProlongOuts() {
    const std::vector<int> order = ResidenciesInOrder();
    // From when on places are needed, negated.
    HighestByAddress needed(bounds_.size(), -(last() + 1));
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      PlacedResidency& residency = residencies_[*i];
      if (residency.move_out >= 0 && !plan_.moves[residency.move_out].is_drop) {
        Move& move = plan_.moves[residency.move_out];
        const MoveTrace& trace = simulation_.moves[residency.move_out];
        const auto wanted_ns = static_cast<int64_t>(
            kMargin * static_cast<double>(trace.end_ns - trace.start_ns));
        const KernelIndex latest = std::max(
            move.deadline_kernel, std::min(LatestDeadline(residency.move_out),
                                           -needed.Highest(residency.span)));
        move.deadline_kernel =
            std::clamp(BoundaryAt(trace.start_ns + wanted_ns),
                       EarliestDeadline(move), latest);
        residency.end = move.deadline_kernel;
      }
      if (residency.begin == residency.end) continue;
      needed.Raise(residency.span, -residency.begin);
    }
  }

  // Returns from when on a copy in may begin if its place is free: after the
  // tensor was used and has arrived where it is copied from.
  KernelIndex EarliestStart(int m) const {
    const Move& move = plan_.moves[m];
    const Tensor& tensor = graph_.tensors[move.tensor];
    KernelIndex earliest = 0;
    const bool born =
        !tensor.persistent && move.start_kernel > tensor.birth_kernel;
    if (born) earliest = tensor.birth_kernel + 1;
    const absl::Span<const KernelIndex> uses = uses_[move.tensor];
    const auto use =
        std::lower_bound(uses.begin(), uses.end(), move.start_kernel);
    if (use != uses.begin()) earliest = std::max(earliest, *std::prev(use) + 1);
    const absl::Span<const int> moves = moves_of_[move.tensor];
    const auto next = std::lower_bound(moves.begin(), moves.end(), m);
    if (next != moves.begin()) {
      earliest =
          std::max(earliest, plan_.moves[*std::prev(next)].deadline_kernel);
    }
    return earliest;
  }

  // Lets copies in begin earlier. Copies that are needed later do not begin
  // before those of the same lane that are needed sooner.
  void BeginInsEarlier() {
    HighestByAddress taken(bounds_.size(), 0);     // until when
    std::vector<std::pair<int, KernelIndex>> ins;  // move, earliest start
    for (const int i : ResidenciesInOrder()) {
      const PlacedResidency& residency = residencies_[i];
      if (residency.move_in >= 0) {
        ins.push_back(
            {residency.move_in, std::max(EarliestStart(residency.move_in),
                                         taken.Highest(residency.span))});
      }
      taken.Raise(residency.span, residency.end);
    }
    std::stable_sort(ins.begin(), ins.end(), [&](const auto& a, const auto& b) {
      return plan_.moves[a.first].deadline_kernel <
             plan_.moves[b.first].deadline_kernel;
    });
    std::map<TierIndex, KernelIndex> lane;  // the latest start so far
    for (const auto& [m, earliest] : ins) {
      Move& move = plan_.moves[m];
      KernelIndex& latest = lane[move.from.tier];
      move.start_kernel =
          std::min(move.start_kernel, std::max(latest, earliest));
      latest = std::max(latest, move.start_kernel);
    }
  }

  const Graph& graph_;
  const Simulation& simulation_;
  Plan& plan_;
  const Groups uses_;      // kernels by tensor
  const Groups moves_of_;  // by tensor, by start
  std::vector<int64_t> boundary_ns_;
  std::vector<PlacedResidency> residencies_;
  std::vector<int64_t> bounds_;  // where residencies begin and end, ascending
};

}  // namespace

void WidenMoves(const Graph& graph, const Simulation& simulation, Plan& plan) {
  WindowWidener(graph, simulation, plan).Run();
}

}  // namespace stowage::policies
