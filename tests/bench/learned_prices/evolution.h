// Runs separable CMA-ES (Ros and Hansen, 2008): it minimises a function of many
// variables that has no gradient, with a standard deviation of its own for each
// variable.
//
//   Evolution evolution(start, {.population = 16, .seed = 1});
//   std::vector<std::vector<double>> asked = evolution.Ask();
//   evolution.Tell(losses);              // parallel to what was asked
//   const std::vector<double>& best = evolution.mean();
#ifndef STOWAGE_TESTS_BENCH_LEARNED_PRICES_EVOLUTION_H_
#define STOWAGE_TESTS_BENCH_LEARNED_PRICES_EVOLUTION_H_

#include <cstdint>
#include <random>
#include <vector>

namespace stowage::policies {

struct EvolutionSettings {
  int population = 16;
  double sigma = 0.3;  // of the first generation, for all variables
  uint64_t seed = 1;
};

// Not thread-safe.
class Evolution {
 public:
  Evolution(std::vector<double> start, const EvolutionSettings& settings);

  // Returns the next generation.
  const std::vector<std::vector<double>>& Ask();
  // Takes its losses; lower is better.
  void Tell(const std::vector<double>& losses);

  const std::vector<double>& mean() const { return mean_; }
  double sigma() const { return sigma_; }

 private:
  double Normal();

  std::mt19937_64 engine_;
  int population_;
  double sigma_;
  std::vector<double> mean_;
  std::vector<double> scale_;  // standard deviations over sigma
  std::vector<double> sigma_path_, scale_path_;
  std::vector<double> ranks_;  // weights of the better half, best first
  double mass_ = 0;            // how many samples the better half is worth
  int generation_ = 0;
  std::vector<std::vector<double>> asked_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_BENCH_LEARNED_PRICES_EVOLUTION_H_
