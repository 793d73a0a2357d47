#include "server/scheduling/scheduler_extender.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "server/scheduling/node_ranking.h"

namespace stowage {
namespace {

using Json = nlohmann::json;

constexpr char kGraphAnnotation[] = "stowage.dev/graph";
constexpr char kFastAnnotation[] = "stowage.dev/fast-bytes";
constexpr double kMostScore = 10;
constexpr int32_t kAllNodes = NodeRegistry::kMaxNodes;

struct ExtenderArgs {
  RankRequest request;
  bool is_ours = false;  // has one of the annotations
  Json nodes;            // a NodeList; null: the scheduler sent names alone
  absl::Status pod = absl::OkStatus();  // what is wrong with it
};

// Returns the member of that name; null if there is none.
const Json& MemberOf(const Json& object, const char* name) {
  static const Json* const null = new Json();
  if (!object.is_object()) return *null;
  const auto found = object.find(name);
  return found == object.end() ? *null : *found;
}

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

void ReadPod(const Json& pod, ExtenderArgs* args) {
  const Json& annotations = MemberOf(MemberOf(pod, "metadata"), "annotations");
  args->request.graph_id = TextOf(MemberOf(annotations, kGraphAnnotation));
  const std::string fast = TextOf(MemberOf(annotations, kFastAnnotation));
  args->is_ours = !args->request.graph_id.empty() || !fast.empty();
  if (!fast.empty() && (!absl::SimpleAtoi(fast, &args->request.fast_bytes) ||
                        args->request.fast_bytes <= 0)) {
    args->pod = absl::InvalidArgumentError(
        absl::StrCat("annotation ", kFastAnnotation, " is '", fast,
                     "'; write a number of bytes"));
  }
}

std::string NameOf(const Json& node) {
  return TextOf(MemberOf(MemberOf(node, "metadata"), "name"));
}

absl::StatusOr<ExtenderArgs> ParseArgs(const std::string& body) {
  const Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  const Json& names = MemberOf(json, "NodeNames");
  const Json& nodes = MemberOf(json, "Nodes");
  if (!MemberOf(json, "Pod").is_object() ||
      (!names.is_array() && !MemberOf(nodes, "items").is_array())) {
    return absl::InvalidArgumentError(
        "the body is not ExtenderArgs of k8s.io/kube-scheduler/extender/v1: it "
        "needs Pod, and NodeNames or Nodes");
  }
  ExtenderArgs args;
  ReadPod(json["Pod"], &args);
  args.request.count = kAllNodes;
  if (names.is_array()) {
    for (const Json& name : names) args.request.nodes.push_back(TextOf(name));
  } else {
    args.nodes = nodes;
    for (const Json& node : nodes["items"]) {
      args.request.nodes.push_back(NameOf(node));
    }
  }
  return args;
}

// Why a node does not suit, by name.
using Reasons = std::map<std::string, std::string>;

struct Suitability {
  absl::flat_hash_map<std::string, RankedNode> suitable;
  Reasons full;        // another pod's end would help
  Reasons unsuitable;  // nothing would
};

std::string FullText(const Candidate& candidate) {
  return absl::StrCat("stowage: ", candidate.free_bytes, " of ",
                      candidate.node.memory->fast_bytes,
                      " bytes of fast memory are left, too few for the job");
}

absl::StatusOr<Suitability> Judge(const RankRequest& request,
                                  JobRanking* ranking) {
  Suitability judged;
  const std::vector<Candidate> candidates = ranking->Candidates(request.nodes);
  absl::StatusOr<EstimatesByKind> estimates(EstimatesByKind{});
  const bool has_graph = !request.graph_id.empty();
  if (has_graph) {
    estimates = ranking->Estimates(request.graph_id, candidates,
                                   {.name = "scheduler extender"});
    if (!estimates.ok()) return estimates.status();
  }
  for (const std::string& name : request.nodes) {
    judged.unsuitable[name] = "stowage: no agent of this node is alive";
  }
  for (const Candidate& candidate : candidates) {
    const std::string& name = candidate.node.name;
    judged.unsuitable.erase(name);
    RankedNode ranked;
    switch (FitOf(candidate, {.fast_bytes = request.fast_bytes},
                  has_graph ? &*estimates : nullptr, &ranked)) {
      case Fit::kSuitable:
        judged.suitable[name] = std::move(ranked);
        break;
      case Fit::kFull:
        judged.full[name] = FullText(candidate);
        break;
      case Fit::kUnsuitable:
        judged.unsuitable[name] =
            absl::StrCat("stowage: the job does not run with this node's ",
                         candidate.node.memory->fast_bytes,
                         " bytes of fast memory, or its tiers");
        break;
    }
  }
  return judged;
}

// Keeps the nodes for which `suits`, in the form in which they came.
template <typename Suits>
Json Kept(const ExtenderArgs& args, const Suits& suits) {
  Json result = Json::object();
  if (args.nodes.is_null()) {
    result["NodeNames"] = Json::array();
    for (const std::string& name : args.request.nodes) {
      if (suits(name)) result["NodeNames"].push_back(name);
    }
    return result;
  }
  result["Nodes"] = args.nodes;
  Json& items = result["Nodes"]["items"];
  items = Json::array();
  for (const Json& node : args.nodes["items"]) {
    if (suits(NameOf(node))) items.push_back(node);
  }
  return result;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Returns what makes a node good: its speed, or the memory that it has left
// where no graph says how fast the job is.
double ValueOf(const RankedNode& node) {
  return node.step_time_ns > 0 ? 1e9 / static_cast<double>(node.step_time_ns)
                               : static_cast<double>(node.free_bytes);
}

double BestValue(const Suitability& judged) {
  double best = 0;
  for (const auto& [name, node] : judged.suitable) {
    best = std::max(best, ValueOf(node));
  }
  return best;
}

}  // namespace

absl::StatusOr<std::string> SchedulerExtender::Filter(const std::string& body) {
  const absl::StatusOr<ExtenderArgs> args = ParseArgs(body);
  if (!args.ok()) return args.status();
  if (!args->is_ours) {
    return Dump(Kept(*args, [](const std::string&) { return true; }));
  }
  absl::StatusOr<Suitability> judged = Suitability{};
  judged = args->pod.ok() ? Judge(args->request, ranking_) : args->pod;
  if (!judged.ok()) {
    return Dump(
        {{"Error", absl::StrCat("stowage: ", judged.status().message())}});
  }
  Json result = Kept(*args, [&](const std::string& name) {
    return judged->suitable.contains(name);
  });
  result["FailedNodes"] = judged->full;
  result["FailedAndUnresolvableNodes"] = judged->unsuitable;
  return Dump(result);
}

absl::StatusOr<std::string> SchedulerExtender::Prioritize(
    const std::string& body) {
  const absl::StatusOr<ExtenderArgs> args = ParseArgs(body);
  if (!args.ok()) return args.status();
  absl::StatusOr<Suitability> judged = Suitability{};
  if (args->is_ours && args->pod.ok()) judged = Judge(args->request, ranking_);
  if (!judged.ok()) judged = Suitability{};
  const double best = BestValue(*judged);
  Json list = Json::array();
  for (const std::string& name : args->request.nodes) {
    const auto found = judged->suitable.find(name);
    const double share = found == judged->suitable.end() || best == 0
                             ? 0
                             : ValueOf(found->second) / best;
    list.push_back(
        {{"Host", name}, {"Score", std::lround(kMostScore * share)}});
  }
  return Dump(list);
}

}  // namespace stowage
