// Rolls a stored plan out kernel by kernel, for the per-kernel stream.
//
//   absl::StatusOr<KernelDecisions> decisions =
//       KernelDecisions::Create(graph, plan);
//   absl::Status valid = decisions->Check({.kernel = 17});
//   absl::StatusOr<absl::string_view> ahead =
//       decisions->EncodedWindow(/*kernel=*/17, /*window=*/8);
//   v1::PlaceResponse response;
//   response.ParseFromString(std::string(*ahead));
//
// The decisions are encoded once. The bytes of a window lie side by side, and
// all streams send them as they are.
#ifndef STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_
#define STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "server/placement/job_situation.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

// Immutable after Create; safe to read from several threads.
class KernelDecisions {
 public:
  // Rolls out `plan`. DATA_LOSS: the plan names kernels or tensors that the
  // graph does not have.
  static absl::StatusOr<KernelDecisions> Create(const policies::Graph& graph,
                                                const v1::Plan& plan);

  // Checks a situation of the plan's job, with the errors of CheckSituation().
  // If the plan does not state how many tiers there are, accepts a tier of any
  // system.
  absl::Status Check(const JobSituation& situation) const;

  // Returns the `decisions` of a v1::PlaceResponse, as bytes that live as long
  // as this object: those of kernels `kernel` .. `kernel + window - 1`, up to
  // the end of the step; a window of 0 means 1. Kernels at which there is
  // nothing to do are left out. A window that holds the last kernel also holds
  // the boundary that ends the step, as kernel K. INVALID_ARGUMENT: `kernel` is
  // outside the graph or `window` outside 0..1024.
  absl::StatusOr<absl::string_view> EncodedWindow(int32_t kernel,
                                                  int32_t window) const;

  // Returns about how much memory this takes.
  int64_t SizeBytes() const {
    return static_cast<int64_t>(sizeof(*this) + encoded_.size() +
                                tensors_.size() * sizeof(policies::Tensor) +
                                begins_.size() * sizeof(size_t));
  }

 private:
  // By boundary, of which there are K + 1.
  using Boundaries = std::vector<v1::KernelDecision>;

  KernelDecisions(const policies::Graph& graph, const v1::Plan& plan);

  absl::Status AddAllocations(const policies::Graph& graph,
                              const v1::Plan& plan,
                              Boundaries& boundaries) const;
  absl::Status AddMoves(const v1::Plan& plan, Boundaries& boundaries) const;
  void Encode(const Boundaries& boundaries);

  policies::KernelIndex kernel_count_;
  policies::TierIndex tier_count_;
  std::vector<policies::Tensor> tensors_;  // without their names
  std::string encoded_;
  std::vector<size_t> begins_;  // by boundary, in `encoded_`; and the end
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_
