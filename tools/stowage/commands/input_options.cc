#include "tools/stowage/commands/input_options.h"

#include "tools/stowage/commands/option_checks.h"

namespace stowage::cli {

void AddFileOptions(CLI::App& app, GraphFileOptions& file) {
  app.add_option("--member", file.member, "File to read in a tar archive");
  app.add_option("--iteration", file.iteration,
                 "Iteration of a trace, from 0; the last complete one by "
                 "default")
      ->check(WholeNumberFrom(0));
}

void AddPlanningInputs(CLI::App& app, std::string& graph_path,
                       GraphFileOptions& file, std::string& system) {
  app.add_option("graph", graph_path,
                 "Graph, profiled graph or PyTorch execution trace")
      ->required();
  AddFileOptions(app, file);
  app.add_option("--system", system, "Memory system: a preset or a file")
      ->required();
}

void AddLimitOptions(CLI::App& app, FastLimit& limit) {
  app.add_option("--fast-bytes", limit.bytes,
                 "Limit on fast memory: bytes or a size such as 12GiB");
  app.add_option("--fast-ratio", limit.ratio,
                 "Limit as a share of the graph's peak, such as 0.4");
}

}  // namespace stowage::cli
