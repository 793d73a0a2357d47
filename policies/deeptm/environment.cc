#include "policies/deeptm/environment.h"

#include <algorithm>
#include <utility>

#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

const Operand* FindOperand(const Kernel& kernel, TensorIndex t) {
  for (const Operand& operand : kernel.operands) {
    if (operand.tensor == t) return &operand;
  }
  return nullptr;
}

bool IsBorn(const Tensor& tensor, KernelIndex k) {
  return !tensor.persistent && tensor.birth_kernel == k;
}

}  // namespace

Environment::Environment(const Graph& graph, const MemorySystem& system,
                         const Workload& workload, MigrationMode mode)
    : graph_(&graph), system_(&system), workload_(&workload), mode_(mode) {
  for (TierIndex tier = 1; tier < system.tier_count(); ++tier) {
    if (!system.tiers[tier].addressable) continue;
    slow_tier_ = tier;
    slow_in_place_ = true;
    break;
  }
}

absl::StatusOr<Environment> Environment::Make(const Graph& graph,
                                              const MemorySystem& system,
                                              const Workload& workload,
                                              MigrationMode mode,
                                              const HeatSettings& heat) {
  Environment environment(graph, system, workload, mode);
  environment.FindLives();
  environment.FindDemands();
  environment.FindCosts();
  std::vector<int64_t> room_bytes;
  room_bytes.reserve(graph.kernel_count());
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    room_bytes.push_back(environment.RoomBytes(k, workload.arena_bytes));
  }
  absl::StatusOr<HeatTable> table =
      MakeHeatTable(graph, room_bytes, heat, workload.cancellation);
  if (!table.ok()) return table.status();
  environment.SelectDecisions(*std::move(table));
  const absl::Status wanted = workload.cancellation.Check();
  if (!wanted.ok()) return wanted;
  return environment;
}

void Environment::FindLives() {
  const Graph& graph = *graph_;
  births_.resize(graph.kernels.size());
  deaths_.resize(graph.kernels.size() + 1);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    bytes_.push_back(RoundUpToPlacement(tensor.size_bytes));
    out_ns_.push_back(
        system_->CopyDurationNs(kFastTier, slow_tier_, tensor.size_bytes));
    in_ns_.push_back(
        system_->CopyDurationNs(slow_tier_, kFastTier, tensor.size_bytes));
    if (!tensor.movable()) continue;
    if (tensor.alive_at_start()) alive_at_start_.push_back(t);
    if (tensor.persistent) continue;
    births_[tensor.birth_kernel].push_back(t);
    deaths_[tensor.death_kernel + 1].push_back(t);
  }
  peak_bytes_ = ComputeLiveness(graph).peak_bytes;
  slow_capacity_bytes_ = system_->tiers[slow_tier_].capacity_bytes;
  if (slow_capacity_bytes_ == 0) slow_capacity_bytes_ = peak_bytes_;
}

void Environment::FindDemands() {
  const KernelIndex kernels = graph_->kernel_count();
  must_be_fast_.resize(kernels);
  must_be_slow_.resize(kernels);
  fixed_bytes_.assign(kernels + 1, 0);
  for (KernelIndex k = 0; k < kernels; ++k) {
    fixed_bytes_[k] = workload_->need_bytes[k];
    for (TensorIndex t : workload_->staged[k]) {
      if (!graph_->tensors[t].movable()) continue;
      fixed_bytes_[k] -= bytes_[t];
      if (!slow_in_place_) must_be_fast_[k].push_back(t);
    }
    if (!slow_in_place_) must_be_slow_[k] = workload_->left_slow[k];
  }
  // Pinned tensors have their room for the whole step, workspaces only while
  // their kernels run.
  fixed_bytes_[kernels] =
      kernels > 0 ? *std::min_element(fixed_bytes_.begin(),
                                      fixed_bytes_.begin() + kernels)
                  : 0;
  streams_.assign(kernels, nullptr);
  for (const Stream& stream : workload_->streams) {
    streams_[stream.kernel] = &stream;
  }
}

