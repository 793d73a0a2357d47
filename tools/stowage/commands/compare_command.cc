#include "tools/stowage/commands/compare_command.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "tools/stowage/compare/comparison.h"
#include "tools/stowage/compare/comparison_output.h"
#include "tools/stowage/compare/suite_report.h"
#include "tools/stowage/compare/suite_run.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/inputs/policy_spec.h"
#include "tools/stowage/inputs/system_file.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/plot/python_plot.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> graph_paths;
  GraphFileOptions file;
  std::vector<std::string> systems;
  std::vector<std::string> policies = {"all"};
  std::vector<std::string> fast;
  std::vector<std::string> ratios;
  std::vector<std::string> sizes;
  int64_t seed = 0;
  double time_limit_s = 0;
  double give_up_after_s = 0;
  int jobs = 1;
  bool no_lower_bound = false;
  bool keep_durations = false;
  std::string suite;
  std::string suite_dir = "suite-results";
  std::string dqn_path;
  std::string output;
  std::string plot_path;
  bool json = false;
};

ComparisonSettings Settings(const CompareArguments& arguments) {
  return {.jobs = arguments.jobs,
          .lower_bound = !arguments.no_lower_bound,
          .give_up_after = arguments.give_up_after_s > 0
                               ? absl::Seconds(arguments.give_up_after_s)
                               : absl::InfiniteDuration()};
}

bool WantsJson(const CompareArguments& arguments) {
  return arguments.json || absl::EndsWith(arguments.output, ".json");
}

std::vector<FastLimit> Limits(const CompareArguments& arguments) {
  std::vector<FastLimit> limits;
  for (const std::string& fast : arguments.fast) {
    limits.push_back({.fast = fast});
  }
  for (const std::string& ratio : arguments.ratios) {
    limits.push_back({.ratio = ratio});
  }
  for (const std::string& bytes : arguments.sizes) {
    limits.push_back({.bytes = bytes});
  }
  return limits;
}

absl::StatusOr<std::vector<std::string>> PoliciesOf(
    const CompareArguments& arguments) {
  std::vector<std::string> specs;
  for (const std::string& policy : arguments.policies) {
    specs.push_back(WithDqnFile(policy, arguments.dqn_path));
  }
  return ExpandPolicies(specs);
}

// Checks what a user can get wrong whatever the files hold.
absl::Status CheckArguments(const CompareArguments& arguments) {
  if (arguments.graph_paths.empty() || arguments.systems.empty()) {
    return absl::InvalidArgumentError(
        "give graphs and --system, or --suite papers");
  }
  if (Limits(arguments).empty()) {
    return absl::InvalidArgumentError(
        "give --fast, --fast-ratio or --fast-bytes, or several of them");
  }
  absl::Status status = CheckDqnUse(arguments.policies, arguments.dqn_path);
  if (status.ok()) status = PoliciesOf(arguments).status();
  if (status.ok() && !arguments.plot_path.empty()) {
    status = CheckPlotPath(arguments.plot_path);
  }
  return status;
}

absl::Status CheckPolicyFiles(const CompareArguments& arguments) {
  absl::Status status;
  for (const std::string& policy : arguments.policies) {
    status.Update(CheckPolicyFile(WithDqnFile(policy, arguments.dqn_path)));
  }
  return status;
}

// Returns every graph on every system. The addresses of the elements do not
// change.
absl::StatusOr<std::deque<Subject>> LoadSubjects(
    const CompareArguments& arguments) {
  std::vector<policies::MemorySystem> systems;
  for (const std::string& name : arguments.systems) {
    absl::StatusOr<policies::MemorySystem> system = LoadSystem(name);
    if (!system.ok()) return system.status();
    systems.push_back(*std::move(system));
  }
  std::deque<Subject> subjects;
  for (const std::string& path : arguments.graph_paths) {
    const absl::StatusOr<LoadedGraph> loaded = LoadGraph(path, arguments.file);
    if (!loaded.ok()) return loaded.status();
    for (const policies::MemorySystem& system : systems) {
      absl::StatusOr<Subject> subject =
          MakeSubject(loaded->graph, system, !arguments.keep_durations);
      if (!subject.ok()) return subject.status();
      subjects.push_back(*std::move(subject));
    }
  }
  return subjects;
}

absl::StatusOr<std::vector<ComparisonCase>> MakeCases(
    const CompareArguments& arguments, const std::deque<Subject>& subjects) {
  const absl::StatusOr<std::vector<std::string>> policies =
      PoliciesOf(arguments);
  if (!policies.ok()) return policies.status();
  std::vector<ComparisonCase> cases;
  for (const Subject& subject : subjects) {
    for (const FastLimit& limit : Limits(arguments)) {
      const absl::StatusOr<int64_t> bytes = ResolveLimit(limit, subject.graph);
      if (!bytes.ok()) return bytes.status();
      for (const std::string& policy : *policies) {
        cases.push_back(
            {.subject = &subject,
             .policy = policy,
             .options = {.fast_limit_bytes = *bytes,
                         .seed = arguments.seed,
                         .time_limit = absl::Seconds(arguments.time_limit_s)}});
      }
    }
  }
  return cases;
}

