#include "server/scheduling/node_ranking.h"

#include <algorithm>
#include <tuple>

namespace stowage {
namespace {

// Returns what the job wants where nobody says how much it is to have.
int64_t WantedBytes(const policies::JobEstimate& estimate) {
  for (auto goal = estimate.goals.rbegin(); goal != estimate.goals.rend();
       ++goal) {
    if (goal->limit_bytes > 0) return goal->limit_bytes;
  }
  return estimate.peak_bytes;
}

bool IsBefore(const RankedNode& a, const RankedNode& b) {
  return std::tie(a.step_time_ns, a.free_bytes, a.name) <
         std::tie(b.step_time_ns, b.free_bytes, b.name);
}

}  // namespace

Fit FitOf(const Candidate& candidate, const JobDemand& demand,
          const EstimatesByKind* estimates, RankedNode* ranked) {
  const NodeMemory& memory = *candidate.node.memory;
  const KindEstimate* of_kind = nullptr;
  if (estimates != nullptr) {
    const auto found = estimates->find(memory.kind);
    if (found == estimates->end()) return Fit::kUnsuitable;
    of_kind = &found->second;
  }
  int64_t least_bytes = demand.fast_bytes;
  int64_t fast_bytes = demand.fast_bytes;
  if (of_kind != nullptr) {
    const policies::JobEstimate& estimate = *of_kind->estimate;
    const bool is_open = demand.fast_bytes == 0;
    if (!is_open && demand.fast_bytes < estimate.least_limit_bytes) {
      return Fit::kUnsuitable;
    }
    if (is_open) {
      least_bytes = estimate.least_limit_bytes;
      fast_bytes = std::min(WantedBytes(estimate), candidate.free_bytes);
    }
  }
  if (memory.fast_bytes < least_bytes) return Fit::kUnsuitable;
  if (candidate.free_bytes < least_bytes) return Fit::kFull;
  *ranked = {.name = candidate.node.name,
             .fast_bytes = fast_bytes,
             .free_bytes = candidate.free_bytes,
             .total_bytes = memory.fast_bytes,
             .active_jobs = candidate.node.active_jobs};
  if (of_kind != nullptr) {
    ranked->step_time_ns = policies::StepTimeOn(
        policies::PointAt(*of_kind->estimate, fast_bytes),
        of_kind->estimate->all_fast_ns, of_kind->copies,
        policies::SharedBy(candidate.node.active_jobs + 1, memory.copies));
  }
  return Fit::kSuitable;
}

NodeRanking RankNodes(const std::vector<Candidate>& candidates,
                      const JobDemand& demand, const EstimatesByKind* estimates,
                      int32_t count) {
  NodeRanking ranking;
  for (const Candidate& candidate : candidates) {
    RankedNode ranked;
    switch (FitOf(candidate, demand, estimates, &ranked)) {
      case Fit::kSuitable:
        ranking.nodes.push_back(std::move(ranked));
        break;
      case Fit::kFull:
        ++ranking.full;
        break;
      case Fit::kUnsuitable:
        ++ranking.unsuitable;
        break;
    }
  }
  ranking.suitable = static_cast<int32_t>(ranking.nodes.size());
  const auto end = ranking.nodes.begin() + std::min(count, ranking.suitable);
  // Where no graph is known, the most free memory comes first.
  if (estimates == nullptr) {
    std::partial_sort(ranking.nodes.begin(), end, ranking.nodes.end(),
                      [](const RankedNode& a, const RankedNode& b) {
                        return std::tie(b.free_bytes, a.name) <
                               std::tie(a.free_bytes, b.name);
                      });
  } else {
    std::partial_sort(ranking.nodes.begin(), end, ranking.nodes.end(),
                      IsBefore);
  }
  ranking.nodes.erase(end, ranking.nodes.end());
  return ranking;
}

}  // namespace stowage
