#include "tests/bench/learned_prices/evolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace stowage::policies {

Evolution::Evolution(std::vector<double> start,
                     const EvolutionSettings& settings)
    : engine_(settings.seed),
      population_(settings.population),
      sigma_(settings.sigma),
      mean_(std::move(start)),
      scale_(mean_.size(), 1),
      sigma_path_(mean_.size()),
      scale_path_(mean_.size()) {
  double sum = 0, squares = 0;
  const int best_count = population_ / 2;
  for (int i = 0; i < best_count; ++i) {
    ranks_.push_back(std::log(best_count + 0.5) - std::log(i + 1.0));
    sum += ranks_.back();
  }
  for (double& rank : ranks_) {
    rank /= sum;
    squares += rank * rank;
  }
  mass_ = 1 / squares;
}

// Draws by Box and Muller; std::normal_distribution differs between libraries.
double Evolution::Normal() {
  const auto uniform = [&] {
    return (static_cast<double>(engine_() >> 11) + 0.5) / (1LL << 53);
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * M_PI * uniform());
}

// Asks mirrored pairs: what is good in one direction is bad in the other.
const std::vector<std::vector<double>>& Evolution::Ask() {
  asked_.clear();
  for (int i = 0; i < population_; ++i) {
    std::vector<double> sample = mean_;
    for (size_t v = 0; v < sample.size(); ++v) {
      sample[v] = i % 2 == 1 ? 2 * mean_[v] - asked_.back()[v]
                             : mean_[v] + sigma_ * scale_[v] * Normal();
    }
    asked_.push_back(std::move(sample));
  }
  return asked_;
}

void Evolution::Tell(const std::vector<double>& losses) {
  ++generation_;
  std::vector<int> order(population_);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return losses[a] < losses[b]; });
  const auto n = static_cast<double>(mean_.size());
  const double sigma_rate = (mass_ + 2) / (n + mass_ + 5);
  const double sigma_damping =
      1 + sigma_rate + 2 * std::max(0.0, std::sqrt((mass_ - 1) / (n + 1)) - 1);
  const double path_rate = (4 + mass_ / n) / (n + 4 + 2 * mass_ / n);
  // Learns faster by (n + 2) / 3 than with all covariances.
  const double one_rate = (n + 2) / 3 * 2 / ((n + 1.3) * (n + 1.3) + mass_);
  const double all_rate =
      std::min(1 - one_rate, (n + 2) / 3 * 2 * (mass_ - 2 + 1 / mass_) /
                                 ((n + 2) * (n + 2) + mass_));
  const double expected = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));

  double length = 0;
  for (size_t v = 0; v < mean_.size(); ++v) {
    double step = 0;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      step += ranks_[r] * (asked_[order[r]][v] - mean_[v]) / sigma_;
    }
    sigma_path_[v] =
        (1 - sigma_rate) * sigma_path_[v] +
        std::sqrt(sigma_rate * (2 - sigma_rate) * mass_) * step / scale_[v];
    length += sigma_path_[v] * sigma_path_[v];
  }
  length = std::sqrt(length);
  const double fresh = 1 - std::pow(1 - sigma_rate, 2.0 * generation_);
  const bool stalled =
      length / std::sqrt(fresh) >= (1.4 + 2 / (n + 1)) * expected;
  for (size_t v = 0; v < mean_.size(); ++v) {
    double step = 0, spread = 0;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const double one = (asked_[order[r]][v] - mean_[v]) / sigma_;
      step += ranks_[r] * one;
      spread += ranks_[r] * one * one;
    }
    scale_path_[v] =
        (1 - path_rate) * scale_path_[v] +
        (stalled ? 0 : std::sqrt(path_rate * (2 - path_rate) * mass_) * step);
    const double variance = (1 - one_rate - all_rate) * scale_[v] * scale_[v] +
                            one_rate * scale_path_[v] * scale_path_[v] +
                            all_rate * spread;
    mean_[v] += sigma_ * step;
    scale_[v] = std::sqrt(variance);
  }
  sigma_ *= std::exp(sigma_rate / sigma_damping * (length / expected - 1));
}

}  // namespace stowage::policies
