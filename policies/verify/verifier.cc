#include "policies/verify/verifier.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "policies/model/graph_proto.h"
#include "policies/model/groups.h"
#include "policies/model/liveness.h"
#include "policies/plan/moves_by_boundary.h"
#include "policies/verify/tier_arena.h"
#include "policies/verify/violation.h"

namespace stowage::policies {
namespace {

// The largest offset; no arena is this large. It keeps sums of offsets and
// sizes below 2^63.
// In place of a tensor, the window through which a kernel streams.
constexpr TensorIndex kWindow = -1;
constexpr int64_t kMaxOffsetBytes = int64_t{1} << 60;

struct TensorState {
  bool alive = false;
  Placement at;
  int pending_move = -1;  // an asynchronous move under way
  // A place in a slower tier that holds the same bytes, until it is dropped.
  std::optional<Placement> kept;
};

absl::Status CheckGraph(const Graph& graph, const Plan& plan) {
  const std::string id = GraphId(graph);
  if (plan.graph_id == id) return absl::OkStatus();
  return Violation("graph-mismatch",
                   absl::StrCat("the plan is for graph '", plan.graph_id,
                                "', this is graph '", id, "'"));
}

// Executes a plan boundary by boundary, as plan.proto orders events, and stops
// at the first event that must not happen. The graph is the one that the plan's
// implementations make.
class Verification {
 public:
  Verification(const Graph& graph, const MemorySystem& system, const Plan& plan)
      : graph_(graph), system_(system), plan_(plan) {}

  absl::Status Run(const Cancellation& cancellation) {
    if (absl::Status s = CheckAllocations(); !s.ok()) return s;
    if (absl::Status s = CheckMoves(); !s.ok()) return s;
    if (absl::Status s = CheckStreams(); !s.ok()) return s;
    MakeArenas();
    IndexByBoundary();
    if (absl::Status s = BeginStep(); !s.ok()) return s;
    for (KernelIndex b = 0; b <= graph_.kernel_count(); ++b) {
      if (cancellation.IsCancelled()) return cancellation.Check();
      if (absl::Status s = RunBoundary(b); !s.ok()) return s;
      if (b == graph_.kernel_count()) break;
      if (absl::Status s = RunKernel(b); !s.ok()) return s;
    }
    return EndStep();
  }

 private:
  bool IsTensor(TensorIndex t) const {
    return t >= 0 && t < graph_.tensor_count();
  }

  bool IsTier(TierIndex t) const { return t >= 0 && t < system_.tier_count(); }

  // Returns whether the address is allowed. Small tensors may begin within a
  // page that the kernel sees as memory.
  bool IsAligned(TensorIndex t, const Placement& at) const {
    const int64_t into_page = at.offset_bytes % kPlacementAlignmentBytes;
    if (into_page == 0) return true;
    return graph_.tensors[t].size_bytes < kPlacementAlignmentBytes &&
           into_page % kSharedPageAlignmentBytes == 0 &&
           into_page + TakenBytes(graph_.tensors[t].size_bytes) <=
               kPlacementAlignmentBytes &&
           system_.tiers[at.tier].addressable;
  }

  absl::Status CheckPlacement(TensorIndex t, const Placement& at) const {
    if (!IsTier(at.tier) || at.offset_bytes < 0 ||
        at.offset_bytes > kMaxOffsetBytes || !IsAligned(t, at)) {
      return Violation(
          "bad-placement",
          absl::StrCat("tensor ", t, " is placed in tier ", at.tier,
                       " at offset ", at.offset_bytes, "; tiers are 0 to ",
                       system_.tier_count() - 1, ", offsets multiples of ",
                       kPlacementAlignmentBytes,
                       ", or, within a page of an "
                       "addressable tier, of ",
                       kSharedPageAlignmentBytes));
    }
    const bool movable = !graph_.tensors[t].pinned &&
                         graph_.tensors[t].kind != TensorKind::kWorkspace &&
                         graph_.tensors[t].kind != TensorKind::kStreamWindow;
    if (at.tier != kFastTier && !movable) {
      return Violation("immovable",
                       absl::StrCat("tensor ", t,
                                    " is pinned or a workspace, but is placed "
                                    "in tier ",
                                    at.tier));
    }
    return absl::OkStatus();
  }

