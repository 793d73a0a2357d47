// Trains the network of learned-prices: it looks for weights with which the
// steps of all graphs of a corpus are fast, addresses left aside. Prints a line
// for each generation.
//
//   train_learned_prices --graphs vgg19-b8.pb.gz,training:30
//     --systems optane,file --ratios 0.2,0.4 --out network.json
//
// The same flags give the same network. It is written after each generation, so
// that a training may be ended sooner.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "policies/search/prices/price_network_proto.h"
#include "tests/bench/learned_prices/corpus.h"
#include "tests/bench/learned_prices/evolution.h"
#include "tests/bench/learned_prices/problem.h"

ABSL_FLAG(std::vector<std::string>, graphs, {}, "files, or training:N");
ABSL_FLAG(std::vector<std::string>, systems, {"optane"}, "presets");
ABSL_FLAG(std::vector<std::string>, ratios, {"0.2"},
          "fast memory as shares of the graphs' peaks");
ABSL_FLAG(std::string, start, "", "a network to go on from");
ABSL_FLAG(int, hidden_units, 0, "of the network, without --start");
ABSL_FLAG(double, slow_use, 3,
          "logarithm of the price of use in slow memory, without --start");
ABSL_FLAG(int, population, 16, "networks tried in a generation; even");
ABSL_FLAG(int, generations, 60, "generations");
ABSL_FLAG(int, batch, 0, "cases of a generation, taken in turn; 0: all");
ABSL_FLAG(double, sigma, 0.3, "standard deviation of the first generation");
ABSL_FLAG(double, decay, 2e-5,
          "loss of a sum of squares of 1 by which weights leave the start");
ABSL_FLAG(int64_t, seed, 1, "of all random choices");
ABSL_FLAG(std::string, out, "network.json", "where to write the network");

namespace stowage::policies {
namespace {

using Problems = std::vector<std::unique_ptr<Problem>>;

// The least share of the all-fast step that is waited for; other cases teach
// nothing.
constexpr double kLeastWaiting = 0.01;

PriceNetwork MakeNetwork(int hidden_units, const std::vector<double>& values) {
  return {.hidden_units = hidden_units,
          .weights = {values.begin(), values.end()}};
}

class Trainer {
 public:
  // Keeps the problems from which there is something to learn, judged by the
  // plans at the prices of `start`.
  Trainer(Problems problems, int hidden_units, std::vector<double> start)
      : hidden_units_(hidden_units), start_(std::move(start)) {
    const PriceNetwork network = MakeNetwork(hidden_units_, start_);
    for (std::unique_ptr<Problem>& problem : problems) {
      const double step = problem->Evaluate(network);
      if (step < 1 + kLeastWaiting) continue;
      std::printf("%s %8.4f x fast to begin with\n", problem->label().c_str(),
                  step);
      reference_.push_back(step);
      problems_.push_back(std::move(problem));
    }
    std::fflush(stdout);
  }

  int problem_count() const { return static_cast<int>(problems_.size()); }

  // Calls `done` with the number of each generation and what has been learnt so
  // far.
  void Train(
      absl::FunctionRef<void(int, const std::vector<double>&)> done) const {
    Evolution evolution(
        start_, {.population = absl::GetFlag(FLAGS_population),
                 .sigma = absl::GetFlag(FLAGS_sigma),
                 .seed = static_cast<uint64_t>(absl::GetFlag(FLAGS_seed))});
    const absl::Time begin = absl::Now();
    const int generations = absl::GetFlag(FLAGS_generations);
    for (int g = 1; g <= generations; ++g) {
      const std::vector<int> batch = Batch(g);
      std::vector<double> losses;
      for (const std::vector<double>& weights : evolution.Ask()) {
        losses.push_back(Loss(weights, batch));
      }
      evolution.Tell(losses);
      const auto [least, most] =
          std::minmax_element(losses.begin(), losses.end());
      const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
      std::printf(
          "generation %d of %d: losses %.5f to %.5f, sigma %.3f, %.0f "
          "s left\n",
          g, generations, *least, *most, evolution.sigma(),
          seconds / g * (generations - g));
      std::fflush(stdout);
      done(g, evolution.mean());
    }
  }

