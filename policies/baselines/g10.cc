#include "policies/baselines/g10.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "policies/simulate/lane_schedule.h"
#include "policies/swap/offload.h"
#include "policies/swap/pressure.h"

namespace stowage::policies {
namespace {

// The SSD has the bandwidth for a tensor while its copies leave at least this
// share of the relief that the whole inactive period would give.
constexpr double kNearlyAll = 0.95;

// Describes a period with the times of its copies to and from one tier.
struct Eviction {
  Offload offload;
  int64_t out_start_ns = 0;
  int64_t out_ns = 0;
  int64_t in_start_ns = 0;
  int64_t in_ns = 0;
  KernelIndex left = 0;  // the boundary by which it has left
};

struct Candidate {
  double rank = 0;  // relief for the time of its copies
  size_t period = 0;
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank < other.rank : period > other.period;
  }
};

// Runs smart tensor eviction (G10, section 4.3): again and again it takes the
// inactive period that relieves the fast tier most for the time its copies
// take, until nothing is over.
class EvictionScheduler {
 public:
  EvictionScheduler(const StepFacts& facts, int64_t budget_bytes)
      : facts_(facts),
        pressure_(facts, budget_bytes),
        out_lanes_(facts.system.tiers.size()),
        in_lanes_(facts.system.tiers.size()),
        tier_bytes_(facts.system.tiers.size(),
                    std::vector<int64_t>(facts.kernel_count() + 1, 0)),
        periods_(SwappablePeriods(facts)) {
    for (const InactivePeriod& period : periods_) {
      copies_ns_.push_back(CopyOutNs(facts, period.tensor, 1) +
                           CopyInNs(facts, period.tensor, 1));
    }
  }

  std::vector<Offload> Run() {
    // Relief only shrinks as periods are taken, so a rank that is still the
    // highest after it was computed anew is the best there is.
    std::priority_queue<Candidate> queue;
    for (size_t g = 0; g < periods_.size(); ++g) {
      if (facts_.IsCancelled()) return {};
      queue.push({Rank(g), g});
    }
    while (!queue.empty()) {
      if (facts_.IsCancelled()) return {};
      Candidate best = queue.top();
      queue.pop();
      best.rank = Rank(best.period);
      if (best.rank <= 0) continue;
      if (!queue.empty() && best < queue.top()) {
        queue.push(best);
        continue;
      }
      Take(periods_[best.period]);
    }
    PrefetchEagerly();
    return std::move(offloads_);
  }

 private:
  double Rank(size_t g) const {
    const InactivePeriod& period = periods_[g];
    const int64_t copies_ns = copies_ns_[g];
    if (TimeAt(facts_, period.to) - TimeAt(facts_, period.from) < copies_ns) {
      return 0;
    }
    const double relief =
        pressure_.Relief(period.from, period.to, facts_.bytes[period.tensor]);
    return relief / static_cast<double>(1 + copies_ns);
  }

  // Takes the lowest tier, the SSD, while its lanes are free enough to relieve
  // nearly the whole period; else, among the tiers with room, the one that
  // relieves most.
  void Take(const InactivePeriod& period) {
    const int64_t bytes = facts_.bytes[period.tensor];
    const double enough =
        kNearlyAll * pressure_.Relief(period.from, period.to, bytes);
    Eviction best;
    double best_relief = 0;
    for (TierIndex tier = facts_.system.tier_count() - 1; tier >= 1; --tier) {
      if (best_relief >= enough) break;
      if (!HasRoom(tier, period)) continue;
      const Eviction e = Schedule(period, tier);
      const double relief = pressure_.Relief(e.left, e.offload.fetch, bytes);
      if (relief <= best_relief) continue;
      best = e;
      best_relief = relief;
    }
    if (best_relief <= 0) return;
    const TierIndex tier = best.offload.tier;
    out_lanes_[tier].Reserve(best.out_start_ns, best.out_ns);
    in_lanes_[tier].Reserve(best.in_start_ns, best.in_ns);
    for (const Span& span : pressure_.Parts(period.from, period.to)) {
      for (KernelIndex b = span.begin; b < span.end; ++b) {
        tier_bytes_[tier][b] += bytes;
      }
    }
    pressure_.Relieve(best.left, best.offload.fetch, bytes);
    offloads_.push_back(best.offload);
  }