  // Fills `places` from one of the plan's two lists of allocations. `belongs`
  // says which tensors the list must hold.
  template <typename Belongs>
  absl::Status CheckList(const char* list,
                         const std::vector<Allocation>& allocations,
                         Belongs belongs,
                         std::vector<std::optional<Placement>>& places) {
    places.resize(graph_.tensors.size());
    for (const Allocation& allocation : allocations) {
      const TensorIndex t = allocation.tensor;
      if (!IsTensor(t) || !belongs(graph_.tensors[t])) {
        return Violation("bad-placement",
                         absl::StrCat(list, " places tensor ", t,
                                      ", which does not begin there"));
      }
      if (places[t].has_value()) {
        return Violation("duplicate-allocation",
                         absl::StrCat(list, " places tensor ", t, " twice"));
      }
      absl::Status status = CheckPlacement(t, allocation.at);
      if (!status.ok()) return status;
      places[t] = allocation.at;
    }
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (places[t].has_value() || !belongs(graph_.tensors[t])) continue;
      return Violation("missing-allocation",
                       absl::StrCat(list, " does not place tensor ", t));
    }
    return absl::OkStatus();
  }

  absl::Status CheckAllocations() {
    absl::Status status = CheckList(
        "initial", plan_.initial,
        [](const Tensor& tensor) { return tensor.alive_at_start(); }, initial_);
    if (!status.ok()) return status;
    return CheckList(
        "allocations", plan_.allocations,
        [](const Tensor& tensor) { return !tensor.persistent; }, at_birth_);
  }

  absl::Status CheckMoves() const {
    KernelIndex previous = 0;
    for (size_t m = 0; m < plan_.moves.size(); ++m) {
      const Move& move = plan_.moves[m];
      if (!IsTensor(move.tensor)) {
        return Violation("wrong-source",
                         absl::StrCat("move ", m, " is of tensor ", move.tensor,
                                      ", which does not exist"));
      }
      for (const Placement& place : {move.from, move.to}) {
        absl::Status status = CheckPlacement(move.tensor, place);
        if (!status.ok()) return status;
      }
      if (!graph_.tensors[move.tensor].movable()) {
        return Violation("immovable", absl::StrCat("move ", m, " is of tensor ",
                                                   move.tensor));
      }
      if (move.start_kernel < previous ||
          move.deadline_kernel < move.start_kernel ||
          move.deadline_kernel > graph_.kernel_count()) {
        return Violation(
            "bad-window",
            absl::StrCat("move ", m, " goes from boundary ", move.start_kernel,
                         " to ", move.deadline_kernel,
                         "; starts must ascend from 0, deadlines must not come "
                         "before them or after ",
                         graph_.kernel_count()));
      }
      previous = move.start_kernel;
    }
    return absl::OkStatus();
  }

