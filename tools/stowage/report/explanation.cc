#include "tools/stowage/report/explanation.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/inputs/json_input.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

constexpr size_t kShownKernels = 8;

int64_t Count(const json& object, const char* name,
              int64_t most = kMostOfAStep) {
  return WholeNumber(object.at(name), 0, most);
}

// Returns 0 for what reports of earlier versions do not have.
int64_t CountIfThere(const json& object, const char* name,
                     int64_t most = kMostOfAStep) {
  return object.contains(name) ? Count(object, name, most) : 0;
}

StepMode ModeOf(const json& step) {
  const std::string name = step.at("mode").get<std::string>();
  if (name == ModeName(StepMode::kPlan)) return StepMode::kPlan;
  if (name == ModeName(StepMode::kProfile)) return StepMode::kProfile;
  return StepMode::kDemand;
}

std::optional<Overheads> OverheadsOf(const json& step) {
  if (!step.contains("agent_processor_ns")) return std::nullopt;
  return Overheads{.system_ns = Count(step, "system_ns"),
                   .mapping_ns = Count(step, "mapping_ns"),
                   .agent_processor_ns = Count(step, "agent_processor_ns")};
}

std::string PhaseOf(const json& step) {
  if (!step.contains("phase") || step.at("phase").is_null()) return "";
  return step.at("phase").get<std::string>();
}

Step StepOf(const json& step) {
  const json& times = step.at("times");
  return {
      .index = Count(step, "index"),
      .mode = ModeOf(step),
      .kind = WholeNumber<int32_t>(step.at("kind")),
      .kernel_count = Count(step, "kernel_count"),
      .duration_ns = Count(step, "duration_ns"),
      .predicted = {.step_ns = Count(step, "predicted_duration_ns"),
                    .gaps_ns = Count(step, "predicted_gaps_ns"),
                    .stall_ns = Count(step, "predicted_stall_ns"),
                    .stream_ns = Count(step, "predicted_stream_ns"),
                    .slowdown_ns = CountIfThere(step, "predicted_slowdown_ns")},
      .times = {.kernels_ns = Count(times, "kernels_ns"),
                .gaps_ns = Count(times, "gaps_ns"),
                .stall_in_ns = Count(times, "stall_in_ns"),
                .stall_out_ns = Count(times, "stall_out_ns"),
                .faults_ns = Count(times, "faults_ns"),
                .emulated_ns = Count(times, "emulated_ns"),
                .plan_wait_ns = Count(times, "plan_wait_ns")},
      .beside = {.out_ns = CountIfThere(step, "beside_out_ns"),
                 .in_ns = CountIfThere(step, "beside_in_ns")},
      .processor_ns = Count(step, "processor_ns"),
      .page_faults = Count(step, "page_faults"),
      .overheads = OverheadsOf(step),
      .phase = PhaseOf(step)};
}

KernelTimes KernelOf(const json& kernel) {
  const auto ns = [&](const char* name) {
    return Count(kernel, name, kMostKernelNs);
  };
  const auto ns_if_there = [&](const char* name) {
    return CountIfThere(kernel, name, kMostKernelNs);
  };
  return {.name = kernel.at("name").get<std::string>(),
          .duration_ns = ns("duration_ns"),
          .beside = {.out_ns = ns_if_there("beside_out_ns"),
                     .in_ns = ns_if_there("beside_in_ns")},
          .planned_ns = ns("planned_ns"),
          .stall_ns = ns("stall_ns"),
          .faults_ns = ns("faults_ns")};
}

std::vector<TimePart> PartsOf(const Step& step) {
  const session::StepTimes& times = step.times;
  const session::PredictedTimes& predicted = step.predicted;
  std::optional<int64_t> kernels_ns, gaps_ns, stall_ns, stream_ns;
  if (predicted.step_ns > 0) {
    gaps_ns = predicted.gaps_ns;
    stall_ns = predicted.stall_ns;
    stream_ns = predicted.stream_ns;
    kernels_ns = predicted.step_ns - *gaps_ns - *stall_ns - *stream_ns;
  }
  return {
      {"kernels", times.kernels_ns, kernels_ns,
       "they ran beside copies, or slower than when they were profiled"},
      {"between kernels", times.gaps_ns, gaps_ns,
       "the script and the framework took longer"},
      {"waiting for moves", times.stall_in_ns + times.stall_out_ns, stall_ns,
       "copies took longer than the memory system says, or came too late"},
      {"faults while streaming", times.faults_ns, stream_ns,
       "operands that do not fit came slower than was measured"},
      {"emulated medium", times.emulated_ns, std::nullopt,
       "kernels used operands in the emulated tier"},
      {"waiting for a plan", times.plan_wait_ns, std::nullopt,
       "the step was profiled and its plan was being made"},
      {"Stowage itself", step.BoundaryNs(), std::nullopt,
       "its own work at kernel boundaries"},
  };
}

