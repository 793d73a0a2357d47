#include "server/placement/job_situation.h"

#include "absl/strings/str_cat.h"
#include "policies/model/liveness.h"

namespace stowage {
namespace {

absl::Status CheckFreeBytes(const std::vector<int64_t>& free_bytes,
                            policies::TierIndex tier_count) {
  if (static_cast<int64_t>(free_bytes.size()) > tier_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("free_bytes has ", free_bytes.size(),
                     " entries, but the memory system has ", tier_count,
                     " tiers; send one a tier, or none"));
  }
  for (int64_t free : free_bytes) {
    if (free >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("free_bytes has ", free, "; send 0 or more"));
  }
  return absl::OkStatus();
}

absl::Status CheckResident(const v1::Resident& resident,
                           policies::KernelIndex kernel,
                           const std::vector<policies::Tensor>& tensors,
                           policies::TierIndex tier_count) {
  const policies::TensorIndex tensor = resident.tensor();
  if (tensor < 0 || tensor >= static_cast<int64_t>(tensors.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("resident tensor ", tensor, ": the graph has ",
                     tensors.size(), " tensors; name one of them, from 0"));
  }
  if (resident.tier() < 0 || resident.tier() >= tier_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("resident tensor ", tensor, " in tier ", resident.tier(),
                     ": the memory system has ", tier_count,
                     " tiers; name one of them, from 0"));
  }
  if (policies::AliveAt(tensors[tensor], kernel)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("resident tensor ", tensor,
                                                 " is not alive at kernel ",
                                                 kernel, "; leave it out"));
}

}  // namespace

absl::Status CheckSituation(const JobSituation& situation,
                            policies::KernelIndex kernel_count,
                            const std::vector<policies::Tensor>& tensors,
                            policies::TierIndex tier_count) {
  const policies::KernelIndex kernel = situation.kernel;
  if (kernel < 0 || kernel >= kernel_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel is ", kernel, ", but the graph has ", kernel_count,
                     " kernels; name one of them"));
  }
  absl::Status status = CheckFreeBytes(situation.free_bytes, tier_count);
  for (const v1::Resident& resident : situation.residents) {
    if (!status.ok()) break;
    status = CheckResident(resident, kernel, tensors, tier_count);
  }
  return status;
}

}  // namespace stowage
