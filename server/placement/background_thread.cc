#include "server/placement/background_thread.h"

#include <sched.h>
#include <sys/resource.h>

#include <thread>

namespace stowage {
namespace {

constexpr int kLowestPriority = 19;

}  // namespace

void RunInBackground(absl::FunctionRef<void()> work) {
  std::thread thread([&work] {
    // Linux takes 0 for the calling thread, not for its process.
    setpriority(PRIO_PROCESS, 0, kLowestPriority);
    const sched_param no_priority = {};
    sched_setscheduler(0, SCHED_BATCH, &no_priority);
    work();
  });
  thread.join();
}

}  // namespace stowage
