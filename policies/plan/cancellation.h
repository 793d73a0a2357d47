// Tells whether a plan that is being made is still wanted.
//
//   std::atomic<bool> gone = false;
//   const Cancellation cancellation([&] { return gone.load(); });
//   for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
//     if (cancellation.IsCancelled()) return cancellation.Check();
//   }
//
// Every loop over kernels or tensors that does more than constant work for each
// asks. A cancelled function returns early with something that its caller can
// handle, and the maker of the plan returns Check(): a result that was cut
// short never gets out.
#ifndef STOWAGE_POLICIES_PLAN_CANCELLATION_H_
#define STOWAGE_POLICIES_PLAN_CANCELLATION_H_

#include <functional>
#include <utility>

#include "absl/status/status.h"

namespace stowage::policies {

// A value; copies ask the same function. Thread-safe where that is.
class Cancellation {
 public:
  // Never cancelled.
  Cancellation() = default;

  // `is_cancelled` is asked often and must be quick; once true, it stays true.
  explicit Cancellation(std::function<bool()> is_cancelled)
      : is_cancelled_(std::move(is_cancelled)) {}

  bool IsCancelled() const { return is_cancelled_ && is_cancelled_(); }

  // Returns CANCELLED once it is cancelled.
  absl::Status Check() const {
    if (!IsCancelled()) return absl::OkStatus();
    return absl::CancelledError("the plan is not wanted any more");
  }

 private:
  std::function<bool()> is_cancelled_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_CANCELLATION_H_
