#include "policies/baselines/lru.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/model/liveness.h"
#include "policies/planning/address_layout.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/staging.h"

namespace stowage {
namespace {

// One step in demand mode, beginning with the tensors `at_start` in the fast
// tier.
class DemandStep {
 public:
  DemandStep(const Graph& graph, const Workload& workload, int64_t budget_bytes,
             const std::set<TensorIndex>& at_start)
      : graph_(graph),
        workload_(workload),
        budget_bytes_(budget_bytes),
        last_use_(graph.tensors.size(), -1),
        entered_(graph.tensors.size(), kAbsent),
        moved_in_(graph.tensors.size(), false) {
    deaths_.resize(graph.kernels.size() + 1);
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const Tensor& tensor = graph.tensors[t];
      if (tensor.movable() && !tensor.persistent) {
        deaths_[tensor.death_kernel + 1].push_back(t);
      }
    }
    for (TensorIndex t : at_start) Enter(t, 0, /*moved_in=*/false);
  }

  void Run() {
    for (KernelIndex k = 0; k < graph_.kernel_count(); ++k) {
      FreeDead(k);
      RunKernel(k);
    }
    FreeDead(graph_.kernel_count());
  }

  // Tensors in the fast tier as the step ends that the next step can use.
  std::set<TensorIndex> AtEnd() const {
    std::set<TensorIndex> at_end;
    for (const auto& [use, t] : by_last_use_) at_end.insert(t);
    return at_end;
  }

  // Ends the step with exactly `keep` in the fast tier.
  std::vector<FastSegment> Segments(const std::set<TensorIndex>& keep) {
    const KernelIndex end = graph_.kernel_count();
    for (TensorIndex t : AtEnd()) {
      if (keep.contains(t)) {
        Leave(t, end + 1, /*moved_out=*/false);
      } else {
        Leave(t, end, /*moved_out=*/true);
      }
    }
    for (const FastSegment& fixed : ImmovableSegments(graph_)) {
      segments_.push_back(fixed);
    }
    std::sort(segments_.begin(), segments_.end(),
              [](const FastSegment& a, const FastSegment& b) {
                return std::tie(a.tensor, a.begin, a.end) <
                       std::tie(b.tensor, b.begin, b.end);
              });
    return std::move(segments_);
  }

 private:
  static constexpr KernelIndex kAbsent = -1;

  int64_t Bytes(TensorIndex t) const {
    return RoundUpToPlacement(graph_.tensors[t].size_bytes);
  }

  void FreeDead(KernelIndex boundary) {
    for (TensorIndex t : deaths_[boundary]) {
      if (entered_[t] != kAbsent) Leave(t, boundary, /*moved_out=*/false);
    }
  }

  void RunKernel(KernelIndex k) {
    for (TensorIndex t : workload_.left_slow[k]) {
      if (entered_[t] != kAbsent) Leave(t, k, /*moved_out=*/true);
    }
    const std::vector<TensorIndex>& staged = workload_.staged[k];
    MakeRoom(k, staged);
    for (TensorIndex t : staged) {
      if (!graph_.tensors[t].movable()) continue;
      if (entered_[t] == kAbsent) {
        const Tensor& tensor = graph_.tensors[t];
        Enter(t, k, tensor.persistent || tensor.birth_kernel != k);
      }
      Touch(t, k);
    }
  }

  // Evicts until what the kernel needs fits beside what stays.
  void MakeRoom(KernelIndex k, const std::vector<TensorIndex>& staged) {
    int64_t bytes = workload_.need_bytes[k] + held_bytes_;
    for (TensorIndex t : staged) {
      if (entered_[t] != kAbsent) bytes -= Bytes(t);
    }
    const int64_t allowed_bytes =
        std::max(budget_bytes_, workload_.need_bytes[k]);
    while (bytes > allowed_bytes) {
      const auto victim = std::find_if(
          by_last_use_.begin(), by_last_use_.end(), [&](const auto& entry) {
            return !std::binary_search(staged.begin(), staged.end(),
                                       entry.second);
          });
      bytes -= Bytes(victim->second);
      Leave(victim->second, k, /*moved_out=*/true);
    }
  }

  void Enter(TensorIndex t, KernelIndex boundary, bool moved_in) {
    entered_[t] = boundary;
    by_last_use_.insert({last_use_[t], t});
    held_bytes_ += Bytes(t);
    moved_in_[t] = moved_in;
  }

  void Touch(TensorIndex t, KernelIndex k) {
    by_last_use_.erase({last_use_[t], t});
    last_use_[t] = k;
    by_last_use_.insert({k, t});
  }

  void Leave(TensorIndex t, KernelIndex boundary, bool moved_out) {
    segments_.push_back({t, entered_[t], entered_[t], boundary, boundary,
                         moved_in_[t] != 0, moved_out});
    by_last_use_.erase({last_use_[t], t});
    held_bytes_ -= Bytes(t);
    entered_[t] = kAbsent;
  }

  const Graph& graph_;
  const Workload& workload_;
  const int64_t budget_bytes_;
  std::vector<std::vector<TensorIndex>> deaths_;  // by boundary
  std::set<std::pair<KernelIndex, TensorIndex>> by_last_use_;
  std::vector<KernelIndex> last_use_;  // by tensor
  std::vector<KernelIndex> entered_;   // by tensor: boundary, or kAbsent
  std::vector<char> moved_in_;         // by tensor, of its current stay
  int64_t held_bytes_ = 0;
  std::vector<FastSegment> segments_;
};

// The step of the steady state: it begins with what the step before left in the
// fast tier. Tensors that such a step would not keep to its end are dropped
// from its start until both agree.
std::vector<FastSegment> DecideLru(const Graph& graph, const Workload& workload,
                                   int64_t budget_bytes) {
  DemandStep cold(graph, workload, budget_bytes, {});
  cold.Run();
  std::set<TensorIndex> at_start = cold.AtEnd();
  while (true) {
    DemandStep step(graph, workload, budget_bytes, at_start);
    step.Run();
    const std::set<TensorIndex> at_end = step.AtEnd();
    std::set<TensorIndex> kept;
    std::set_intersection(at_start.begin(), at_start.end(), at_end.begin(),
                          at_end.end(), std::inserter(kept, kept.begin()));
    if (kept == at_start) return step.Segments(kept);
    at_start = std::move(kept);
  }
}

}  // namespace

std::string_view LruPolicy::name() const { return "lru"; }

std::string_view LruPolicy::description() const {
  return "demand mode: fetch at use, evict the least recently used, no "
         "prefetch";
}

absl::StatusOr<Plan> LruPolicy::MakePlan(const Graph& graph,
                                         const MemorySystem& system,
                                         const PlanOptions& options) const {
  return PlanByDeciding(graph, system, options, name(),
                        [&](const Workload& workload, int64_t budget_bytes) {
                          return DecideLru(graph, workload, budget_bytes);
                        });
}

}  // namespace stowage