void Environment::FindCosts() {
  for (KernelIndex k = 0; k < graph_->kernel_count(); ++k) {
    const Kernel& kernel = graph_->kernels[k];
    profiles_.push_back(CompleteProfile(*graph_, kernel, *system_));
    int64_t staging_ns = 0;
    for (const Operand& operand : kernel.operands) {
      if (operand.read) staging_ns += in_ns_[operand.tensor];
    }
    FindLosses(k);
    const KernelProfile& profile = profiles_.back();
    fastest_ns_ += kernel.gap_ns + profile.fast_inputs_fast_outputs.duration_ns;
    slowest_ns_ += kernel.gap_ns + profile.slow_inputs_slow_outputs.duration_ns;
    // A tensor that cannot be used in place is fetched for each kernel.
    if (!slow_in_place_) slowest_ns_ += staging_ns;
  }
  const int64_t loss_ns = slowest_ns_ - fastest_ns_;
  mean_loss_ns_ = std::max(
      1.0,
      static_cast<double>(loss_ns) /
          std::max<double>(1, static_cast<double>(graph_->kernels.size())));
}

void Environment::FindLosses(KernelIndex k) {
  const int64_t fast_ns = KernelNs(k, [](TensorIndex) { return true; });
  std::vector<int64_t>& losses = loss_ns_.emplace_back();
  for (const Operand& operand : graph_->kernels[k].operands) {
    const TensorIndex slow = operand.tensor;
    const int64_t slow_ns =
        slow_in_place_
            ? KernelNs(k, [slow](TensorIndex t) { return t != slow; })
            : fast_ns + (operand.read ? in_ns_[slow] : 0);
    losses.push_back(slow_ns - fast_ns);
  }
}

bool Environment::CanDecide(KernelIndex k, TensorIndex t) const {
  const auto contains = [t](const std::vector<TensorIndex>& tensors) {
    return std::find(tensors.begin(), tensors.end(), t) != tensors.end();
  };
  if (contains(must_be_fast_[k]) || contains(must_be_slow_[k])) return false;
  const Tensor& tensor = graph_->tensors[t];
  if (IsBorn(tensor, k) || mode_ == MigrationMode::kSynchronous) return true;
  // A tensor must not be written while it is copied beside the kernel, and the
  // copy has to end within the tensor's life.
  const Operand* operand = FindOperand(graph_->kernels[k], t);
  const bool is_written = operand != nullptr && operand->write;
  return !is_written && (tensor.persistent || tensor.death_kernel != k);
}

void Environment::SelectDecisions(HeatTable table) {
  DecisionDescriber describer(*this, workload_->arena_bytes);
  for (KernelIndex k = 0; k < graph_->kernel_count(); ++k) {
    if (workload_->cancellation.IsCancelled()) return;
    is_short_.push_back(!table.rows[k].empty());
    std::vector<Decision> decisions;
    if (is_short_[k]) decisions = describer.Describe(k, table.rows[k]);
    table.rows[k] = {};
    std::erase_if(decisions, [&](const Decision& decision) {
      return !CanDecide(k, decision.tensor);
    });
    decisions_.push_back(std::move(decisions));
  }
}

int64_t Environment::RoomBytes(KernelIndex k, int64_t budget_bytes) const {
  const int64_t need_bytes =
      k < graph_->kernel_count() ? workload_->need_bytes[k] : 0;
  return std::max(budget_bytes, need_bytes) - fixed_bytes_[k];
}

int64_t Environment::KernelNs(
    KernelIndex k, absl::FunctionRef<bool(TensorIndex)> is_fast) const {
  const Kernel& kernel = graph_->kernels[k];
  const auto tier_of = [&](TensorIndex t) {
    return is_fast(t) ? kFastTier : slow_tier_;
  };
  return kernel.gap_ns + WaitForStreamsNs(k, is_fast) +
         KernelDurationNs(*graph_, kernel, profiles_[k], *system_, tier_of);
}

int64_t Environment::WaitForStreamsNs(
    KernelIndex k, absl::FunctionRef<bool(TensorIndex)> is_fast) const {
  if (streams_[k] == nullptr) return 0;
  const Kernel& kernel = graph_->kernels[k];
  int64_t ns = 0;
  for (TensorIndex t : streams_[k]->tensors) {
    const Operand* operand = FindOperand(kernel, t);
    if (operand == nullptr || is_fast(t)) continue;
    ns += StreamNs(*graph_, kernel, *operand, *system_, slow_tier_);
  }
  return ns;
}

}  // namespace stowage::policies
