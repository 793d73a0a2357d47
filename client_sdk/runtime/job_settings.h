// Says how a job behaves, as its user chose.
//
//   Job job(&client, storage_access, {.demand_only = true});
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_JOB_SETTINGS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_JOB_SETTINGS_H_

#include <cstdint>
#include <string>

namespace stowage::runtime {

struct JobSettings {
  // Stay in demand mode: no profile is published.
  bool demand_only = false;
  // Follow plans even where demand mode was measured to be faster.
  bool plans_only = false;
  // How long the end of a profiled step waits for its plan, at least: a long
  // step waits longer.
  int64_t plan_wait_ns = 5'000'000'000;
  // File that gets a line for each step; "-": standard output; empty: none.
  std::string step_log_path = {};
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_JOB_SETTINGS_H_
