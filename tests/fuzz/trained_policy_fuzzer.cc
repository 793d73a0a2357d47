// Reads files of DQN policies and of price networks.
#include <cstddef>
#include <cstdint>

#include "google/protobuf/stubs/logging.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/model/presets.h"
#include "policies/search/prices/price_network_proto.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

void ReadDqnPolicy(std::string_view bytes) {
  static const policies::Graph graph = policies::TrainingStepGraph(1, 5);
  static const policies::MemorySystem system =
      *policies::PresetMemorySystem("optane");
  const auto policy = policies::DecodeDqnPolicy(bytes);
  RequireRefusal(policy.status());
  if (!policy.ok()) return;
  Require(policies::CheckDqnPolicy(*policy).ok(), "what is read is sound");
  RequireRefusal(policies::CheckTrainedFor(*policy, graph, system));
  Require(policies::DecodeDqnPolicy(policies::EncodeDqnPolicy(*policy)).ok(),
          "what is written can be read");
}

void ReadNetwork(std::string_view json) {
  const auto network = policies::ParsePriceNetwork(json);
  RequireRefusal(network.status());
  if (!network.ok()) return;
  Require(policies::ParsePriceNetwork(
              policies::PrintPriceNetwork(*network, "fuzzed"))
              .ok(),
          "what is printed can be read");
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  const std::string_view bytes = FuzzInput(data, size).Rest();
  if (!bytes.empty() && bytes.front() == '{') {
    ReadNetwork(bytes);
  } else {
    ReadDqnPolicy(bytes);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