  // Returns the mean over `cases` of the logarithm of the step time over the
  // one at the start.
  double Gain(const std::vector<double>& weights,
              const std::vector<int>& cases) const {
    const PriceNetwork network = MakeNetwork(hidden_units_, weights);
    double sum = 0;
    for (const int c : cases) {
      sum += std::log(problems_[c]->Evaluate(network) / reference_[c]);
    }
    return sum / static_cast<double>(cases.size());
  }

 private:
  // Returns the cases of a generation. Problems were shuffled, and each
  // generation takes the next ones.
  std::vector<int> Batch(int generation) const {
    int size = absl::GetFlag(FLAGS_batch);
    if (size <= 0 || size > problem_count()) size = problem_count();
    std::vector<int> cases;
    for (int i = 0; i < size; ++i) {
      cases.push_back((generation * size + i) % problem_count());
    }
    return cases;
  }

  double Loss(const std::vector<double>& weights,
              const std::vector<int>& cases) const {
    double squares = 0;
    for (size_t w = 0; w < weights.size(); ++w) {
      squares += (weights[w] - start_[w]) * (weights[w] - start_[w]);
    }
    return Gain(weights, cases) + absl::GetFlag(FLAGS_decay) * squares;
  }

  Problems problems_;
  const int hidden_units_;
  const std::vector<double> start_;
  std::vector<double> reference_;  // by problem
};

// Returns weights of hidden units that differ and have no effect yet, and the
// price of slow use.
std::vector<double> FirstWeights(int hidden_units, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> weights(PriceNetwork::WeightCount(hidden_units));
  const size_t hidden = hidden_units * (1 + kPriceFeatureCount);
  for (size_t w = weights.size() - hidden; w < weights.size(); ++w) {
    weights[w] = static_cast<double>(engine() >> 11) / (1LL << 52) - 1;
  }
  weights[2 * (1 + kPriceFeatureCount + hidden_units)] =
      absl::GetFlag(FLAGS_slow_use);
  return weights;
}

Problems MakeProblems() {
  std::vector<double> ratios;
  for (const std::string& text : absl::GetFlag(FLAGS_ratios)) {
    double ratio = 0;
    if (absl::SimpleAtod(text, &ratio)) ratios.push_back(ratio);
  }
  Problems problems;
  for (Case& one : MakeCases(absl::GetFlag(FLAGS_graphs),
                             absl::GetFlag(FLAGS_systems), ratios)) {
    problems.push_back(std::make_unique<Problem>(std::move(one)));
  }
  std::mt19937_64 engine(absl::GetFlag(FLAGS_seed));
  for (size_t i = problems.size(); i > 1; --i) {
    std::swap(problems[i - 1], problems[engine() % i]);
  }
  return problems;
}

std::string DescribeTraining(int problem_count, int generations) {
  return absl::StrFormat(
      "%d cases of graphs %s; systems %s; ratios %s; seed %d, %d generations "
      "of %d",
      problem_count, absl::StrJoin(absl::GetFlag(FLAGS_graphs), " "),
      absl::StrJoin(absl::GetFlag(FLAGS_systems), " "),
      absl::StrJoin(absl::GetFlag(FLAGS_ratios), " "),
      absl::GetFlag(FLAGS_seed), generations, absl::GetFlag(FLAGS_population));
}

int Run() {
  int hidden_units = absl::GetFlag(FLAGS_hidden_units);
  std::vector<double> start =
      FirstWeights(hidden_units, absl::GetFlag(FLAGS_seed));
  if (const std::string path = absl::GetFlag(FLAGS_start); !path.empty()) {
    std::ifstream file(path, std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    const absl::StatusOr<PriceNetwork> network = ParsePriceNetwork(json);
    if (!network.ok()) {
      std::cerr << path << ": " << network.status().message() << "\n";
      return 1;
    }
    hidden_units = network->hidden_units;
    start.assign(network->weights.begin(), network->weights.end());
  }
  const Trainer trainer(MakeProblems(), hidden_units, std::move(start));
  if (trainer.problem_count() == 0) {
    std::cerr << "there is nothing to learn from these graphs: hardly anything "
                 "is waited for\n";
    return 1;
  }
  trainer.Train([&](int generation, const std::vector<double>& weights) {
    std::ofstream(absl::GetFlag(FLAGS_out)) << PrintPriceNetwork(
        MakeNetwork(hidden_units, weights),
        DescribeTraining(trainer.problem_count(), generation));
  });
  return 0;
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::policies::Run();
}
