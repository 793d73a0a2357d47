// Plans random graphs by every policy on several systems under several limits.
// Every plan passes the verifier, and three accounts of what is in the fast
// tier agree: the simulator's, one that this test makes by executing the plan
// in its own simple way, and the limit.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

int64_t Round(int64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// Returns the bytes held in the fast tier while kernel `k` runs, straight from
// the definition: for each tensor it looks at where the tensor was put last,
// for each move whether it is under way.
int64_t FastBytesAt(const Graph& graph, const Plan& plan, KernelIndex k) {
  int64_t held = Round(graph.unmanaged_peak_bytes);
  for (const Stream& stream : plan.streams) {
    if (stream.kernel == k) held += stream.window_bytes;
  }
  std::set<int64_t> shared_pages;
  std::map<TensorIndex, Placement> initial, births;
  for (const Allocation& a : plan.initial) initial[a.tensor] = a.at;
  for (const Allocation& a : plan.allocations) births[a.tensor] = a.at;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!AliveAt(tensor, k)) continue;
    const bool born_in_step = !tensor.persistent && tensor.birth_kernel <= k &&
                              !(tensor.wraps() && k <= tensor.death_kernel);
    const KernelIndex since = born_in_step ? tensor.birth_kernel : 0;
    std::set<int64_t> fast_places;
    Placement at = born_in_step ? births.at(t) : initial.at(t);
    for (const Move& move : plan.moves) {
      if (move.tensor != t || move.start_kernel < since) continue;
      if (move.start_kernel > k) continue;
      const bool under_way = move.deadline_kernel > k;
      if (under_way && move.to.tier == kFastTier) {
        fast_places.insert(move.to.offset_bytes);
      }
      if (!under_way) at = move.to;
    }
    if (at.tier == kFastTier) fast_places.insert(at.offset_bytes);
    if (tensor.size_bytes < 4096) {
      for (int64_t place : fast_places) shared_pages.insert(place / 4096);
    } else {
      held +=
          static_cast<int64_t>(fast_places.size()) * Round(tensor.size_bytes);
    }
  }
  return held + 4096 * static_cast<int64_t>(shared_pages.size());
}

void CheckPlan(const Graph& graph, const MemorySystem& system,
               const Plan& plan) {
  ASSERT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus());
  const absl::StatusOr<Simulation> simulation = Simulate(graph, system, plan);
  ASSERT_TRUE(simulation.ok()) << simulation.status();
  EXPECT_LE(simulation->prediction.fast_peak_bytes, plan.fast_limit_bytes);
  int64_t end_ns = 0;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    EXPECT_EQ(simulation->kernels[k].fast_bytes, FastBytesAt(graph, plan, k))
        << "kernel " << k;
    EXPECT_GE(simulation->kernels[k].start_ns, end_ns);
    end_ns = simulation->kernels[k].end_ns;
  }
  EXPECT_GE(simulation->prediction.step_time_ns, end_ns);
}

bool NeedsAddressableTier(const std::string& policy) {
  return policy == "first-touch" || policy == "hardware-cache" ||
         policy == "autotm-static";
}

// Skips policies that solve integer programs on most graphs, since they take
// longer.
bool Skips(const std::string& policy, uint64_t seed) {
  return policy.starts_with("autotm-") && seed % 175 != 0;
}

class PropertyTest : public testing::TestWithParam<const char*> {};

TEST_P(PropertyTest, EveryPlanOfEveryPolicyCanBeExecuted) {
  const MemorySystem system = *PresetMemorySystem(GetParam());
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph = RandomGraph(seed);
    const int64_t least = FindLeastLimit(graph, system).bytes;
    const int64_t peak = ComputeLiveness(graph).peak_bytes;
    for (const double share : {0.0, 0.15, 0.4, 0.8}) {
      const auto limit = least + static_cast<int64_t>(share * peak);
      for (const std::string& name : PolicyNames()) {
        if (Skips(name, seed)) continue;
        SCOPED_TRACE(testing::Message() << "seed " << seed << " policy " << name
                                        << " limit " << limit);
        const absl::StatusOr<Plan> plan =
            (*MakePolicy(name))
                ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        if (plan.ok()) {
          CheckPlan(graph, system, *plan);
        } else {
          EXPECT_TRUE(name == "all-fast" || (NeedsAddressableTier(name) &&
                                             !HasAddressableSlowTier(system)))
              << plan.status();
        }
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, PropertyTest,
                         testing::Values("optane", "file", "gpu-pcie",
                                         "g10-a100"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

// Returns a random plan that may or may not be right: moves that nobody thought
// about.
Plan Shake(const Graph& graph, Plan plan, uint64_t seed) {
  std::vector<Move>& moves = plan.moves;
  if (moves.empty()) return plan;
  Move& move = moves[seed % moves.size()];
  switch (seed / 7 % 5) {
    case 0:
      move.deadline_kernel =
          std::min(graph.kernel_count(), move.deadline_kernel + 1);
      break;
    case 1:
      move.to.offset_bytes += 4096;
      break;
    case 2:
      move.from.tier = 1 - move.from.tier;
      break;
    case 3:
      moves.erase(moves.begin() + static_cast<int>(seed % moves.size()));
      break;
    case 4:
      move.tensor = (move.tensor + 1) % graph.tensor_count();
      break;
  }
  return plan;
}

TEST(ShakenPlanTest, WhatTheVerifierAcceptsStaysWithinTheLimit) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  int accepted = 0, rejected = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Graph graph = RandomGraph(seed);
    const int64_t limit = FindLeastLimit(graph, system).bytes +
                          ComputeLiveness(graph).peak_bytes / 5;
    const auto plan =
        (*MakePolicy("belady"))
            ->MakePlan(graph, system, {.fast_limit_bytes = limit});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const Plan shaken = Shake(graph, *plan, seed);
    if (VerifyPlan(graph, system, shaken).ok()) {
      ++accepted;
      CheckPlan(graph, system, shaken);
    } else {
      ++rejected;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace stowage::policies
