#include "server/scheduling/job_ranking.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "policies/model/memory_system_proto.h"
#include "policies/registry.h"

namespace stowage {
namespace {

struct Kind {
  const LiveNode* first = nullptr;  // by name; the estimate is made on it
  int count = 0;
};

// Returns the kinds of node, the most frequent ones first.
std::vector<Kind> KindsOf(const std::vector<Candidate>& candidates) {
  absl::flat_hash_map<absl::string_view, Kind> by_kind;
  for (const Candidate& candidate : candidates) {
    const std::string& name = candidate.node.memory->kind;
    if (name.empty()) continue;
    Kind& kind = by_kind[name];
    if (kind.first == nullptr) kind.first = &candidate.node;
    ++kind.count;
  }
  std::vector<Kind> kinds;
  for (const auto& [name, kind] : by_kind) kinds.push_back(kind);
  std::sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) {
    return a.count != b.count ? a.count > b.count
                              : a.first->memory->kind < b.first->memory->kind;
  });
  return kinds;
}

}  // namespace

std::vector<Candidate> JobRanking::Candidates(
    const std::vector<std::string>& names) const {
  const absl::flat_hash_set<absl::string_view> wanted(names.begin(),
                                                      names.end());
  const BytesByNode taken_bytes = book_->TakenByNode();
  std::vector<Candidate> candidates;
  for (LiveNode& node : nodes_->Alive(absl::Now())) {
    if (!wanted.empty() && !wanted.contains(node.name)) continue;
    const auto taken = taken_bytes.find(node.name);
    const int64_t free_bytes = node.memory->fast_bytes -
                               (taken == taken_bytes.end() ? 0 : taken->second);
    candidates.push_back({.node = std::move(node),
                          .free_bytes = std::max<int64_t>(0, free_bytes)});
  }
  return candidates;
}

absl::StatusOr<EstimatesByKind> JobRanking::Estimates(
    const std::string& graph_id, const std::vector<Candidate>& candidates,
    const PlanCaller& caller) {
  EstimatesByKind estimates;
  std::vector<Kind> kinds = KindsOf(candidates);
  kinds.resize(std::min(kinds.size(), kMostKinds));
  for (const Kind& kind : kinds) {
    const absl::StatusOr<v1::MemorySystem> proto =
        nodes_->SystemOf(kind.first->name);
    if (!proto.ok()) continue;  // it has gone meanwhile
    absl::StatusOr<policies::MemorySystem> system =
        policies::MemorySystemFromProto(*proto);
    if (!system.ok()) continue;
    absl::StatusOr<SharedEstimate> estimate =
        estimator_->Estimate({.graph_id = graph_id,
                              .system = *std::move(system),
                              .policy = std::string(policies::kDefaultPolicy)},
                             caller);
    if (absl::IsFailedPrecondition(estimate.status())) continue;
    if (!estimate.ok()) return estimate.status();
    estimates[kind.first->memory->kind] = {*std::move(estimate),
                                           kind.first->memory->copies};
  }
  return estimates;
}

absl::StatusOr<NodeRanking> JobRanking::Rank(const RankRequest& request,
                                             const PlanCaller& caller) {
  const std::vector<Candidate> candidates = Candidates(request.nodes);
  const JobDemand demand = {.fast_bytes = request.fast_bytes};
  if (request.graph_id.empty()) {
    return RankNodes(candidates, demand, nullptr, request.count);
  }
  const absl::StatusOr<EstimatesByKind> estimates =
      Estimates(request.graph_id, candidates, caller);
  if (!estimates.ok()) return estimates.status();
  return RankNodes(candidates, demand, &*estimates, request.count);
}

}  // namespace stowage
