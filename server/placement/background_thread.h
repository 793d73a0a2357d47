// Runs work that nobody waits for, so that others on the machine do not notice
// it: the training jobs, where a service shares their processors.
//
//   absl::StatusOr<policies::Plan> plan = absl::UnknownError("not made");
//   RunInBackground([&] { plan = MakeVerifiedPlan(graph, system, policy, {}); });
#ifndef STOWAGE_SERVER_PLACEMENT_BACKGROUND_THREAD_H_
#define STOWAGE_SERVER_PLACEMENT_BACKGROUND_THREAD_H_

#include "absl/functional/function_ref.h"

namespace stowage {

// Runs `work` on a thread of its own, and returns when it has ended. That thread
// and those that it starts have the lowest priority (nice 19, SCHED_BATCH): a
// thread may not raise its priority again. `work` should hold no lock that
// others want. Where processors are always busy it takes some 70 times as long.
void RunInBackground(absl::FunctionRef<void()> work);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_BACKGROUND_THREAD_H_
