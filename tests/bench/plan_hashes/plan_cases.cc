#include "tests/bench/plan_hashes/plan_cases.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/base/internal/raw_logging.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/registry.h"
#include "policies/scaling/rehosting.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"

namespace stowage::policies {
namespace {

constexpr std::array kGraphs = {"dlrm-trace", "resnet-trace",
                                "resnet152-bs256-a100",
                                "inceptionv3-bs1536-a100"};
constexpr std::array kSystems = {"optane", "file", "gpu-pcie", "g10-a100"};
constexpr std::array kLimitPercents = {20, 40, 70};

// Lets the number of nodes end the search of policies that solve integer
// programs, so that the plan does not depend on the machine's speed.
constexpr absl::Duration kNoTimeLimit = absl::Hours(24);

bool SolvesIntegerPrograms(std::string_view policy) {
  return policy.substr(0, 6) == "autotm";
}

// Returns whether the plan is left out. On all but the smallest graph, the
// solver is far from its last node after many minutes, and a plan made under a
// time limit differs between machines.
bool IsLeftOut(const PlanCase& plan_case) {
  return SolvesIntegerPrograms(plan_case.policy) &&
         plan_case.graph != "dlrm-trace";
}

v1::Plan MakePlanProto(const Policy& policy, const Graph& graph,
                       const MemorySystem& system, const PlanOptions& options,
                       absl::Status& status) {
  const absl::StatusOr<Plan> plan = policy.MakePlan(graph, system, options);
  status = plan.status();
  if (!plan.ok()) return {};
  v1::Plan proto = PlanToProto(*plan);
  proto.clear_policy();
  proto.clear_notes();
  return proto;
}

std::string DeterministicBytes(const v1::Plan& proto) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  ABSL_RAW_CHECK(proto.SerializeToCodedStream(&coded), "a plan is too large");
  coded.Trim();
  return bytes;
}

std::string ShortHash(const std::string& bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         digest.data());
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(digest.data()), 8});
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ABSL_RAW_CHECK(file.good(), path.c_str());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<PlanCase> AllPlanCases() {
  std::vector<std::string> policies = PolicyNames();
  policies.emplace_back(kDeepTmPolicyName);
  std::vector<PlanCase> cases;
  for (const char* graph : kGraphs) {
    for (const char* system : kSystems) {
      for (const int percent : kLimitPercents) {
        for (const std::string& policy : policies) {
          PlanCase one{graph, system, percent, policy};
          if (!IsLeftOut(one)) cases.push_back(std::move(one));
        }
      }
    }
  }
  return cases;
}

std::string Key(const PlanCase& plan_case) {
  return absl::StrCat(plan_case.graph, " ", plan_case.system, " ",
                      plan_case.limit_percent, " ", plan_case.policy);
}

Graph LoadDataGraph(std::string_view name) {
  const std::string path = absl::StrCat(STOWAGE_SOURCE_DIR "/tests/data/",
                                        std::string(name), ".pb.gz");
  const auto proto = ParseGraph(ReadFile(path));
  ABSL_RAW_CHECK(proto.ok(), path.c_str());
  absl::StatusOr<Graph> graph = GraphFromProto(*proto);
  ABSL_RAW_CHECK(graph.ok(), path.c_str());
  return *std::move(graph);
}

std::string PlanHash(const Graph& measured, const PlanCase& plan_case) {
  const MemorySystem system = *PresetMemorySystem(plan_case.system);
  const Graph graph =
      NeedsRehosting(measured, system) ? Rehost(measured, system) : measured;
  const int64_t limit_bytes =
      ComputeLiveness(graph).peak_bytes / 100 * plan_case.limit_percent;
  const PlanOptions options{
      .fast_limit_bytes = limit_bytes,
      .time_limit = SolvesIntegerPrograms(plan_case.policy)
                        ? kNoTimeLimit
                        : absl::ZeroDuration()};
  const std::unique_ptr<Policy> policy =
      plan_case.policy == kDeepTmPolicyName
          ? MakeDeepTmPolicy(UntrainedPolicy(graph, system, limit_bytes))
          : *MakePolicy(plan_case.policy);
  absl::Status status;
  const v1::Plan proto = MakePlanProto(*policy, graph, system, options, status);
  if (!status.ok()) return absl::StatusCodeToString(status.code());
  return ShortHash(DeterministicBytes(proto));
}

std::map<std::string, std::string> KeptHashes() {
  std::ifstream file(STOWAGE_SOURCE_DIR "/tests/bench/plan_hashes/hashes.txt");
  ABSL_RAW_CHECK(file.good(), "hashes.txt cannot be read");
  std::map<std::string, std::string> hashes;
  for (std::string line; std::getline(file, line);) {
    const size_t space = line.rfind(' ');
    if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
    hashes[line.substr(0, space)] = line.substr(space + 1);
  }
  return hashes;
}

}  // namespace stowage::policies