  absl::Status CheckStreams() {
    KernelIndex previous = -1;
    for (const Stream& stream : plan_.streams) {
      if (stream.kernel <= previous || stream.kernel >= graph_.kernel_count()) {
        return Violation("bad-stream",
                         absl::StrCat("streams list kernel ", stream.kernel,
                                      " out of order or out of range"));
      }
      previous = stream.kernel;
      if (absl::Status s = CheckWindow(stream); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  static absl::Status CheckWindow(const Stream& stream) {
    const auto is_whole_pages = [](int64_t bytes) {
      return bytes >= 0 && bytes <= kMaxOffsetBytes &&
             bytes % kPlacementAlignmentBytes == 0;
    };
    if (is_whole_pages(stream.window_bytes) &&
        is_whole_pages(stream.window_offset_bytes)) {
      return absl::OkStatus();
    }
    return Violation(
        "bad-stream",
        absl::StrCat("kernel ", stream.kernel, " has a window of ",
                     stream.window_bytes, " bytes at ",
                     stream.window_offset_bytes, "; both must be multiples of ",
                     kPlacementAlignmentBytes));
  }

  // Makes the arenas. The unmanaged storages take their part of the fast limit
  // for the whole step; tensors and windows have the rest.
  void MakeArenas() {
    const int64_t fast_end =
        plan_.fast_limit_bytes - TakenPagesBytes(graph_.unmanaged_peak_bytes);
    arenas_.emplace_back(fast_end, "over-limit");
    for (TierIndex t = 1; t < system_.tier_count(); ++t) {
      std::optional<int64_t> end_bytes;
      if (system_.tiers[t].capacity_bytes > 0) {
        end_bytes = system_.tiers[t].capacity_bytes;
      }
      arenas_.emplace_back(end_bytes, "over-capacity");
    }
  }

  void IndexByBoundary() {
    const size_t boundaries = graph_.kernels.size() + 1;
    starts_ = MovesByStart(plan_, graph_.kernel_count());
    deadlines_ = MovesByDeadline(plan_, graph_.kernel_count());
    births_ = Groups(boundaries, [&](auto add) {
      for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
        const Tensor& tensor = graph_.tensors[t];
        if (!tensor.persistent) add(tensor.birth_kernel, t);
      }
    });
    deaths_ = DeathsByBoundary(graph_);
    states_.resize(graph_.tensors.size());
  }

  absl::Status Take(TensorIndex t, const Placement& at, KernelIndex boundary) {
    return arenas_[at.tier].Take(
        t, at.offset_bytes, TakenBytes(graph_.tensors[t].size_bytes), boundary);
  }

  void Release(const Placement& at) {
    arenas_[at.tier].Release(at.offset_bytes);
  }

  absl::Status BeginStep() {
    const int64_t capacity = system_.tiers[kFastTier].capacity_bytes;
    if (capacity > 0 && plan_.fast_limit_bytes > capacity) {
      return Violation(
          "over-capacity",
          absl::StrCat("the fast limit of ", plan_.fast_limit_bytes,
                       " bytes exceeds the tier's ", capacity));
    }
    const int64_t set_aside = TakenPagesBytes(graph_.unmanaged_peak_bytes);
    if (set_aside > plan_.fast_limit_bytes) {
      return Violation(
          "over-limit",
          absl::StrCat("unmanaged storages take ", set_aside,
                       " bytes of a limit of ", plan_.fast_limit_bytes));
    }
    for (const Allocation& allocation : plan_.initial) {
      absl::Status status = Take(allocation.tensor, allocation.at, 0);
      if (!status.ok()) return status;
      states_[allocation.tensor] = {.alive = true, .at = allocation.at};
    }
    return absl::OkStatus();
  }

  absl::Status RunBoundary(KernelIndex b) {
    CloseWindow();
    for (TensorIndex t : deaths_[b]) {
      if (absl::Status s = Free(t, b); !s.ok()) return s;
    }
    for (int m : deadlines_[b]) Complete(m);
    for (int m : starts_[b]) {
      if (absl::Status s = Start(m, b); !s.ok()) return s;
      if (plan_.moves[m].synchronous()) Complete(m);
    }
    for (TensorIndex t : births_[b]) {
      if (absl::Status s = Take(t, *at_birth_[t], b); !s.ok()) return s;
      states_[t] = {.alive = true, .at = *at_birth_[t]};
    }
    return OpenWindow(b);
  }

  // Takes the room through which kernel `b` streams, if it does.
  absl::Status OpenWindow(KernelIndex b) {
    if (next_stream_ == plan_.streams.size()) return absl::OkStatus();
    const Stream& stream = plan_.streams[next_stream_];
    if (stream.kernel != b || stream.window_bytes == 0) return absl::OkStatus();
    open_window_ = stream.window_offset_bytes;
    return arenas_[kFastTier].Take(kWindow, stream.window_offset_bytes,
                                   stream.window_bytes, b);
  }

  void CloseWindow() {
    if (open_window_.has_value()) arenas_[kFastTier].Release(*open_window_);
    open_window_.reset();
  }

  absl::Status Free(TensorIndex t, KernelIndex b) {
    TensorState& state = states_[t];
    if (state.kept.has_value()) return NotDropped(t);
    if (state.pending_move >= 0) {
      return Violation(
          "use-after-free",
          absl::StrCat("tensor ", t, " is freed at boundary ", b,
                       " while move ", state.pending_move, " copies it"));
    }
    Release(state.at);
    state.alive = false;
    return absl::OkStatus();
  }

  absl::Status Start(int m, KernelIndex b) {
    const Move& move = plan_.moves[m];
    TensorState& state = states_[move.tensor];
    if (!state.alive) {
      return Violation(
          "use-after-free",
          absl::StrCat("move ", m, " begins at boundary ", b, " when tensor ",
                       move.tensor, " is not alive"));
    }
    if (state.pending_move >= 0) {
      return Violation("bad-window",
                       absl::StrCat("move ", m, " of tensor ", move.tensor,
                                    " begins at boundary ", b, " before move ",
                                    state.pending_move, " has ended"));
    }
    if (state.at != move.from) {
      return Violation(
          "wrong-source",
          absl::StrCat("move ", m, " takes tensor ", move.tensor, " from tier ",
                       move.from.tier, " offset ", move.from.offset_bytes,
                       ", but at boundary ", b, " it is in tier ",
                       state.at.tier, " at ", state.at.offset_bytes));
    }
    if (absl::Status s = CheckKept(m); !s.ok()) return s;
    state.pending_move = m;
    return move.is_drop ? absl::OkStatus() : Take(move.tensor, move.to, b);
  }

  // Checks that a kept place is dropped next, and that nothing else is dropped.
  absl::Status CheckKept(int m) const {
    const Move& move = plan_.moves[m];
    const std::optional<Placement>& kept = states_[move.tensor].kept;
    const bool keeps_well = !move.keeps_source || (move.to.tier == kFastTier &&
                                                   move.from.tier != kFastTier);
    const bool drops_well = move.is_drop ? move.synchronous() && kept == move.to
                                         : !kept.has_value();
    if (keeps_well && drops_well) return absl::OkStatus();
    return Violation(
        "bad-drop",
        absl::StrCat("move ", m, " of tensor ", move.tensor,
                     !keeps_well    ? " keeps a source, but does not go from a "
                                      "slower tier to the fast one"
                     : move.is_drop ? " is a drop, but is not synchronous or "
                                      "goes elsewhere than to a kept source"
                                    : " copies it although its source was kept "
                                      "to be dropped"));
  }

  static absl::Status NotDropped(TensorIndex t) {
    return Violation(
        "bad-drop",
        absl::StrCat("tensor ", t, " keeps a source to which no drop returns"));
  }

  void Complete(int m) {
    const Move& move = plan_.moves[m];
    TensorState& state = states_[move.tensor];
    if (!move.keeps_source) Release(move.from);
    state.kept.reset();
    if (move.keeps_source) state.kept = move.from;
    state.at = move.to;
    state.pending_move = -1;
  }

  absl::Status RunKernel(KernelIndex k) {
    absl::flat_hash_set<TensorIndex> streamed;
    if (absl::Status s = OpenStream(k, streamed); !s.ok()) return s;
    for (const Operand& operand : graph_.kernels[k].operands) {
      const TensorIndex t = operand.tensor;
      const TensorState& state = states_[t];
      if (!state.alive) {
        return Violation("use-after-free",
                         absl::StrCat("kernel ", k, " uses tensor ", t,
                                      ", which is not alive"));
      }
      if (operand.write && state.pending_move >= 0) {
        return Violation(
            "written-while-moving",
            absl::StrCat("kernel ", k, " writes tensor ", t, " while move ",
                         state.pending_move, " copies it"));
      }
      if (operand.write && state.kept.has_value()) {
        return Violation("stale-source",
                         absl::StrCat("kernel ", k, " writes tensor ", t,
                                      ", whose source is kept to be dropped"));
      }
      if (system_.tiers[state.at.tier].addressable || streamed.erase(t) > 0) {
        continue;
      }
      return Violation("not-resident",
                       absl::StrCat("kernel ", k, " uses tensor ", t,
                                    " in tier ", state.at.tier,
                                    ", which is not addressable, and does not "
                                    "stream it"));
    }
    if (streamed.empty()) return absl::OkStatus();
    return Violation(
        "bad-stream",
        absl::StrCat("kernel ", k, " streams tensor ",
                     *std::min_element(streamed.begin(), streamed.end()),
                     ", which it does not use"));
  }

  // Opens the tensors that kernel `k` streams; each must be in a streamable
  // tier.
  absl::Status OpenStream(KernelIndex k,
                          absl::flat_hash_set<TensorIndex>& streamed) {
    if (next_stream_ == plan_.streams.size() ||
        plan_.streams[next_stream_].kernel != k) {
      return absl::OkStatus();
    }
    for (TensorIndex t : plan_.streams[next_stream_++].tensors) {
      const bool good = IsTensor(t) && states_[t].alive &&
                        system_.tiers[states_[t].at.tier].streamable &&
                        streamed.insert(t).second;
      if (good) continue;
      return Violation("bad-stream",
                       absl::StrCat("kernel ", k, " streams tensor ", t,
                                    ", which is not in a streamable tier or "
                                    "is listed twice"));
    }
    return absl::OkStatus();
  }

  absl::Status EndStep() const {
    for (const Allocation& allocation : plan_.initial) {
      const TensorState& state = states_[allocation.tensor];
      if (state.kept.has_value()) return NotDropped(allocation.tensor);
      if (state.at == allocation.at) continue;
      return Violation(
          "not-cyclic",
          absl::StrCat("tensor ", allocation.tensor,
                       " begins the step in tier ", allocation.at.tier, " at ",
                       allocation.at.offset_bytes, " and ends it in tier ",
                       state.at.tier, " at ", state.at.offset_bytes));
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Plan& plan_;

  std::vector<std::optional<Placement>> initial_;   // by tensor
  std::vector<std::optional<Placement>> at_birth_;  // by tensor
  Groups starts_;                                   // moves by boundary
  Groups deadlines_;                                // asynchronous moves
  Groups births_;                                   // tensors by boundary
  Groups deaths_;
  std::vector<TierArena> arenas_;    // by tier
  std::vector<TensorState> states_;  // by tensor
  size_t next_stream_ = 0;
  std::optional<int64_t> open_window_;  // its offset
};

}  // namespace

absl::Status VerifyPlan(const Graph& graph, const MemorySystem& system,
                        const Plan& plan, const Cancellation& cancellation) {
  if (absl::Status s = CheckGraph(graph, plan); !s.ok()) return s;
  const absl::Status choices =
      CheckImplementations(graph, plan.implementations);
  if (!choices.ok()) {
    return Violation("bad-implementation", std::string(choices.message()));
  }
  const ChosenGraph chosen(graph, plan.implementations);
  return Verification(chosen.get(), system, plan).Run(cancellation);
}

}  // namespace stowage::policies
