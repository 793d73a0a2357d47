// Sets the plans of learned-prices beside those of annealed-search, and beside
// its own with a network that knows only the prices with which training began.
// Prints one line per case.
//
//   judge_learned_prices --graphs alexnet-b8.pb.gz --systems optane,file
//     --ratios 0.2,0.4
//
// Step times are over that of a step with all operands fast; seconds are CPU
// time.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "policies/learned_prices/learned_prices_policy.h"
#include "policies/registry.h"
#include "policies/search/prices/price_network_proto.h"
#include "policies/verify/verifier.h"
#include "tests/bench/learned_prices/corpus.h"

ABSL_FLAG(std::vector<std::string>, graphs, {}, "files, or training:N");
ABSL_FLAG(std::vector<std::string>, systems, {"optane"}, "presets");
ABSL_FLAG(std::vector<std::string>, ratios, {"0.2"},
          "fast memory as shares of the graphs' peaks");
ABSL_FLAG(std::string, network, "", "instead of the one that is shipped");
ABSL_FLAG(double, slow_use, 3,
          "logarithm of the price of use in slow memory that is not learnt");
ABSL_FLAG(bool, annealed_search, true, "plan with annealed-search as well");

namespace stowage::policies {
namespace {

struct Result {
  double step = 0;  // over the all-fast step
  double seconds = 0;
};

Result Plan(const Policy& policy, const Case& one) {
  const std::clock_t begin = std::clock();
  const auto plan = policy.MakePlan(one.graph, one.system,
                                    {.fast_limit_bytes = one.limit_bytes});
  const double seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  absl::Status status = plan.status();
  if (status.ok()) status = VerifyPlan(one.graph, one.system, *plan);
  if (!status.ok()) {
    std::cout << one.label << ": " << policy.name() << ": " << status << "\n";
    return {};
  }
  return {static_cast<double>(plan->prediction.step_time_ns) / one.fast_ns,
          seconds};
}

// Sums `count` cases, by policy.
struct Sums {
  double logarithm = 0;  // of the step
  double seconds = 0;
};

void Add(const Result& result, Sums& sums) {
  sums.logarithm += std::log(result.step);
  sums.seconds += result.seconds;
}

PriceNetwork Network() {
  const std::string path = absl::GetFlag(FLAGS_network);
  if (path.empty()) return ShippedPriceNetwork();
  std::ifstream file(path, std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  return *ParsePriceNetwork(json);
}

void Run() {
  std::vector<double> ratios;
  for (const std::string& text : absl::GetFlag(FLAGS_ratios)) {
    double ratio = 0;
    if (absl::SimpleAtod(text, &ratio)) ratios.push_back(ratio);
  }
  const PriceNetwork network = Network();
  PriceNetwork first{.weights =
                         std::vector<float>(PriceNetwork::WeightCount(0))};
  first.weights[2 * (1 + kPriceFeatureCount)] = absl::GetFlag(FLAGS_slow_use);
  const LearnedPricesPolicy learned(network, MakeRivals());
  const LearnedPricesPolicy unlearned(first, MakeRivals());
  const bool with_annealed = absl::GetFlag(FLAGS_annealed_search);
  Sums sums[3];
  int count = 0;
  double least = 1e9;
  for (const Case& one : MakeCases(absl::GetFlag(FLAGS_graphs),
                                   absl::GetFlag(FLAGS_systems), ratios)) {
    const Result plus = Plan(learned, one);
    const Result without = Plan(unlearned, one);
    Result annealed{plus.step, 0};
    if (with_annealed) annealed = Plan(**MakePolicy("annealed-search"), one);
    std::printf(
        "%-36s learned-prices %8.4f (%6.3f s)  unlearned %8.4f (%6.3f s)  "
        "annealed-search "
        "%8.4f (%6.3f s)  %6.2f %% of annealed-search\n",
        one.label.c_str(), plus.step, plus.seconds, without.step,
        without.seconds, annealed.step, annealed.seconds,
        100 * annealed.step / plus.step);
    std::fflush(stdout);
    Add(plus, sums[0]);
    Add(without, sums[1]);
    Add(annealed, sums[2]);
    least = std::min(least, annealed.step / plus.step);
    ++count;
  }
  if (count == 0) return;
  std::printf(
      "%d cases: learned-prices %.2f %% of annealed-search in the geometric "
      "mean, %.2f %% at "
      "worst, unlearned %.2f %%; seconds %.2f, unlearned %.2f, annealed-search "
      "%.2f\n",
      count, 100 * std::exp((sums[2].logarithm - sums[0].logarithm) / count),
      100 * least,
      100 * std::exp((sums[2].logarithm - sums[1].logarithm) / count),
      sums[0].seconds, sums[1].seconds, sums[2].seconds);
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  stowage::policies::Run();
}