  bool HasRoom(TierIndex tier, const InactivePeriod& period) const {
    const int64_t capacity_bytes = facts_.system.tiers[tier].capacity_bytes;
    if (capacity_bytes == 0) return true;
    const int64_t most_held = capacity_bytes - facts_.bytes[period.tensor];
    for (const Span& span : pressure_.Parts(period.from, period.to)) {
      for (KernelIndex b = span.begin; b < span.end; ++b) {
        if (tier_bytes_[tier][b] > most_held) return false;
      }
    }
    return true;
  }

  // Schedules the copy out as early as the lane allows, and the copy in as
  // late.
  Eviction Schedule(const InactivePeriod& period, TierIndex tier) const {
    Eviction e{.offload = {.period = period, .tier = tier}};
    e.out_ns = CopyOutNs(facts_, period.tensor, tier) + 1;
    e.in_ns = CopyInNs(facts_, period.tensor, tier) + 1;
    e.out_start_ns =
        out_lanes_[tier].EarliestStart(TimeAt(facts_, period.from), e.out_ns);
    e.in_start_ns =
        in_lanes_[tier].LatestStart(TimeAt(facts_, period.to), e.in_ns);
    const int64_t left_ns = e.out_start_ns + e.out_ns;
    e.offload.leave = period.from;
    e.left =
        std::clamp(BoundaryAt(facts_, left_ns) + 1, period.from, period.to);
    const KernelIndex fetch =
        e.in_start_ns < 0 ? 0 : BoundaryAt(facts_, e.in_start_ns);
    e.offload.fetch = std::clamp(fetch, e.left, period.to);
    return e;
  }

  // Runs smart tensor prefetching (section 4.4): in the order of the latest
  // safe start, each fetch moves to the earliest boundary from which there is
  // room.
  void PrefetchEagerly() {
    std::stable_sort(
        offloads_.begin(), offloads_.end(),
        [](const Offload& a, const Offload& b) { return a.fetch < b.fetch; });
    for (Offload& offload : offloads_) {
      if (facts_.IsCancelled()) return;
      const int64_t bytes = facts_.bytes[offload.period.tensor];
      const KernelIndex fetch =
          pressure_.EarliestWithRoom(offload.leave + 1, offload.fetch, bytes);
      pressure_.Relieve(fetch, offload.fetch, -bytes);
      offload.fetch = fetch;
    }
  }

  const StepFacts& facts_;
  Pressure pressure_;
  std::vector<LaneSchedule> out_lanes_, in_lanes_;  // by slower tier
  std::vector<std::vector<int64_t>> tier_bytes_;    // by tier and boundary
  const std::vector<InactivePeriod> periods_;
  std::vector<int64_t> copies_ns_;  // by period, to tier 1 and back
  std::vector<Offload> offloads_;
};

SwapRun DecideG10(const StepFacts& facts, int64_t budget_bytes) {
  return RunOffloads(facts, EvictionScheduler(facts, budget_bytes).Run(),
                     budget_bytes);
}

}  // namespace

std::string_view G10Policy::name() const { return "g10"; }

std::string_view G10Policy::description() const {
  return "evict in the inactive periods that relieve most, to SSD or host as "
         "bandwidth allows, prefetch eagerly (G10, Zhang et al., MICRO 2023)";
}

absl::StatusOr<Plan> G10Policy::MakePlan(const Graph& graph,
                                         const MemorySystem& system,
                                         const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(), DecideG10);
}

}  // namespace stowage::policies
