// Says what processors did for steps of a job: in its process, in Linux on its
// behalf, and in the agent.
//
//   const std::optional<ProcessorUse> use = MeanUse(steps);
//   if (use.has_value()) std::cout << UseToText(*use);
//
// Pure functions.
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_PROCESSOR_USE_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_PROCESSOR_USE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/stowage/report/report.h"

namespace stowage::cli {

// Of one step, in nanoseconds.
struct ProcessorUse {
  int64_t job_ns = 0;       // the process: all its threads
  int64_t system_ns = 0;    // of these, in Linux
  int64_t mapping_ns = 0;   // that its calls took which change page tables
  int64_t boundary_ns = 0;  // at most: so long was its own work at boundaries
  int64_t agent_ns = 0;     // the agent

  int64_t StowageNs() const { return boundary_ns + agent_ns; }
};

// Returns the mean of the steps. Steps of older reports, which do not say it
// all, do not count; nullopt if there are no others.
std::optional<ProcessorUse> MeanUse(const std::vector<Step>& steps);

// Returns a table, with parts of the job's processor time.
std::string UseToText(const ProcessorUse& use);
nlohmann::json UseToJson(const ProcessorUse& use);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_PROCESSOR_USE_H_
