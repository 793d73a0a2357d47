#include "tools/stowage/commands/calibrate_command.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agents/engine/both_ways.h"
#include "agents/engine/calibration.h"
#include "agents/tiers/huge_pages.h"
#include "agents/tiers/tier_provider.h"
#include "agents/tiers/tier_spec.h"
#include "client_sdk/runtime/process/available_memory.h"
#include "client_sdk/session/size_spec.h"
#include "policies/model/codec.h"
#include "tools/stowage/calibrate/calibration_text.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/output/progress.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {
namespace {

constexpr int64_t kLeastBytes = 4 << 10;
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kSizeRatio = 4;
constexpr int kRepetitions = 7;

struct CalibrateArguments {
  std::string fast = "dram";
  std::string slow;
  std::string largest = "64MiB";
  std::string node = "host";
  std::string output_path;
  std::string plot_path;
  bool json = false;
};

struct Calibration {
  v1::MemorySystem system;
  std::vector<agent::BothWays> both_ways;
};

std::string ProblemOfLargest(const std::string& largest) {
  const std::optional<int64_t> bytes = session::ParseSize(largest);
  if (bytes && *bytes >= kLeastBytes && *bytes <= kMostBytes) return "";
  return absl::StrCat("'", largest, "' is not a size from ",
                      FormatBytes(kLeastBytes), " to ", FormatBytes(kMostBytes),
                      "; give one as in --largest 64MiB");
}

std::string ProblemOfTier(const std::string& spec) {
  return std::string(agent::ParseTierSpec(spec).status().message());
}

// Returns 4 KiB, 16 KiB and so on, up to the largest.
absl::StatusOr<std::vector<int64_t>> SizesUpTo(const std::string& largest) {
  std::vector<int64_t> sizes;
  for (int64_t bytes = kLeastBytes; bytes <= *session::ParseSize(largest);
       bytes *= kSizeRatio) {
    sizes.push_back(bytes);
  }
  const int64_t needed = 3 * sizes.back();
  const int64_t available = runtime::AvailableMemory::Now().bytes;
  if (needed <= available) return sizes;
  return absl::ResourceExhaustedError(
      absl::StrCat("--largest ", largest, " takes ", FormatBytes(needed),
                   " of fast memory, and ", FormatBytes(available),
                   " can be had; choose a smaller one"));
}

absl::StatusOr<std::unique_ptr<agent::TierProvider>> Open(
    const std::string& spec) {
  const absl::StatusOr<agent::TierSpec> parsed = agent::ParseTierSpec(spec);
  if (!parsed.ok()) return parsed.status();
  return agent::MakeTierProvider(*parsed);
}

// Returns how many curves MeasureMemorySystem() and MeasureBothWays() measure:
// a thread is measured apart where several are faster.
int CurveCount(const agent::TierTraits& slow) { return slow.file ? 4 : 6; }

absl::StatusOr<Calibration> Measure(const CalibrateArguments& arguments) {
  const absl::StatusOr<std::vector<int64_t>> sizes =
      SizesUpTo(arguments.largest);
  if (!sizes.ok()) return sizes.status();
  const auto fast = Open(arguments.fast);
  if (!fast.ok()) return fast.status();
  const auto slow = Open(arguments.slow);
  if (!slow.ok()) return slow.status();
  Progress progress(CurveCount((*slow)->traits()) *
                        static_cast<int>(sizes->size()) +
                    kRepetitions + 1);  // kernels beside copies; both ways
  const agent::CalibrationOptions options = {
      .buffer_bytes = *sizes,
      .repetitions = kRepetitions,
      .progress = [&](const std::string& what) { progress.Step(what); }};
  Calibration calibration;
  auto system =
      agent::MeasureMemorySystem(arguments.node, **fast, **slow, options);
  if (!system.ok()) return system.status();
  calibration.system = *std::move(system);
  calibration.system.set_description("measured by stowage calibrate");
  auto both_ways = agent::MeasureBothWays(**fast, **slow, options);
  if (!both_ways.ok()) return both_ways.status();
  calibration.both_ways = *std::move(both_ways);
  return calibration;
}

absl::Status Draw(const Calibration& calibration, const std::string& path) {
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return installation.status();
  return DrawWithPython(
      installation->calibration_plotter_path,
      CalibrationToJson(calibration.system, calibration.both_ways), path);
}

absl::Status CheckPaths(const CalibrateArguments& arguments) {
  if (!arguments.plot_path.empty()) {
    const absl::Status plot = CheckPlotPath(arguments.plot_path);
    if (!plot.ok()) return plot;
  }
  return CheckAllWritable({arguments.output_path, arguments.plot_path});
}

absl::Status Write(const Calibration& calibration,
                   const CalibrateArguments& arguments) {
  if (!arguments.output_path.empty()) {
    const absl::Status written = WriteFileAtomically(
        arguments.output_path,
        policies::Serialize(calibration.system,
                            {.format = policies::WireFormat::kJson}));
    if (!written.ok()) return written;
  }
  return arguments.plot_path.empty() ? absl::OkStatus()
                                     : Draw(calibration, arguments.plot_path);
}

int Calibrate(const CalibrateArguments& arguments) {
  const absl::Status paths = CheckPaths(arguments);
  if (!paths.ok()) return ReportError(paths);
  // As an agent does that is going to use these tiers.
  if (agent::AdviseHugePages() == agent::HugePages::kRefused) {
    std::cerr << "stowage: " << agent::kHowToAdvise << "\n";
  }
  const absl::StatusOr<Calibration> calibration = Measure(arguments);
  if (!calibration.ok()) return ReportError(calibration.status());
  if (arguments.json) {
    std::cout << CalibrationToJson(calibration->system, calibration->both_ways)
                     .dump(2)
              << "\n";
  } else {
    std::cout << CalibrationToText(calibration->system, calibration->both_ways);
  }
  const absl::Status written = Write(*calibration, arguments);
  return written.ok() ? kExitOk : ReportError(written);
}

}  // namespace

void AddCalibrateCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<CalibrateArguments>();
  Options app = root.AddSubcommand(
      "calibrate", "Measure what copies between two tiers of this host take");
  app.Add("--slow", arguments->slow,
          "Slow tier: file:DIR, pmem:DIR, numa:N, emulated:NAME")
      .Check({.problem = ProblemOfTier})
      .Required();
  app.Add("--fast-tier", arguments->fast,
          "Fast tier: dram, or dram:N for NUMA node N")
      .Check({.problem = ProblemOfTier});
  app.Add("--largest", arguments->largest,
          "Largest copy, up to 1GiB; takes three times as much of both tiers")
      .Check({.problem = ProblemOfLargest});
  app.Add("--name", arguments->node, "What the system's name begins with");
  app.Add("-o,--output", arguments->output_path,
          "Write the memory system (JSON) to this file, for --system");
  app.Add("--plot", arguments->plot_path,
          "Draw bandwidth over the size of copies (.svg, .png)");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments] { return Calibrate(*arguments); }});
}

}  // namespace stowage::cli
