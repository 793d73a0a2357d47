#include "agents/jobs/planning/situation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace stowage::agent {
namespace {

bool Within(int32_t index, size_t size) {
  return index >= 0 && static_cast<size_t>(index) < size;
}

std::vector<session::Hint> HintsOf(const v1::KernelDecision& decision) {
  std::vector<session::Hint> hints;
  const auto add = [&](int32_t tensor, int32_t tier) {
    hints.push_back(
        {.kernel = decision.kernel(), .tensor = tensor, .tier = tier});
  };
  for (const v1::Move& move : decision.moves()) {
    add(move.tensor(), move.to().tier());
  }
  for (const v1::Allocation& allocation : decision.allocations()) {
    add(allocation.tensor(), allocation.at().tier());
  }
  for (const v1::TierAction& action : decision.actions()) {
    add(action.tensor(), action.tier());
  }
  return hints;
}

}  // namespace

Situation CopySituation(const session::SituationArea& area) {
  Situation situation{.plan = area.plan, .kernel = area.kernel};
  situation.free_bytes.assign(area.free_bytes,
                              area.free_bytes + session::kMaxTiers);
  const uint32_t count = area.resident_count;
  situation.residents.assign(
      area.residents,
      area.residents + std::min<uint32_t>(count, session::kMaxBlocks));
  return situation;
}

absl::StatusOr<v1::PlaceRequest> PlaceRequestFor(
    const Situation& situation, const DeliveredPlan& plan,
    const std::vector<int64_t>& capacity_bytes) {
  if (!Within(situation.kernel, plan.kernel_count)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "situation: kernel ", situation.kernel, " of ", plan.kernel_count));
  }
  v1::PlaceRequest request;
  request.set_plan_id(plan.plan_id);
  request.set_kernel(situation.kernel);
  request.set_window(session::kHintWindow);
  request.set_adapt(true);
  for (size_t tier = 0; tier < capacity_bytes.size(); ++tier) {
    request.add_free_bytes(std::clamp<int64_t>(situation.free_bytes[tier], 0,
                                               capacity_bytes[tier]));
  }
  for (const session::Resident& resident : situation.residents) {
    if (!Within(resident.tensor, plan.tensors.size()) ||
        !Within(resident.tier, capacity_bytes.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("situation: tensor ", resident.tensor, " of ",
                       plan.tensors.size(), " in tier ", resident.tier));
    }
    const TensorLifetime& life = plan.tensors[resident.tensor];
    if (!life.AliveAt(situation.kernel)) continue;
    v1::Resident* stated = request.add_residents();
    stated->set_tensor(resident.tensor);
    stated->set_tier(resident.tier);
  }
  return request;
}

absl::Status FillHints(const v1::PlaceResponse& response,
                       const DeliveredPlan& plan, int32_t tier_count,
                       session::HintArea* area) {
  area->hint_count = 0;
  uint32_t count = 0;
  int32_t previous = 0;
  for (const v1::KernelDecision& decision : response.decisions()) {
    for (const session::Hint& hint : HintsOf(decision)) {
      if (count == session::kMaxHints) break;
      if (hint.kernel < previous || !Within(hint.kernel, plan.kernel_count) ||
          !Within(hint.tensor, plan.tensors.size()) ||
          !Within(hint.tier, tier_count)) {
        return absl::InvalidArgumentError(
            absl::StrCat("decision: tensor ", hint.tensor, " to tier ",
                         hint.tier, " at kernel ", hint.kernel));
      }
      area->hints[count++] = hint;
      previous = hint.kernel;
    }
  }
  area->hint_count = count;
  return absl::OkStatus();
}

}  // namespace stowage::agent
