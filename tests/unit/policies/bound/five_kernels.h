// Makes a step, a memory system and a plan that the verifier accepts, for tests
// to damage.
//
//   Plan plan = ValidPlan();
//   plan.moves.clear();
//   EXPECT_FALSE(VerifyPlan(FiveKernels(), FileSystem(), plan).ok());
#ifndef STOWAGE_TESTS_UNIT_POLICIES_BOUND_FIVE_KERNELS_H_
#define STOWAGE_TESTS_UNIT_POLICIES_BOUND_FIVE_KERNELS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "policies/model/graph.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

inline constexpr int64_t kPage = kPlacementAlignmentBytes;

// Returns a system whose second tier is a file of 64 pages.
inline MemorySystem FileSystem() {
  MemorySystem system;
  system.name = "test";
  Tier fast{.name = "dram", .addressable = true};
  fast.read = fast.write = {{1, 1'000'000'000}};
  Tier file = fast;
  file.name = "file";
  file.addressable = false;
  file.streamable = true;
  file.capacity_bytes = 64 * kPage;
  system.tiers = {fast, file};
  return system;
}

// Returns five kernels over these tensors:
//   0 weight      persistent, read by 0 and 4
//   1 activation  written by 1, read by 3
//   2 workspace   of kernel 2
//   3 pinned      persistent, never used
//   4 gradient    wraps: written by 4, read by 0 of the next step
//   5 large       born and streamed at kernel 2, dies there
inline Graph FiveKernels() {
  Graph graph;
  graph.name = "five";
  graph.tensors.resize(6);
  graph.tensors[0] = {.size_bytes = 4 * kPage, .persistent = true};
  graph.tensors[1] = {
      .size_bytes = 2 * kPage, .birth_kernel = 1, .death_kernel = 3};
  graph.tensors[2] = {.size_bytes = kPage,
                      .kind = TensorKind::kWorkspace,
                      .birth_kernel = 2,
                      .death_kernel = 2};
  graph.tensors[3] = {.size_bytes = kPage, .persistent = true, .pinned = true};
  graph.tensors[4] = {
      .size_bytes = kPage, .birth_kernel = 4, .death_kernel = 0};
  graph.tensors[5] = {
      .size_bytes = 9 * kPage, .birth_kernel = 2, .death_kernel = 2};
  graph.kernels.resize(5);
  for (Kernel& kernel : graph.kernels) kernel.name = "k";
  graph.kernels[0].operands = {{.tensor = 0, .read = true},
                               {.tensor = 4, .read = true}};
  graph.kernels[1].operands = {{.tensor = 1, .write = true}};
  graph.kernels[2].operands = {{.tensor = 2, .write = true},
                               {.tensor = 5, .write = true}};
  graph.kernels[3].operands = {{.tensor = 1, .read = true}};
  graph.kernels[4].operands = {{.tensor = 0, .read = true},
                               {.tensor = 4, .write = true}};
  return graph;
}

// Returns a plan that evicts the weight from 1 to 2, fetches it from 3 to 4,
// and streams tensor 5. The fast arena has 9 pages, the last for the window.
inline Plan ValidPlan() {
  Plan plan;
  plan.graph_id = GraphId(FiveKernels());
  plan.system = "test";
  plan.fast_limit_bytes = 9 * kPage;
  plan.initial = {{0, {0, 0}}, {3, {0, 7 * kPage}}, {4, {0, 6 * kPage}}};
  plan.allocations = {{1, {0, 4 * kPage}},
                      {2, {0, 0}},
                      {5, {1, 16 * kPage}},
                      {4, {0, 6 * kPage}}};
  plan.moves = {{0, {0, 0}, {1, 0}, 1, 2}, {0, {1, 0}, {0, 0}, 3, 4}};
  plan.streams = {{.kernel = 2,
                   .tensors = {5},
                   .window_offset_bytes = 8 * kPage,
                   .window_bytes = kPage}};
  return plan;
}

struct BrokenPlan {
  std::string what;
  std::string violation;
  std::function<void(Plan&)> damage;
};

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_BOUND_FIVE_KERNELS_H_