int CompareGraphs(const CompareArguments& arguments) {
  const absl::Status readable = CheckPolicyFiles(arguments);
  if (!readable.ok()) return ReportError(readable);
  const absl::Status requested = CheckArguments(arguments);
  if (!requested.ok()) return ReportUsageError(requested);
  const absl::Status writable =
      CheckAllWritable({arguments.output, arguments.plot_path});
  if (!writable.ok()) return ReportError(writable);
  const auto subjects = LoadSubjects(arguments);
  if (!subjects.ok()) return ReportError(subjects.status());
  const auto cases = MakeCases(arguments, *subjects);
  if (!cases.ok()) return ReportUsageError(cases.status());
  std::vector<ComparisonRow> rows = Compare(*cases, Settings(arguments));
  for (ComparisonRow& row : rows) {
    for (const std::string& spec : arguments.policies) {
      if (row.policy == WithDqnFile(spec, arguments.dqn_path)) {
        row.policy = spec;
      }
    }
  }
  absl::Status written = WriteOutput(
      arguments.output, WantsJson(arguments) ? RowsToJson(rows).dump(2) + "\n"
                                             : RowsToText(rows));
  if (written.ok() && !arguments.plot_path.empty()) {
    const absl::StatusOr<Installation> installation = FindInstallation();
    written = installation.ok()
                  ? DrawComparison(rows, *installation, arguments.plot_path)
                  : installation.status();
  }
  return ReportError(written);
}

int CompareSuite(const CompareArguments& arguments) {
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  const absl::StatusOr<Suite> suite =
      LoadSuite(SuitePath(arguments.suite, *installation));
  if (!suite.ok()) return ReportError(suite.status());
  const absl::Status made = MakeSuiteDirectory(arguments.suite_dir);
  if (!made.ok()) return ReportError(made);
  const absl::StatusOr<SuiteResults> results =
      RunSuite(*suite, Settings(arguments));
  if (!results.ok()) return ReportError(results.status());
  const absl::Status written =
      WriteSuiteReport(*suite, *results, *installation, arguments.suite_dir);
  if (!written.ok()) return ReportError(written);
  return ReportError(WriteOutput(
      arguments.output, WantsJson(arguments)
                            ? SuiteToJson(*suite, *results).dump(2) + "\n"
                            : SuiteToMarkdown(*suite, *results)));
}

void AddInputOptions(Options& app, CompareArguments& arguments) {
  app.Add("graphs", arguments.graph_paths,
          "Graphs, profiled graphs or PyTorch execution traces");
  AddFileOptions(app, arguments.file);
  app.Add("--system", arguments.systems,
          "Memory systems: presets or files, separated by commas")
      .SeparatedByCommas();
  app.Add("--policies", arguments.policies,
          "Policies, separated by commas, or all; sentinel:N for a "
          "migration interval of N layers")
      .SeparatedByCommas();
  app.Add("--dqn", arguments.dqn_path,
          "Trained DQN policy, for the policy deeptm");
  app.Add("--fast", arguments.fast,
          "Limits on fast memory, separated by commas: sizes (900MiB), shares "
          "of each graph's peak (40% or 0.4)")
      .SeparatedByCommas();
  app.Add("--fast-ratio", arguments.ratios,
          "Limits as shares of each graph's peak, separated by commas")
      .SeparatedByCommas();
  app.Add("--fast-bytes", arguments.sizes,
          "Limits as sizes, separated by commas")
      .SeparatedByCommas();
  app.Add("--keep-durations", arguments.keep_durations,
          "Use durations as they were measured, even if the system has another "
          "processor");
}

// Adds the options of suites, and excludes those that a suite states itself.
void AddSuiteOptions(Options& app, CompareArguments& arguments) {
  Option suite = app.Add("--suite", arguments.suite,
                         "A suite instead of graphs: papers, or a file");
  for (const char* name :
       {"graphs", "--member", "--iteration", "--system", "--policies", "--dqn",
        "--fast", "--fast-ratio", "--fast-bytes", "--keep-durations", "--seed",
        "--time-limit", "--plot"}) {
    suite.Excludes(app.Get(name));
  }
  app.Add("--suite-dir", arguments.suite_dir,
          "Directory for a suite's report, rows and pictures")
      .Needs(suite)
      .ShowDefault();
}

void AddEffortOptions(Options& app, CompareArguments& arguments) {
  app.Add("--seed", arguments.seed, "Seed of random choices")
      .Check(WholeNumberFrom(0));
  app.Add("--time-limit", arguments.time_limit_s,
          "Seconds a planner may think; 0: its own default")
      .Check(SecondsUpTo(86400));
  app.Add("--give-up-after", arguments.give_up_after_s,
          "Seconds after which a planner is stopped; 0: never")
      .Check(SecondsUpTo(1000000));
  app.Add("--no-lower-bound", arguments.no_lower_bound,
          "Do not compute lower bounds, which take seconds for large "
          "graphs");
  app.Add("--jobs", arguments.jobs, "How many plans to make at the same time")
      .Check(WholeNumberIn(1, 1024))
      .ShowDefault();
}

void AddOutputOptions(Options& app, CompareArguments& arguments) {
  app.Add("-o,--output", arguments.output,
          "Write the comparison to this file, as JSON where it ends in "
          ".json")
      .Check(NotEmpty());
  app.Add("--plot", arguments.plot_path,
          "Draw relative performance over fast memory (.svg, .png)");
  app.AddFormat(arguments.json);
}

}  // namespace

void AddCompareCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<CompareArguments>();
  Options app = root.AddSubcommand(
      "compare", "Plan graphs with several policies and compare the plans");
  AddInputOptions(app, *arguments);
  AddEffortOptions(app, *arguments);
  AddOutputOptions(app, *arguments);
  AddSuiteOptions(app, *arguments);
  commands.push_back({app, [arguments] {
                        return arguments->suite.empty()
                                   ? CompareGraphs(*arguments)
                                   : CompareSuite(*arguments);
                      }});
}

}  // namespace stowage::cli
