// Declares the names that the examples of tools/stowage use.
//
//   namespace stowage::cli::examples { extern policies::Graph graph; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TOOLS_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TOOLS_H_

#include <poll.h>

#include <iostream>
#include <memory>

namespace stowage::cli::examples {

extern policies::Graph graph;
extern policies::MemorySystem system;
extern policies::PlanOptions options;
extern Installation installation;
extern std::string path, text, graph_dir, run_id, address;
extern int64_t limit;

namespace tools_stowage_advise {
extern Advice advice;
extern std::vector<std::string> command;
extern const absl::StatusOr<Installation> installation;
}  // namespace tools_stowage_advise

namespace tools_stowage_calibrate {
extern v1::MemorySystem system;
extern std::vector<agent::BothWays> both_ways;
}  // namespace tools_stowage_calibrate

namespace tools_stowage_commands {
extern Options root, graph;
extern CommandList commands;
extern std::vector<std::string> job_command;
}  // namespace tools_stowage_commands

namespace tools_stowage_commands_scheduling {
extern Options root;
extern CommandList commands;
}  // namespace tools_stowage_commands_scheduling

namespace tools_stowage_options {
struct PlanArguments {
  std::string graph_path;
  GraphFileOptions file;
  std::string system;
  FastLimit limit;
  int64_t seed = 0;
};
extern Options root, app, graph;
extern CommandList commands;
extern std::vector<std::string> job_command;
extern PlanArguments arguments;
extern double seconds;
extern int64_t seed;
int MakePlan(const PlanArguments& arguments);
}  // namespace tools_stowage_options

namespace tools_stowage_compare {
extern std::vector<ComparisonRow> rows;
extern SuiteFigure figure;
namespace suite_metric_h {
extern ComparisonRow row;
}
namespace suite_report_h {
extern Suite suite;
extern SuiteResults results;
}  // namespace suite_report_h
namespace suite_run_h {
extern absl::StatusOr<Suite> suite;
}
}  // namespace tools_stowage_compare

namespace tools_stowage_completion {
extern CommandLine command_line;
extern CommandList commands;
}  // namespace tools_stowage_completion

namespace tools_stowage_import {
extern nlohmann::json document;
extern ImportedGraph imported;
extern Iteration iteration;
extern ExecutionTrace trace;
extern OperatorCall call;
extern std::vector<OperatorCall> calls;
extern std::vector<CallEffects> effects;
extern int64_t bytes;
}  // namespace tools_stowage_import

namespace tools_stowage_inputs {
extern std::string bytes;
}

namespace tools_stowage_output::exit_code_h {
extern absl::StatusOr<policies::Graph> graph;
}

namespace tools_stowage_plot {
extern nlohmann::json data;
extern StepPicture step;
}  // namespace tools_stowage_plot

namespace tools_stowage_process {
extern std::string log;
extern std::vector<std::string> argv;
extern pid_t pid;
std::string Work();
}  // namespace tools_stowage_process

namespace tools_stowage_report {
extern std::vector<Step> steps;
extern std::string directory;
extern std::vector<JobReport> jobs;
extern RunReport report;
extern int exit_status;
}  // namespace tools_stowage_report

namespace tools_stowage_run {
extern std::string directory, node;
extern RunRequest request;
extern std::vector<std::string> command;
extern JobWiring wiring;
void RunCommand(const std::string& agent_socket);
namespace resize_at_service_h {
extern session::Limit limit;
}
namespace private_services_h {
extern TempDirectory directory;
}
}  // namespace tools_stowage_run

namespace tools_stowage_train {
extern TrainingJob job;
extern TrainingResult result;
extern std::string trainer_path;
extern v1::Episode episode;
extern double seconds;
void show(const v1::Episode& episode);
}  // namespace tools_stowage_train

}  // namespace stowage::cli::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TOOLS_H_
