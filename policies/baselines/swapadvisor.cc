#include "policies/baselines/swapadvisor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "policies/swap/offload.h"
#include "policies/swap/pressure.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

constexpr size_t kPopulation = 12;
constexpr size_t kElite = 2;
constexpr int kGenerations = 20;
// The search ends after so many generations without a better plan.
constexpr int kPatience = 3;
// The most kernels that all runs together may simulate. It bounds the search in
// large graphs.
constexpr int64_t kMaxSimulatedKernels = 500'000;

// Says which of the periods are swapped.
using Genome = std::vector<char>;

struct Individual {
  Genome genome;
  int64_t step_ns = 0;  // fitness: lower is better
};

// Swaps the periods. The victims for the rest are tensors whose next use is
// farthest away, as in SwapAdvisor's swap planning.
SwapRun RunSwaps(const StepFacts& facts,
                 const std::vector<InactivePeriod>& periods,
                 int64_t budget_bytes) {
  std::vector<Offload> offloads;
  offloads.reserve(periods.size());
  for (const InactivePeriod& period : periods) {
    offloads.push_back({.period = period, .leave = period.from});
  }
  FetchJustInTime(facts, offloads);
  return RunOffloads(facts, offloads, budget_bytes,
                     VictimOrder::kFarthestNextUse);
}

class GeneticSearch {
 public:
  GeneticSearch(const StepFacts& facts, int64_t budget_bytes, int64_t seed,
                absl::Time deadline)
      : facts_(facts),
        budget_bytes_(budget_bytes),
        deadline_(deadline),
        random_(static_cast<uint64_t>(seed)) {
    const Pressure pressure(facts, budget_bytes);
    for (const InactivePeriod& period : SwappablePeriods(facts)) {
      if (facts.IsCancelled()) return;
      if (pressure.IsOver(period.from, period.to)) periods_.push_back(period);
    }
  }

  // Returns the periods that the best individual swaps.
  std::vector<InactivePeriod> Run() {
    Populate();
    int patience = kPatience;
    for (int g = 0; g < kGenerations && patience > 0 && MayGoOn(); ++g) {
      const int64_t before_ns = population_.front().step_ns;
      Breed();
      if (population_.front().step_ns == before_ns) --patience;
    }
    return Swapped(population_.front().genome);
  }

  bool timed_out() const { return timed_out_; }

 private:
  // Begins with nothing, the longest periods that relieve, and random shares of
  // all.
  void Populate() {
    Add(Genome(periods_.size(), 0));
    Add(LongestFirst());
    const size_t count = std::min(kPopulation, periods_.size() / 2 + 2);
    for (size_t i = 2; i < count && MayGoOn(); ++i) {
      Genome genome(periods_.size());
      for (char& gene : genome) gene = random_() % count < i ? 1 : 0;
      Add(std::move(genome));
    }
    Rank();
  }

  Genome LongestFirst() const {
    std::vector<size_t> order(periods_.size());
    for (size_t g = 0; g < order.size(); ++g) order[g] = g;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return periods_[a].to - periods_[a].from >
             periods_[b].to - periods_[b].from;
    });
    Pressure pressure(facts_, budget_bytes_);
    Genome genome(periods_.size(), 0);
    for (size_t g : order) {
      if (facts_.IsCancelled()) break;
      const InactivePeriod& period = periods_[g];
      if (!pressure.IsOver(period.from, period.to)) continue;
      pressure.Relieve(period.from, period.to, facts_.bytes[period.tensor]);
      genome[g] = 1;
    }
    return genome;
  }

  void Breed() {
    const std::vector<Individual> parents = population_;
    population_.resize(std::min(kElite, parents.size()));
    while (population_.size() < parents.size()) {
      Genome child = Cross(Select(parents), Select(parents));
      Mutate(child);
      Add(std::move(child));
      if (!MayGoOn()) break;
    }
    Rank();
  }

  // Selects by a tournament of two.
  const Genome& Select(const std::vector<Individual>& parents) {
    // Parents are ranked: the lower index is the better one.
    const size_t a = random_() % parents.size();
    const size_t b = random_() % parents.size();
    return parents[std::min(a, b)].genome;
  }

  // Crosses at one point, in the order in which the periods begin.
  Genome Cross(const Genome& a, const Genome& b) {
    Genome child = a;
    const size_t point = random_() % (child.size() + 1);
    std::copy(b.begin() + point, b.end(), child.begin() + point);
    return child;
  }

  void Mutate(Genome& genome) {
    for (char& gene : genome) {
      if (random_() % genome.size() == 0) gene ^= 1;
    }
  }

  void Add(Genome genome) {
    simulated_kernels_ += facts_.kernel_count();
    const SwapRun run = RunSwaps(facts_, Swapped(genome), budget_bytes_);
    population_.push_back({std::move(genome), run.step_ns});
  }

  void Rank() {
    std::stable_sort(population_.begin(), population_.end(),
                     [](const Individual& a, const Individual& b) {
                       return a.step_ns < b.step_ns;
                     });
  }

  std::vector<InactivePeriod> Swapped(const Genome& genome) const {
    std::vector<InactivePeriod> swapped;
    for (size_t g = 0; g < periods_.size(); ++g) {
      if (genome[g] != 0) swapped.push_back(periods_[g]);
    }
    return swapped;
  }

  bool MayGoOn() {
    timed_out_ = timed_out_ || SteadyNow() >= deadline_;
    return !timed_out_ && !facts_.IsCancelled() &&
           simulated_kernels_ < kMaxSimulatedKernels;
  }

  const StepFacts& facts_;
  const int64_t budget_bytes_;
  const absl::Time deadline_;
  std::mt19937_64 random_;
  std::vector<InactivePeriod> periods_;
  std::vector<Individual> population_;  // the best first
  int64_t simulated_kernels_ = 0;
  bool timed_out_ = false;
};

}  // namespace

std::string_view SwapadvisorPolicy::name() const { return "swapadvisor"; }

std::string_view SwapadvisorPolicy::description() const {
  return "genetic search over which tensors to swap (SwapAdvisor, Huang et "
         "al., ASPLOS 2020)";
}

absl::StatusOr<Plan> SwapadvisorPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  const absl::Time deadline = options.time_limit > absl::ZeroDuration()
                                  ? SteadyNow() + options.time_limit
                                  : absl::InfiniteFuture();
  // The result under the first budget is kept for the smaller ones that are
  // tried when addresses do not fit.
  std::optional<std::vector<InactivePeriod>> found;
  bool timed_out = false;
  const auto decide = [&](const StepFacts& facts, int64_t budget_bytes) {
    if (!found.has_value()) {
      GeneticSearch search(facts, budget_bytes, options.seed, deadline);
      found = search.Run();
      timed_out = search.timed_out();
    }
    SwapRun run = RunSwaps(facts, *found, budget_bytes);
    if (timed_out) {
      run.notes.push_back(absl::StrCat("The time limit of ",
                                       absl::FormatDuration(options.time_limit),
                                       " ended the search."));
    }
    return run;
  };
  return PlanBySwapping(graph, system, options, name(), decide);
}

}  // namespace stowage::policies
