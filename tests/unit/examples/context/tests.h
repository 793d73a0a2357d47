// Declares the names that the examples of the tests' headers use.
//
//   namespace stowage::policies::examples { extern Graph graph; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TESTS_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TESTS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/search/prices/learned_prices.h"
#include "policies/verify/verifier.h"
#include "server/graphs/graph_store.h"
#include "server/rpc/request_bounds.h"
#include "server/training/training_manager.h"
#include "server/training/training_store.h"

namespace stowage::examples {

using ::testing::HasSubstr;
using ::testing::StartsWith;

extern TemporaryDirectory directory;

namespace tests_bench_serving {
extern std::string address, request;
namespace chain_plan_h {
extern std::unique_ptr<Client> client;
}
namespace h2load_h {
extern Load load;
}
namespace open_loop_h {
extern Load load;
}
void Call(const std::string& address, const std::string& method,
          const std::string& request);
}  // namespace tests_bench_serving
namespace tests_e2e_server {
extern StowagedProcess server;
}
namespace tests_fuzz {
extern std::string valid_bytes, text, address;
extern const uint8_t* data;
extern size_t size;
extern absl::Status refused;
extern ScriptNames names;
void Feed(const std::string& bytes);
}  // namespace tests_fuzz
namespace tests_unit_network {
extern std::string page;
}
namespace tests_unit_server_rpc {
extern const google::protobuf::Descriptor* type;
}
namespace tests_unit_server_training {
extern GraphStore graphs;
extern TrainingStore trainings;
extern PolicyVersions versions;
extern std::string graph_id;
}  // namespace tests_unit_server_training

}  // namespace stowage::examples

namespace stowage::policies::examples {

extern Graph graph;
extern MemorySystem system;
extern PriceNetwork network;
extern int64_t arena_bytes, seed;

namespace tests_bench_learned_prices {
extern std::vector<double> start, losses;
extern Case one_case;
}  // namespace tests_bench_learned_prices
namespace tests_unit_policies {
inline constexpr int64_t kMiB = 1 << 20;
}
namespace tests_unit_policies_layout {
extern std::vector<LayoutItem> items;
extern size_t i, j;
extern bool apart;
}  // namespace tests_unit_policies_layout

}  // namespace stowage::policies::examples

namespace stowage::agent::examples {

extern TempDirectory directory;
extern session::Segment* segment;
extern std::string socket_path;
absl::StatusOr<v1::Plan> MyPlan(const PlanQuery& query);
namespace tests_fuzz {
extern std::string bytes;
extern std::vector<int> descriptors;
}  // namespace tests_fuzz

}  // namespace stowage::agent::examples

namespace stowage::preload::examples {

extern int fd;
extern std::string written;

}  // namespace stowage::preload::examples

namespace stowage::runtime::examples {

extern Job job;
extern RunningKernel kernel;
extern FakeStorage storage;
extern PlanTensors tensors;
extern PlanMoves moves;
namespace tests_unit_client_sdk_runtime::wait_for_fault_h {
extern StreamWindow window;
extern Block block;
extern const char* address;
}  // namespace tests_unit_client_sdk_runtime::wait_for_fault_h
extern int64_t bytes;

}  // namespace stowage::runtime::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TESTS_H_
