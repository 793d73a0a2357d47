#include "tools/stowage/options/input_options.h"

#include "tools/stowage/options/option_checks.h"

namespace stowage::cli {

void AddFileOptions(Options& app, GraphFileOptions& file) {
  app.Add("--member", file.member, "File to read in a tar archive");
  app.Add("--iteration", file.iteration,
          "Iteration of a trace, from 0; the last complete one by "
          "default")
      .Check(WholeNumberFrom(0));
}

void AddPlanningInputs(Options& app, std::string& graph_path,
                       GraphFileOptions& file, std::string& system) {
  app.Add("graph", graph_path,
          "Graph, profiled graph or PyTorch execution trace")
      .Required();
  AddFileOptions(app, file);
  app.Add("--system", system, "Memory system: a preset or a file").Required();
}

void AddLimitOptions(Options& app, FastLimit& limit) {
  app.Add("--fast", limit.fast,
          "Limit on fast memory: a size (900MiB) or a share of the graph's "
          "peak (40% or 0.4)");
  app.Add("--fast-bytes", limit.bytes,
          "Limit as bytes or a size such as 12GiB");
  app.Add("--fast-ratio", limit.ratio,
          "Limit as a share of the graph's peak, such as 0.4 or 40%");
}

}  // namespace stowage::cli
