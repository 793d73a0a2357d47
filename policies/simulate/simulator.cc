#include "policies/simulate/simulator.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/model/liveness.h"
#include "policies/plan/moves_by_boundary.h"
#include "policies/simulate/contiguous_moves.h"
#include "policies/simulate/interference.h"
#include "policies/simulate/lane_clocks.h"
#include "policies/simulate/later.h"

namespace stowage::policies {
namespace {

absl::Status CheckTensor(const Graph& graph, const char* what,
                         TensorIndex tensor) {
  if (tensor >= 0 && tensor < graph.tensor_count()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the plan's ", what, " names tensor ", tensor, ", but the graph has ",
      graph.tensor_count(), "; make a plan for this graph"));
}

absl::Status CheckTier(const MemorySystem& system, TierIndex tier) {
  if (tier >= 0 && tier < system.tier_count()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the plan uses tier ", tier, ", but '", system.name, "' has ",
      system.tier_count(), "; make a plan for this memory system"));
}

absl::Status CheckBoundary(const Graph& graph, KernelIndex boundary) {
  if (boundary >= 0 && boundary <= graph.kernel_count()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the plan uses boundary ", boundary,
                   ", but the graph has boundaries 0 to ", graph.kernel_count(),
                   "; make a plan for this graph"));
}

absl::Status CheckReferences(const Graph& graph, const MemorySystem& system,
                             const Plan& plan) {
  absl::Status status;
  for (const Allocation& initial : plan.initial) {
    status.Update(CheckTensor(graph, "initial", initial.tensor));
    status.Update(CheckTier(system, initial.at.tier));
  }
  for (const Allocation& allocation : plan.allocations) {
    status.Update(CheckTensor(graph, "allocations", allocation.tensor));
    status.Update(CheckTier(system, allocation.at.tier));
  }
  for (const Move& move : plan.moves) {
    status.Update(CheckTensor(graph, "moves", move.tensor));
    status.Update(CheckTier(system, move.from.tier));
    status.Update(CheckTier(system, move.to.tier));
    status.Update(CheckBoundary(graph, move.start_kernel));
    status.Update(CheckBoundary(graph, move.deadline_kernel));
  }
  for (const Stream& stream : plan.streams) {
    status.Update(CheckBoundary(graph, stream.kernel));
    for (TensorIndex t : stream.tensors) {
      status.Update(CheckTensor(graph, "streams", t));
    }
  }
  status.Update(CheckImplementations(graph, plan.implementations));
  return status;
}

// Returns the lanes between all tiers, by tiers from and to.
std::vector<Lane> AllLanes(const MemorySystem& system) {
  std::vector<Lane> lanes;
  for (TierIndex from = 0; from < system.tier_count(); ++from) {
    for (TierIndex to = 0; to < system.tier_count(); ++to) {
      lanes.push_back({from, to});
    }
  }
  return lanes;
}

class StepSimulation {
 public:
  StepSimulation(const Graph& graph, const MemorySystem& system,
                 const Plan& plan)
      : graph_(graph),
        system_(system),
        plan_(plan),
        births_(BirthsByKernel(graph)),
        deaths_(DeathsByBoundary(graph)),
        at_(graph.tensors.size()),
        initial_(at_),
        at_birth_(at_),
        window_bytes_(graph.kernels.size() + 1),
        interference_(graph, system, AllLanes(system)),
        clocks_(system, AllLanes(system)),
        lanes_(clocks_.state_size()),
        lane_free_ns_(clocks_.lane_count()),
        under_way_(clocks_.lane_count()) {
    IndexPlan();
  }