// Returns how long copies ran while the kernel did; both directions may have.
int64_t BesideCopiesNs(const KernelTimes& kernel) {
  return std::max(kernel.beside.out_ns, kernel.beside.in_ns);
}

// Returns how long kernels ran beside copies, and what was predicted of it.
std::string BesideCopies(const Step& step) {
  std::string text =
      absl::StrCat("of the time of kernels, copies ran out for ",
                   FormatDurationNs(step.beside.out_ns), " and in for ",
                   FormatDurationNs(step.beside.in_ns));
  if (step.predicted.slowdown_ns > 0) {
    absl::StrAppend(&text, "; they were predicted to slow kernels by ",
                    FormatDurationNs(step.predicted.slowdown_ns));
  }
  return absl::StrCat(text, "\n");
}

// Returns how much longer than predicted the part took.
int64_t ExcessNs(const TimePart& part) {
  return part.measured_ns - part.predicted_ns.value_or(0);
}

std::string Signed(int64_t ns) {
  return absl::StrCat(ns < 0 ? "-" : "+", FormatDurationNs(std::abs(ns)));
}

std::string Headline(const Explanation& explanation) {
  const Step& step = explanation.step;
  const std::string phase =
      step.phase.empty() ? "" : absl::StrCat(" in phase ", step.phase);
  return absl::StrFormat(
      "%s steps of kind %d%s: %d; step %d, of median duration\n",
      ModeName(step.mode), step.kind, phase, explanation.step_count,
      step.index);
}

std::string PartsTable(const Explanation& explanation) {
  const Step& step = explanation.step;
  const bool predicted = step.predicted.step_ns > 0;
  Table table(predicted
                  ? std::vector<std::string>{"", "measured", "of the step",
                                             "predicted", "difference"}
                  : std::vector<std::string>{"", "measured", "of the step"});
  for (const TimePart& part : explanation.parts) {
    if (part.measured_ns == 0 && part.predicted_ns.value_or(0) == 0) continue;
    table.AddRow({part.name, FormatDurationNs(part.measured_ns),
                  FormatShare(part.measured_ns, step.duration_ns),
                  part.predicted_ns ? FormatDurationNs(*part.predicted_ns) : "",
                  Signed(ExcessNs(part))});
  }
  table.AddRow({"step", FormatDurationNs(step.duration_ns), "100.0 %",
                FormatDurationNs(step.predicted.step_ns),
                Signed(step.duration_ns - step.predicted.step_ns)});
  return table.ToText();
}

// Names the part that took most more than predicted.
std::string Verdict(const Explanation& explanation) {
  const Step& step = explanation.step;
  const int64_t excess_ns = step.duration_ns - step.predicted.step_ns;
  const auto most =
      std::max_element(explanation.parts.begin(), explanation.parts.end(),
                       [](const TimePart& a, const TimePart& b) {
                         return ExcessNs(a) < ExcessNs(b);
                       });
  if (excess_ns <= 0) return "no slower than predicted\n";
  return absl::StrCat(FormatShare(excess_ns, step.predicted.step_ns),
                      " slower than predicted, by ", most->name,
                      " most: ", most->cause, "\n");
}

}  // namespace

absl::StatusOr<JobReport> ReadReport(const std::string& report) {
  const absl::StatusOr<json> document = ParseJsonInput(report);
  if (!document.ok()) return document.status();
  absl::StatusOr<JobReport> job = ReadFields<JobReport>([&] {
    JobReport read;
    // A command that trained nothing has no steps, but a list of jobs.
    if (document->contains("jobs") && document->at("jobs").empty()) return read;
    for (const json& step : document->at("steps")) {
      read.steps.push_back(StepOf(step));
    }
    for (const json& kernel : document->at("kernels")) {
      read.kernels.push_back(KernelOf(kernel));
    }
    return read;
  });
  if (job.ok() && job->steps.empty()) {
    return absl::FailedPreconditionError(
        "the report has no steps: the command ended before its first one, or "
        "trained nothing");
  }
  return job;
}

