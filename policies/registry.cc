#include "policies/registry.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/annealed_search/annealed_search.h"
#include "policies/autotm/autotm.h"
#include "policies/baselines/all_fast.h"
#include "policies/baselines/all_slow.h"
#include "policies/baselines/belady.h"
#include "policies/baselines/capuchin.h"
#include "policies/baselines/deepum.h"
#include "policies/baselines/first_touch.h"
#include "policies/baselines/flashneuron.h"
#include "policies/baselines/g10.h"
#include "policies/baselines/hardware_cache.h"
#include "policies/baselines/ial.h"
#include "policies/baselines/lru.h"
#include "policies/baselines/swapadvisor.h"
#include "policies/baselines/unified_memory.h"
#include "policies/baselines/vdnn.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/heat_policy.h"
#include "policies/learned_prices/learned_prices_policy.h"
#include "policies/planning/window_planner.h"
#include "policies/redl/redl.h"
#include "policies/sentinel/sentinel.h"

namespace stowage::policies {
namespace {

using Factory = std::unique_ptr<Policy> (*)();

template <typename P>
std::unique_ptr<Policy> Make() {
  return std::make_unique<P>();
}

std::unique_ptr<Policy> MakeLearnedPrices() {
  return std::make_unique<LearnedPricesPolicy>(MakeRivals());
}

std::unique_ptr<Policy> MakeAnnealedSearch() {
  return std::make_unique<AnnealedSearchPolicy>(MakeRivals(),
                                                MakeLearnedPrices());
}

template <Movement movement>
std::unique_ptr<Policy> MakeAutoTm() {
  return std::make_unique<AutoTmPolicy>(movement);
}

template <MigrationMode mode>
std::unique_ptr<Policy> MakeDeepTmHeat() {
  return std::make_unique<DeepTmHeatPolicy>(mode);
}

const std::map<std::string, Factory, std::less<>>& Factories() {
  static const auto* factories =
      new std::map<std::string, Factory, std::less<>>{
          {"all-fast", &Make<AllFastPolicy>},
          {"all-slow", &Make<AllSlowPolicy>},
          {"annealed-search", &MakeAnnealedSearch},
          {"autotm-async", &MakeAutoTm<Movement::kAsynchronous>},
          {"autotm-static", &MakeAutoTm<Movement::kStatic>},
          {"autotm-sync", &MakeAutoTm<Movement::kSynchronous>},
          {"belady", &Make<BeladyPolicy>},
          {"capuchin", &Make<CapuchinPolicy>},
          {"deeptm-heat", &MakeDeepTmHeat<MigrationMode::kAsynchronous>},
          {"deeptm-heat-sync", &MakeDeepTmHeat<MigrationMode::kSynchronous>},
          {"deepum", &Make<DeepumPolicy>},
          {"first-touch", &Make<FirstTouchPolicy>},
          {"flashneuron", &Make<FlashneuronPolicy>},
          {"g10", &Make<G10Policy>},
          {"hardware-cache", &Make<HardwareCachePolicy>},
          {"ial", &Make<IalPolicy>},
          {"learned-prices", &MakeLearnedPrices},
          {"lru", &Make<LruPolicy>},
          {"redl", &Make<RedlPolicy>},
          {"sentinel", &Make<SentinelPolicy>},
          {"sentinel-gpu", &Make<SentinelGpuPolicy>},
          {"swapadvisor", &Make<SwapadvisorPolicy>},
          {"unified-memory", &Make<UnifiedMemoryPolicy>},
          {"vdnn", &Make<VdnnPolicy>},
      };
  return *factories;
}

// Former names of policies, each with the present one.
constexpr std::pair<std::string_view, std::string_view> kFormerNames[] = {
    {"deeptm-plus", "learned-prices"}, {"stow", "annealed-search"}};

}  // namespace

std::string_view PresentPolicyName(std::string_view name) {
  for (const auto& [former, present] : kFormerNames) {
    if (name == former) return present;
  }
  return name;
}

Rivals MakeRivals() {
  return {.belady = std::make_unique<BeladyPolicy>(),
          .g10 = std::make_unique<G10Policy>(),
          .sentinel = std::make_unique<SentinelPolicy>(),
          .redl = std::make_unique<RedlPolicy>()};
}

std::vector<PolicyInfo> Policies() {
  std::vector<std::unique_ptr<Policy>> policies;
  for (const auto& [name, make] : Factories()) policies.push_back(make());
  policies.push_back(MakeDeepTmPolicy({}));
  std::vector<PolicyInfo> infos;
  infos.reserve(policies.size());
  for (const auto& policy : policies) {
    infos.push_back({std::string(policy->name()),
                     std::string(policy->description()),
                     policy->capabilities()});
  }
  std::sort(
      infos.begin(), infos.end(),
      [](const PolicyInfo& a, const PolicyInfo& b) { return a.name < b.name; });
  return infos;
}

PolicyCapabilities CapabilitiesOf(std::string_view name) {
  if (name == kDeepTmPolicyName) return MakeDeepTmPolicy({})->capabilities();
  const auto policy = MakePolicy(name);
  return policy.ok() ? (*policy)->capabilities() : PolicyCapabilities{};
}

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : Factories()) names.push_back(name);
  return names;
}

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view name) {
  const auto factory = Factories().find(PresentPolicyName(name));
  if (factory != Factories().end()) {
    return std::make_unique<WindowPlanner>(factory->second());
  }
  return absl::NotFoundError(
      absl::StrCat("there is no policy '", std::string(name),
                   "'; the policies are ", absl::StrJoin(PolicyNames(), ", ")));
}

}  // namespace stowage::policies
