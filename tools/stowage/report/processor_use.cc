#include "tools/stowage/report/processor_use.h"

#include <algorithm>

#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {

std::optional<ProcessorUse> MeanUse(const std::vector<Step>& steps) {
  const auto count = std::count_if(
      steps.begin(), steps.end(),
      [](const Step& step) { return step.overheads.has_value(); });
  if (count == 0) return std::nullopt;
  // The sum of many steps may be more than an integer holds.
  const auto mean = [&](int64_t (*ns)(const Step&)) {
    double sum_ns = 0;
    for (const Step& step : steps) {
      if (step.overheads.has_value()) sum_ns += static_cast<double>(ns(step));
    }
    return static_cast<int64_t>(sum_ns / static_cast<double>(count));
  };
  return ProcessorUse{
      .job_ns = mean([](const Step& s) { return s.processor_ns; }),
      .system_ns = mean([](const Step& s) { return s.overheads->system_ns; }),
      .mapping_ns = mean([](const Step& s) { return s.overheads->mapping_ns; }),
      .boundary_ns = mean([](const Step& s) { return s.BoundaryNs(); }),
      .agent_ns =
          mean([](const Step& s) { return s.overheads->agent_processor_ns; })};
}

std::string UseToText(const ProcessorUse& use) {
  Table table({"processor time", "mean step", "of the job's"});
  const auto add = [&](const char* name, int64_t ns) {
    table.AddRow({name, FormatDurationNs(ns), FormatShare(ns, use.job_ns)});
  };
  add("job", use.job_ns);
  add("  in Linux", use.system_ns);
  add("  mapping calls", use.mapping_ns);
  add("boundaries", use.boundary_ns);
  add("agent", use.agent_ns);
  add("boundaries and agent", use.StowageNs());
  return table.ToText();
}

nlohmann::json UseToJson(const ProcessorUse& use) {
  return {{"processor_ns", use.job_ns},
          {"system_ns", use.system_ns},
          {"mapping_ns", use.mapping_ns},
          {"boundary_ns", use.boundary_ns},
          {"agent_processor_ns", use.agent_ns}};
}

}  // namespace stowage::cli
