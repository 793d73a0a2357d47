// Declares what an agent is told of its jobs, beside what their placement
// service is told.
//
//   JobObserver observer{.on_refused = [](const absl::Status& why) {
//     std::cerr << why << std::endl;
//   }};
#ifndef STOWAGE_AGENTS_JOBS_JOB_OBSERVER_H_
#define STOWAGE_AGENTS_JOBS_JOB_OBSERVER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agents/engine/tier_use.h"

namespace stowage::agent {

// Any thread may call them, several at the same time. None of them may block.
struct JobObserver {
  // Takes what a job has taken of its tiers, fast to slow: when it has begun,
  // and about once a second while it runs.
  std::function<void(const std::string& job_id,
                     const std::vector<TierUse>& tiers)>
      on_use = [](auto&&...) {};
  // Takes the errno of each move that failed.
  std::function<void(int error)> on_failed_move = [](auto) {};
  // Takes why a job was refused.
  std::function<void(const absl::Status& why)> on_refused = [](auto&&) {};
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_JOB_OBSERVER_H_
