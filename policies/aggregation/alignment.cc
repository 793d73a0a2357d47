#include "policies/aggregation/alignment.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stowage::policies {
namespace {

// The most members of a group. It keeps the search short, whatever the sizes.
constexpr int kMostMembers = 1024;

struct Window {
  KernelIndex start = 0;
  KernelIndex deadline = 0;
};

// Keeps a tensor's moves in the order of time, and when they happen.
struct Trip {
  TensorIndex tensor = 0;
  std::vector<int> moves;  // of the plan
  std::vector<Window> windows;
};

bool Leaves(const Move& move) { return move.from.tier == kFastTier; }

class Aligner {
 public:
  Aligner(const Graph& graph, const Plan& plan,
          const std::vector<TensorResidencies>& residencies,
          const AlignmentSettings& settings)
      : graph_(graph),
        plan_(plan),
        residencies_(residencies),
        settings_(settings) {
    writes_.resize(graph.tensors.size());
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      for (const Operand& operand : graph.kernels[k].operands) {
        if (operand.write) writes_[operand.tensor].push_back(k);
      }
    }
    streamed_.resize(graph.tensors.size());
    for (const Stream& stream : plan.streams) {
      for (TensorIndex t : stream.tensors) streamed_[t] = true;
    }
  }

  Plan Align() {
    Plan plan = plan_;
    for (auto& [tiers, trips] : FindTrips()) {
      std::stable_sort(trips.begin(), trips.end(),
                       [](const Trip& a, const Trip& b) {
                         return StartsOf(a) < StartsOf(b);
                       });
      for (auto first = trips.begin(); first != trips.end();) {
        std::vector<Window> windows = first->windows;
        const auto last = FindGroup(first, trips.end(), windows);
        for (; first != last; ++first) Shift(*first, windows, plan);
      }
    }
    std::stable_sort(plan.moves.begin(), plan.moves.end(),
                     [](const Move& a, const Move& b) {
                       return a.start_kernel < b.start_kernel;
                     });
    return plan;
  }

 private:
  // Returns trips that may be alike, by the tiers they go through.
  std::map<std::vector<TierIndex>, std::vector<Trip>> FindTrips() const {
    std::map<std::vector<TierIndex>, std::vector<Trip>> trips;
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      const Tensor& tensor = graph_.tensors[t];
      if (tensor.wraps() || streamed_[t] ||
          tensor.size_bytes > settings_.most_tensor_bytes) {
        continue;
      }
      Trip trip{.tensor = t};
      std::vector<TierIndex> tiers = {tensor.persistent};
      bool alignable = true;
      for (const TierResidency& residency : residencies_[t].residencies) {
        tiers.push_back(residency.tier);
        if (residency.arrived_by < 0) continue;
        const Move& move = plan_.moves[residency.arrived_by];
        trip.moves.push_back(residency.arrived_by);
        trip.windows.push_back({move.start_kernel, move.deadline_kernel});
        alignable = alignable && !move.is_drop &&
                    (Leaves(move) || move.to.tier == kFastTier);
      }
      if (alignable && !trip.moves.empty()) {
        trips[tiers].push_back(std::move(trip));
      }
    }
    return trips;
  }

  static std::vector<KernelIndex> StartsOf(const Trip& trip) {
    std::vector<KernelIndex> starts;
    for (const Window& window : trip.windows) starts.push_back(window.start);
    return starts;
  }

  // Returns the end of the trips from `first` on that suit `windows`, and
  // widens these.
  std::vector<Trip>::iterator FindGroup(std::vector<Trip>::iterator first,
                                        std::vector<Trip>::iterator end,
                                        std::vector<Window>& windows) const {
    int64_t bytes = graph_.tensors[first->tensor].size_bytes;
    auto last = first + 1;
    for (; last != end && last - first < kMostMembers; ++last) {
      bytes += graph_.tensors[last->tensor].size_bytes;
      if (bytes > settings_.most_group_bytes) break;
      const std::vector<Window> both = Together(*first, windows, last->windows);
      if (!std::all_of(first, last + 1,
                       [&](const Trip& trip) { return Suits(trip, both); })) {
        break;
      }
      windows = both;
    }
    return last;
  }

  // Returns windows that leave as late and return as early as either.
  std::vector<Window> Together(const Trip& trip, const std::vector<Window>& a,
                               const std::vector<Window>& b) const {
    std::vector<Window> both;
    for (size_t i = 0; i < a.size(); ++i) {
      if (Leaves(plan_.moves[trip.moves[i]])) {
        both.push_back({std::max(a[i].start, b[i].start),
                        std::max(a[i].deadline, b[i].deadline)});
      } else {
        both.push_back({std::min(a[i].start, b[i].start),
                        std::min(a[i].deadline, b[i].deadline)});
      }
    }
    return both;
  }

  // Returns whether the tensor may move then, and is away long enough.
  bool Suits(const Trip& trip, const std::vector<Window>& windows) const {
    const Tensor& tensor = graph_.tensors[trip.tensor];
    KernelIndex free_from = tensor.persistent ? 0 : tensor.birth_kernel + 1;
    const KernelIndex end =
        tensor.persistent ? graph_.kernel_count() : tensor.death_kernel;
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window& window = windows[i];
      if (window.start < free_from || window.deadline > end ||
          Written(trip.tensor, window) || !StillAway(trip, windows, i)) {
        return false;
      }
      // Not at the boundary at which the move before it is waited for.
      free_from = window.deadline + 1;
    }
    return true;
  }

  bool Written(TensorIndex t, const Window& window) const {
    const auto write =
        std::lower_bound(writes_[t].begin(), writes_[t].end(), window.start);
    return write != writes_[t].end() && *write < window.deadline;
  }

  bool StillAway(const Trip& trip, const std::vector<Window>& windows,
                 size_t i) const {
    if (!Leaves(plan_.moves[trip.moves[i]]) || i + 1 == windows.size()) {
      return true;
    }
    const double before = trip.windows[i + 1].start - trip.windows[i].deadline;
    const double after = windows[i + 1].start - windows[i].deadline;
    return after >= settings_.least_absence_share * before;
  }

  void Shift(const Trip& trip, const std::vector<Window>& windows,
             Plan& plan) const {
    for (size_t i = 0; i < windows.size(); ++i) {
      plan.moves[trip.moves[i]].start_kernel = windows[i].start;
      plan.moves[trip.moves[i]].deadline_kernel = windows[i].deadline;
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const std::vector<TensorResidencies>& residencies_;
  const AlignmentSettings& settings_;
  std::vector<std::vector<KernelIndex>> writes_;  // by tensor, ascending
  std::vector<bool> streamed_;  // by tensor: has to be slow at some kernel
};

}  // namespace

Plan AlignMoves(const Graph& graph, const Plan& plan,
                const std::vector<TensorResidencies>& residencies,
                const AlignmentSettings& settings) {
  return Aligner(graph, plan, residencies, settings).Align();
}

}  // namespace stowage::policies