  absl::StatusOr<Simulation> Run(const Cancellation& cancellation) {
    Hold(RoundUpToPlacement(graph_.unmanaged_peak_bytes));
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (graph_.tensors[t].alive_at_start()) Allocate(t, initial_[t]);
    }
    for (KernelIndex b = 0; b <= graph_.kernel_count(); ++b) {
      if (cancellation.IsCancelled()) return cancellation.Check();
      const int64_t stall_ns = RunBoundary(b);
      if (b < graph_.kernel_count()) RunKernel(b, stall_ns);
    }
    Prediction& prediction = simulation_.prediction;
    prediction.step_time_ns = now_ns_;
    prediction.locality =
        touched_bytes_ > 0 ? touched_fast_bytes_ / touched_bytes_ : 1.0;
    return std::move(simulation_);
  }

 private:
  // One copy, of moves `first` to `end` - 1.
  struct Copy {
    size_t first = 0;
    size_t end = 0;
  };

  template <typename Function>
  void ForMoves(const Copy& copy, Function function) {
    for (size_t m = copy.first; m < copy.end; ++m) {
      function(simulation_.moves[m]);
    }
  }

  void IndexPlan() {
    const size_t boundaries = graph_.kernels.size() + 1;
    starts_ = MovesByStart(plan_, graph_.kernel_count());
    deadlines_ = MovesByDeadline(plan_, graph_.kernel_count());
    streamed_ = Groups(boundaries, [&](auto add) {
      for (const Stream& stream : plan_.streams) {
        for (const TensorIndex t : stream.tensors) add(stream.kernel, t);
      }
    });
    for (const Stream& stream : plan_.streams) {
      window_bytes_[stream.kernel] = stream.window_bytes;
    }
    for (const Allocation& a : plan_.initial) initial_[a.tensor] = a.at;
    for (const Allocation& a : plan_.allocations) at_birth_[a.tensor] = a.at;
    simulation_.moves.resize(plan_.moves.size());
    marks_.resize(plan_.moves.size());
    simulation_.kernels.reserve(graph_.kernels.size());
  }

  void Hold(int64_t bytes) {
    held_bytes_ += bytes;
    simulation_.prediction.fast_peak_bytes =
        std::max(simulation_.prediction.fast_peak_bytes, held_bytes_);
  }

  void Allocate(TensorIndex t, const Placement& at) {
    at_[t] = at;
    TakePlace(t, at);
  }

  // Takes a place. A page that small tensors share is held as long as there is
  // one of them.
  void TakePlace(TensorIndex t, const Placement& at) {
    if (at.tier != kFastTier) return;
    const int64_t bytes = graph_.tensors[t].size_bytes;
    if (bytes < kPlacementAlignmentBytes) {
      if (sharers_[PageOf(at)]++ == 0) Hold(kPlacementAlignmentBytes);
    } else {
      Hold(RoundUpToPlacement(bytes));
    }
  }

  void LeavePlace(TensorIndex t, const Placement& at) {
    if (at.tier != kFastTier) return;
    const int64_t bytes = graph_.tensors[t].size_bytes;
    if (bytes < kPlacementAlignmentBytes) {
      if (--sharers_[PageOf(at)] == 0) held_bytes_ -= kPlacementAlignmentBytes;
    } else {
      held_bytes_ -= RoundUpToPlacement(bytes);
    }
  }

  static int64_t PageOf(const Placement& at) {
    return at.offset_bytes / kPlacementAlignmentBytes;
  }

  // Runs the events of a boundary in the order of proto/stowage/v1/plan.proto.
  // Returns the time that was waited for moves.
  int64_t RunBoundary(KernelIndex b) {
    const int64_t before_ns = now_ns_;
    for (TensorIndex t : deaths_[b]) LeavePlace(t, at_[t]);
    for (int m : deadlines_[b]) Complete(m);
    StartMoves(starts_[b]);
    if (b < graph_.kernel_count()) {
      for (TensorIndex t : births_[b]) Allocate(t, at_birth_[t]);
    }
    simulation_.prediction.stall_ns += now_ns_ - before_ns;
    return now_ns_ - before_ns;
  }

  // Starts the moves of one boundary; `starts` ascend.
  void StartMoves(absl::Span<const int> starts) {
    for (size_t i = 0; i < starts.size();) {
      const size_t first = starts[i];
      const size_t end = ContiguousRunEnd(graph_, plan_.moves, first);
      StartCopy(first, end);
      for (size_t m = first; m < end; ++m, ++i) {
        if (plan_.moves[m].synchronous()) Complete(m);
      }
    }
  }

  // Starts one copy, made of moves `first` .. `end` - 1.
  void StartCopy(size_t first, size_t end) {
    simulation_.moves[first] = {now_ns_, now_ns_};
    if (plan_.moves[first].is_drop) return;
    const TierIndex from = plan_.moves[first].from.tier;
    const TierIndex to = plan_.moves[first].to.tier;
    int64_t bytes = 0;
    for (size_t m = first; m < end; ++m) {
      const Move& move = plan_.moves[m];
      bytes += graph_.tensors[move.tensor].size_bytes;
      TakePlace(move.tensor, move.to);
    }
    const size_t lane = LaneOf(plan_.moves[first]);
    const int64_t mark =
        clocks_.Issue(lane, now_ns_, system_.CopyDurationNs(from, to, bytes),
                      absl::MakeSpan(lanes_));
    std::fill(marks_.begin() + first, marks_.begin() + end, mark);
    under_way_[lane].push_back({.first = first, .end = end});
    if (under_way_[lane].size() == 1) NoteStart(lane, now_ns_);
    Prediction& prediction = simulation_.prediction;
    if (from == kFastTier) prediction.moved_out_bytes += bytes;
    if (to == kFastTier) prediction.moved_in_bytes += bytes;
  }

  void Complete(size_t m) {
    const Move& move = plan_.moves[m];
    if (!move.is_drop) {
      AdvanceTo(clocks_.EndNs(LaneOf(move), marks_[m], now_ns_, lanes_));
    }
    LeavePlace(move.tensor, move.from);
    at_[move.tensor] = move.to;
  }

  size_t LaneOf(const Move& move) const {
    return move.from.tier * system_.tier_count() + move.to.tier;
  }

  // Lets time pass, in which nothing is issued, and notes which copies end.
  void AdvanceTo(int64_t then_ns) {
    for (size_t lane = 0; lane < under_way_.size(); ++lane) {
      std::deque<Copy>& copies = under_way_[lane];
      while (!copies.empty()) {
        const int64_t mark = marks_[copies.front().first];
        const int64_t end_ns = clocks_.EndNs(lane, mark, now_ns_, lanes_);
        if (end_ns > then_ns) break;
        ForMoves(copies.front(),
                 [=](MoveTrace& trace) { trace.end_ns = end_ns; });
        copies.pop_front();
        if (!copies.empty()) NoteStart(lane, end_ns);
      }
    }
    clocks_.Advance(now_ns_, then_ns, absl::MakeSpan(lanes_));
    now_ns_ = then_ns;
  }

  void NoteStart(size_t lane, int64_t start_ns) {
    ForMoves(under_way_[lane].front(),
             [=](MoveTrace& trace) { trace.start_ns = start_ns; });
  }

  void RunKernel(KernelIndex k, int64_t stall_ns) {
    const Kernel& kernel = graph_.kernels[k];
    const int64_t window_bytes = window_bytes_[k];
    Hold(window_bytes);
    KernelTrace trace;
    trace.stall_ns = stall_ns;
    trace.fast_bytes = held_bytes_;
    AdvanceTo(LaterNs(now_ns_, kernel.gap_ns));
    trace.start_ns = now_ns_;
    clocks_.FreeNs(now_ns_, lanes_, absl::MakeSpan(lane_free_ns_));
    const int64_t duration_ns = KernelDurationNs(
        graph_, kernel, system_, [this](TensorIndex t) { return at_[t].tier; });
    const int64_t stream_ns = WaitForStreamsNs(k);
    int64_t& all_streams_ns = simulation_.prediction.stream_ns;
    all_streams_ns = LaterNs(all_streams_ns, stream_ns);
    const int64_t alone_ns = LaterNs(duration_ns, stream_ns);
    const int64_t beside_ns =
        interference_.DurationNs(k, trace.start_ns, alone_ns, lane_free_ns_);
    int64_t& slowdown_ns = simulation_.prediction.slowdown_ns;
    slowdown_ns = LaterNs(slowdown_ns, beside_ns - alone_ns);
    AdvanceTo(LaterNs(trace.start_ns, beside_ns));
    trace.end_ns = now_ns_;
    simulation_.kernels.push_back(trace);
    held_bytes_ -= window_bytes;
    CountLocality(kernel);
  }

  // Returns how long the kernel waits for operands that stream.
  int64_t WaitForStreamsNs(KernelIndex k) const {
    int64_t ns = 0;
    const absl::Span<const TensorIndex> streamed = streamed_[k];
    if (streamed.empty()) return ns;
    const Kernel& kernel = graph_.kernels[k];
    for (const Operand& operand : kernel.operands) {
      if (!absl::c_linear_search(streamed, operand.tensor)) continue;
      const TierIndex tier = at_[operand.tensor].tier;
      if (tier == kFastTier) continue;
      ns = LaterNs(ns, StreamNs(graph_, kernel, operand, system_, tier));
    }
    return ns;
  }

  void CountLocality(const Kernel& kernel) {
    for (const Operand& operand : kernel.operands) {
      const double bytes =
          static_cast<double>(graph_.tensors[operand.tensor].size_bytes) *
          operand.access_count;
      touched_bytes_ += bytes;
      if (at_[operand.tensor].tier == kFastTier) touched_fast_bytes_ += bytes;
    }
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Plan& plan_;

  const Groups births_;
  const Groups deaths_;
  Groups starts_;     // moves by boundary
  Groups deadlines_;  // asynchronous moves by boundary
  Groups streamed_;   // tensors by kernel

  std::vector<Placement> at_;                  // by tensor, while it is alive
  std::vector<Placement> initial_;             // by tensor
  std::vector<Placement> at_birth_;            // by tensor
  std::vector<int64_t> window_bytes_;          // by kernel
  absl::flat_hash_map<int64_t, int> sharers_;  // by page of the fast tier
  const Interference interference_;
  const LaneClocks clocks_;
  std::vector<int64_t> lanes_;         // their state; by tiers from and to
  std::vector<int64_t> lane_free_ns_;  // by lane, as the kernel starts
  std::vector<std::deque<Copy>> under_way_;  // by lane, and those that wait
  std::vector<int64_t> marks_;               // by move
  int64_t now_ns_ = 0;
  int64_t held_bytes_ = 0;
  double touched_bytes_ = 0;
  double touched_fast_bytes_ = 0;
  Simulation simulation_;
};

}  // namespace

absl::StatusOr<Simulation> Simulate(const Graph& graph,
                                    const MemorySystem& system,
                                    const Plan& plan,
                                    const Cancellation& cancellation) {
  absl::Status status = CheckReferences(graph, system, plan);
  if (!status.ok()) return status;
  const ChosenGraph chosen(graph, plan.implementations);
  return StepSimulation(chosen.get(), system, plan).Run(cancellation);
}

std::vector<int64_t> IssueNs(const Graph& graph, const Simulation& simulation) {
  std::vector<int64_t> issue_ns;
  issue_ns.reserve(graph.kernels.size() + 1);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    issue_ns.push_back(simulation.kernels[k].start_ns -
                       graph.kernels[k].gap_ns);
  }
  issue_ns.push_back(simulation.prediction.step_time_ns);
  return issue_ns;
}

}  // namespace stowage::policies
