#include "policies/deeptm/dqn/dqn_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace stowage::policies {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::max();

// Returns an error unless `value` is in the range. Not a number is out of every
// range.
absl::Status CheckRange(std::string_view setting, double value, double low,
                        double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  const std::string range = high == kUnlimited
                                ? absl::StrCat(low, " or more")
                                : absl::StrCat(low, " to ", high);
  return absl::InvalidArgumentError(
      absl::StrCat("DQN setting ", std::string(setting), " is ", value,
                   ", but it has to be ", range));
}

// Returns a share that is 0 in the first episode and 1 in the first greedy one.
double ShareOfSchedule(const DqnSettings& settings, int32_t episode) {
  return std::clamp(static_cast<double>(episode) / settings.greedy_episodes,
                    0.0, 1.0);
}

}  // namespace

absl::Status CheckDqnSettings(const DqnSettings& s) {
  constexpr double kMaxCount = kMaxEpisodes;
  absl::Status status;
  const auto check = [&](std::string_view setting, double value, double low,
                         double high) {
    status.Update(CheckRange(setting, value, low, high));
  };
  check("episodes", s.episodes, 1, kMaxEpisodes);
  check("greedy_episodes", s.greedy_episodes, 1, kMaxEpisodes);
  check("first_greedy_probability", s.first_greedy_probability, 0, 1);
  check("last_greedy_probability", s.last_greedy_probability, 0, 1);
  check("batch_size", s.batch_size, 1, kMaxCount);
  check("replay_size", s.replay_size, s.batch_size, kMaxCount);
  check("learning_rate", s.learning_rate, 1e-12, kUnlimited);
  check("last_learning_rate", s.last_learning_rate, 0, kUnlimited);
  check("discount", s.discount, 0, 1);
  check("cost_priority (beta)", s.cost_priority, 0, 1);
  check("fixed_reward (R_fix)", s.fixed_reward, 0, kUnlimited);
  check("fast_price_usd_per_gb", s.fast_price_usd_per_gb, 0, kUnlimited);
  check("slow_price_usd_per_gb", s.slow_price_usd_per_gb, 0, kUnlimited);
  check("hidden_units", s.hidden_units, 1, kMaxHiddenUnits);
  check("oom_penalty", s.oom_penalty, 0, kUnlimited);
  check("reward_bound", s.reward_bound, 0, kUnlimited);
  check("value_bound", s.value_bound, 0, kUnlimited);
  check("oom_tolerance", s.oom_tolerance, 0, kUnlimited);
  check("updates_per_episode", s.updates_per_episode, 1, kMaxCount);
  check("target_interval", s.target_interval, 1, kMaxCount);
  check("transitions_per_update", s.transitions_per_update, 1, kMaxCount);
  check("evaluation_interval", s.evaluation_interval, 1, kMaxEpisodes);
  return status;
}

UnitPrices FindUnitPrices(const DqnSettings& settings,
                          const MemorySystem& system) {
  const auto price = [](double own, const Tier& tier) {
    return own > 0 ? own : tier.price_usd_per_gb;
  };
  UnitPrices prices{price(settings.fast_price_usd_per_gb, system.tiers[0]),
                    price(settings.slow_price_usd_per_gb, system.tiers[1])};
  const bool known = prices.fast_usd_per_gb > 0 && prices.slow_usd_per_gb > 0;
  return known ? prices : UnitPrices{};
}

double GreedyProbability(const DqnSettings& settings, int32_t episode) {
  return settings.first_greedy_probability +
         ShareOfSchedule(settings, episode) *
             (settings.last_greedy_probability -
              settings.first_greedy_probability);
}

double LearningRate(const DqnSettings& settings, int32_t episode) {
  const double first = settings.learning_rate;
  if (settings.last_learning_rate == 0) return first;
  return first * std::pow(settings.last_learning_rate / first,
                          ShareOfSchedule(settings, episode));
}

}  // namespace stowage::policies
