// Runs kernels for the sake of their time: as many threads as the host has
// cores share the work and wait for one another, as those of a training job do.
//
//   TrialKernels kernels(/*threads=*/2);
//   const int64_t compute_ns = kernels.ComputeNs();
//   const int64_t memory_ns = kernels.MemoryNs();
#ifndef STOWAGE_AGENTS_ENGINE_TRIAL_KERNELS_H_
#define STOWAGE_AGENTS_ENGINE_TRIAL_KERNELS_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace stowage::agent {

// Thread-compatible. Uses 64 MiB, more than the caches that a core has.
class TrialKernels {
 public:
  explicit TrialKernels(int threads);

  // Run a kernel of 5 to 50 ms on most hosts and return how long it took: one
  // that computes in registers, and one that copies memory. Both block.
  int64_t ComputeNs();
  int64_t MemoryNs();

 private:
  // Runs work(thread) on each thread.
  int64_t MeasureNs(const std::function<void(int)>& work) const;

  const int threads_;
  std::vector<double> from_, to_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_TRIAL_KERNELS_H_
