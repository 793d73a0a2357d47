// Keeps what placement hints need of the plans that a job was given.
//
//   DeliveredPlans plans;
//   plans.Add(number, DeliveredPlanOf(plan_id, graph));       // planner's thread
//   std::shared_ptr<const DeliveredPlan> plan = plans.Find(number);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_DELIVERED_PLANS_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_DELIVERED_PLANS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// When a tensor of the graph is alive.
struct TensorLifetime {
  bool persistent = false;
  int32_t birth_kernel = 0;
  int32_t death_kernel = 0;  // before the birth: it wraps around the step

  bool AliveAt(int32_t kernel) const {
    if (persistent) return true;
    const bool born = kernel >= birth_kernel;
    const bool dead = kernel > death_kernel;
    return death_kernel < birth_kernel ? born || !dead : born && !dead;
  }
};

struct DeliveredPlan {
  std::string plan_id;
  int32_t kernel_count = 0;
  std::vector<TensorLifetime> tensors;
};

// Returns what hints need of a plan for `graph`, which BuildGraph() made and
// which says when every tensor is born and dies.
inline DeliveredPlan DeliveredPlanOf(std::string plan_id,
                                     const v1::Graph& graph) {
  DeliveredPlan plan{.plan_id = std::move(plan_id),
                     .kernel_count = graph.kernels_size()};
  for (const v1::Tensor& tensor : graph.tensors()) {
    plan.tensors.push_back({.persistent = tensor.persistent(),
                            .birth_kernel = tensor.birth_kernel(),
                            .death_kernel = tensor.death_kernel()});
  }
  return plan;
}

// Keeps the newest plans, since a job has ten kinds of step at most.
// Thread-safe.
class DeliveredPlans {
 public:
  void Add(uint64_t number, DeliveredPlan plan) {
    absl::MutexLock lock(&mutex_);
    plans_[number] = std::make_shared<const DeliveredPlan>(std::move(plan));
    if (plans_.size() > kMost) plans_.erase(plans_.begin());
  }

  // Returns the plan of that number; null if there is none, or no longer.
  std::shared_ptr<const DeliveredPlan> Find(uint64_t number) const {
    absl::MutexLock lock(&mutex_);
    const auto found = plans_.find(number);
    return found != plans_.end() ? found->second : nullptr;
  }

 private:
  static constexpr size_t kMost = 32;

  mutable absl::Mutex mutex_;
  std::map<uint64_t, std::shared_ptr<const DeliveredPlan>> plans_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_DELIVERED_PLANS_H_
