#include "server/training/background.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

namespace stowage {
namespace {

constexpr int kOomScoreAdjustment = 1000;  // the highest

// As ioprio_set(2) says. C++ cannot include <linux/ioprio.h>: since Linux
// 6.1.192, it has a parameter that is named `class`.
constexpr int kIoPriorityOfProcess = 1;
constexpr int kIdleIoPriority = 3 << 13;

}  // namespace

bool EndWithParent(int parent_pid) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before.
  return getppid() == parent_pid;
}

void GoToBackground(int niceness) {
  setpriority(PRIO_PROCESS, 0, niceness);
  const sched_param no_priority = {};
  sched_setscheduler(0, SCHED_BATCH, &no_priority);
  syscall(SYS_ioprio_set, kIoPriorityOfProcess, 0, kIdleIoPriority);
  std::ofstream("/proc/self/oom_score_adj") << kOomScoreAdjustment;
}

}  // namespace stowage
