#include "server/placement/kernel_decisions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

constexpr int32_t kMaxWindow = 1024;
// The most tiers of any memory system.
constexpr policies::TierIndex kMaxTiers = 16;

absl::Status Damaged(const absl::AlphaNum& what) {
  return absl::DataLossError(
      absl::StrCat("the stored plan does not belong to its graph: ", what,
                   "; delete the graph and register it again"));
}

bool IsEmpty(const v1::KernelDecision& decision) {
  return decision.allocations().empty() && decision.moves().empty();
}

}  // namespace

KernelDecisions::KernelDecisions(const policies::Graph& graph,
                                 const v1::Plan& plan)
    : kernel_count_(graph.kernel_count()),
      tier_count_(plan.tier_count() > 0 ? plan.tier_count() : kMaxTiers),
      tensors_(graph.tensors) {
  for (policies::Tensor& tensor : tensors_) tensor.name.clear();
}

absl::StatusOr<KernelDecisions> KernelDecisions::Create(
    const policies::Graph& graph, const v1::Plan& plan) {
  KernelDecisions decisions(graph, plan);
  Boundaries boundaries(decisions.kernel_count_ + 1);
  absl::Status status = decisions.AddAllocations(graph, plan, boundaries);
  if (status.ok()) status = decisions.AddMoves(plan, boundaries);
  if (!status.ok()) return status;
  decisions.Encode(boundaries);
  return decisions;
}

absl::Status KernelDecisions::AddAllocations(const policies::Graph& graph,
                                             const v1::Plan& plan,
                                             Boundaries& boundaries) const {
  for (const v1::Allocation& allocation : plan.allocations()) {
    const policies::TensorIndex tensor = allocation.tensor();
    if (tensor < 0 || tensor >= graph.tensor_count()) {
      return Damaged(absl::StrCat("an allocation of tensor ", tensor));
    }
    const policies::KernelIndex birth = graph.tensors[tensor].birth_kernel;
    if (birth < 0 || birth >= kernel_count_) {
      return Damaged(absl::StrCat("tensor ", tensor, " is not born in a step"));
    }
    *boundaries[birth].add_allocations() = allocation;
  }
  return absl::OkStatus();
}

absl::Status KernelDecisions::AddMoves(const v1::Plan& plan,
                                       Boundaries& boundaries) const {
  for (const v1::Move& move : plan.moves()) {
    if (move.start_kernel() < 0 || move.start_kernel() > kernel_count_) {
      return Damaged(absl::StrCat("a move at kernel ", move.start_kernel()));
    }
    *boundaries[move.start_kernel()].add_moves() = move;
  }
  return absl::OkStatus();
}

// Encodes each boundary by itself: messages one after the other are one message
// with the fields of all.
void KernelDecisions::Encode(const Boundaries& boundaries) {
  for (policies::KernelIndex b = 0; b <= kernel_count_; ++b) {
    begins_.push_back(encoded_.size());
    if (IsEmpty(boundaries[b])) continue;
    v1::PlaceResponse one;
    *one.add_decisions() = boundaries[b];
    one.mutable_decisions(0)->set_kernel(b);
    one.AppendToString(&encoded_);
  }
  begins_.push_back(encoded_.size());
  encoded_.shrink_to_fit();
}

absl::Status KernelDecisions::Check(const JobSituation& situation) const {
  return CheckSituation(situation, kernel_count_, tensors_, tier_count_);
}

absl::StatusOr<absl::string_view> KernelDecisions::EncodedWindow(
    int32_t kernel, int32_t window) const {
  if (kernel < 0 || kernel >= kernel_count_) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel is ", kernel, ", but the graph has ",
                     kernel_count_, " kernels; name one of them"));
  }
  if (window < 0 || window > kMaxWindow) {
    return absl::InvalidArgumentError(absl::StrCat(
        "window is ", window, "; name 0 (one kernel) to ", kMaxWindow));
  }
  const policies::KernelIndex end =
      std::min(kernel + std::max(window, 1), kernel_count_);
  const policies::KernelIndex last =
      end == kernel_count_ ? kernel_count_ : end - 1;
  return absl::string_view(encoded_).substr(
      begins_[kernel], begins_[last + 1] - begins_[kernel]);
}

}  // namespace stowage
