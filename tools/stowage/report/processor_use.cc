#include "tools/stowage/report/processor_use.h"

#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {

std::optional<ProcessorUse> MeanUse(const std::vector<Step>& steps) {
  ProcessorUse sum;
  int64_t count = 0;
  for (const Step& step : steps) {
    if (!step.overheads.has_value()) continue;
    ++count;
    sum.job_ns += step.processor_ns;
    sum.system_ns += step.overheads->system_ns;
    sum.mapping_ns += step.overheads->mapping_ns;
    sum.boundary_ns += step.BoundaryNs();
    sum.agent_ns += step.overheads->agent_processor_ns;
  }
  if (count == 0) return std::nullopt;
  return ProcessorUse{.job_ns = sum.job_ns / count,
                      .system_ns = sum.system_ns / count,
                      .mapping_ns = sum.mapping_ns / count,
                      .boundary_ns = sum.boundary_ns / count,
                      .agent_ns = sum.agent_ns / count};
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