std::vector<Explanation> Explain(const std::vector<Step>& steps) {
  using Group = std::tuple<StepMode, int32_t, std::string>;
  std::map<Group, std::vector<Step>> groups;
  for (const Step& step : steps) {
    groups[{step.mode, step.kind, step.phase}].push_back(step);
  }
  std::vector<Explanation> explanations;
  for (auto& [unused, group] : groups) {
    const auto median = group.begin() + group.size() / 2;
    std::nth_element(group.begin(), median, group.end(),
                     [](const Step& a, const Step& b) {
                       return std::pair(a.duration_ns, a.index) <
                              std::pair(b.duration_ns, b.index);
                     });
    explanations.push_back({.step = *median,
                            .step_count = static_cast<int64_t>(group.size()),
                            .parts = PartsOf(*median),
                            .use = MeanUse(group)});
  }
  std::stable_sort(
      explanations.begin(), explanations.end(),
      [](const Explanation& a, const Explanation& b) {
        return std::pair(a.step.mode == StepMode::kPlan, a.step_count) >
               std::pair(b.step.mode == StepMode::kPlan, b.step_count);
      });
  return explanations;
}

std::string ExplanationToText(const Explanation& explanation) {
  const Step& step = explanation.step;
  std::string text =
      absl::StrCat(Headline(explanation), PartsTable(explanation));
  if (step.predicted.step_ns > 0) {
    absl::StrAppend(&text, Verdict(explanation));
  }
  absl::StrAppend(&text, BesideCopies(step));
  absl::StrAppend(
      &text, "moves were waited for ", FormatDurationNs(step.times.stall_in_ns),
      " in and ", FormatDurationNs(step.times.stall_out_ns), " out; ",
      absl::StrFormat("%.2f", step.duration_ns > 0
                                  ? static_cast<double>(step.processor_ns) /
                                        step.duration_ns
                                  : 0.0),
      " processors were busy, with ", step.page_faults, " page faults\n");
  if (explanation.use.has_value()) {
    absl::StrAppend(&text, UseToText(*explanation.use));
  }
  return text;
}

json ExplanationToJson(const Explanation& explanation) {
  const Step& step = explanation.step;
  json parts = json::array();
  for (const TimePart& part : explanation.parts) {
    parts.push_back({{"name", part.name},
                     {"measured_ns", part.measured_ns},
                     {"predicted_ns", nullptr}});
    if (part.predicted_ns) parts.back()["predicted_ns"] = *part.predicted_ns;
  }
  json use = nullptr;
  if (explanation.use.has_value()) use = UseToJson(*explanation.use);
  return {{"mode", ModeName(step.mode)},
          {"kind", step.kind},
          {"phase", step.phase.empty() ? json(nullptr) : json(step.phase)},
          {"steps", explanation.step_count},
          {"step", step.index},
          {"duration_ns", step.duration_ns},
          {"predicted_duration_ns", step.predicted.step_ns},
          {"beside_out_ns", step.beside.out_ns},
          {"beside_in_ns", step.beside.in_ns},
          {"predicted_slowdown_ns", step.predicted.slowdown_ns},
          {"processor_ns", step.processor_ns},
          {"page_faults", step.page_faults},
          {"parts", std::move(parts)},
          {"mean_use", std::move(use)}};
}

int64_t LateNs(const KernelTimes& kernel) {
  return kernel.duration_ns + kernel.stall_ns + kernel.faults_ns -
         kernel.planned_ns;
}

std::string LateKernelsToText(const std::vector<KernelTimes>& kernels) {
  if (kernels.empty()) return "";
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return LateNs(kernels[a]) > LateNs(kernels[b]);
  });
  int64_t late_ns = 0, shown_ns = 0;
  for (const KernelTimes& kernel : kernels) {
    late_ns += std::max<int64_t>(0, LateNs(kernel));
  }
  Table table({"kernel", "name", "late", "measured", "beside copies", "planned",
               "waiting for moves", "faults"});
  order.resize(std::min(order.size(), kShownKernels));
  for (const size_t k : order) {
    const KernelTimes& kernel = kernels[k];
    if (LateNs(kernel) <= 0) break;
    shown_ns += LateNs(kernel);
    table.AddRow({absl::StrCat(k), kernel.name, Signed(LateNs(kernel)),
                  FormatDurationNs(kernel.duration_ns),
                  FormatDurationNs(BesideCopiesNs(kernel)),
                  FormatDurationNs(kernel.planned_ns),
                  FormatDurationNs(kernel.stall_ns),
                  FormatDurationNs(kernel.faults_ns)});
  }
  return absl::StrCat("latest kernels of the last planned step, ",
                      FormatShare(shown_ns, late_ns), " of what ",
                      kernels.size(), " kernels were late\n", table.ToText());
}

}  // namespace stowage::cli
