#include "policies/model/implementations.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/graph_validation.h"
#include "policies/model/kernel_cost.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ProfiledDuration Measured(int64_t ns) {
  return {ns, DurationSource::kMeasured};
}

// Returns a step of two kernels that read tensor 0 and write tensor 1. The
// second runs in 100 ns with 8192 bytes of workspace, which is tensor 2, in 60
// ns with 50,000, or in 150 ns without any.
Graph TwoKernels() {
  Graph graph{.name = "choice"};
  graph.tensors = {{.size_bytes = 4096, .persistent = true},
                   {.size_bytes = 4096, .persistent = true},
                   {.size_bytes = 8192,
                    .kind = TensorKind::kWorkspace,
                    .birth_kernel = 1,
                    .death_kernel = 1}};
  for (int k = 0; k < 2; ++k) {
    Kernel kernel{.name = "kernel"};
    kernel.operands = {{0, true, false}, {1, false, true}};
    kernel.profile = {Measured(100), Measured(300), Measured(200)};
    graph.kernels.push_back(kernel);
  }
  graph.kernels[1].alternatives = {
      {"winograd", {Measured(60), Measured(500)}, 50'000},
      {"implicit", {Measured(150), {}, Measured(160), Measured(170)}, 0}};
  return graph;
}

TEST(ImplementationsTest, AChoiceChangesProfileAndWorkspaceOnly) {
  const Graph graph = TwoKernels();
  ASSERT_EQ(ValidateGraph(graph), absl::OkStatus());
  const ChosenGraph chosen(graph, {{1, 1}});
  Graph expected = graph;
  expected.tensors[2].size_bytes = 50'000;
  expected.kernels[1].profile = graph.kernels[1].alternatives[0].profile;
  expected.kernels[1].alternatives.clear();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      GraphToProto(chosen.get()), GraphToProto(expected)));
}

TEST(ImplementationsTest, AWorkspaceOfNoBytesKeepsAPlaceOfOne) {
  const Graph graph = TwoKernels();
  const ChosenGraph chosen(graph, {{1, 2}});
  EXPECT_EQ(chosen.get().tensors[2].size_bytes, 1);
  EXPECT_EQ(ValidateGraph(chosen.get()), absl::OkStatus());
}

TEST(ImplementationsTest, NoChoiceIsTheGraphItself) {
  const Graph graph = TwoKernels();
  EXPECT_EQ(&ChosenGraph(graph, {}).get(), &graph);
}

TEST(ImplementationsTest, FindsTheFastestAndTheSmallest) {
  Graph graph = TwoKernels();
  EXPECT_THAT(FastestImplementations(graph),
              ElementsAre(ImplementationChoice{1, 1}));
  EXPECT_THAT(SmallestImplementations(graph),
              ElementsAre(ImplementationChoice{1, 2}));
  // Among equally fast ones the smaller is chosen, among equal ones the first.
  graph.kernels[1].alternatives[0].profile = graph.kernels[1].profile;
  EXPECT_THAT(FastestImplementations(graph), IsEmpty());
  graph.kernels[1].alternatives[0].workspace_bytes = 100;
  EXPECT_THAT(FastestImplementations(graph),
              ElementsAre(ImplementationChoice{1, 1}));
  graph.kernels[1].alternatives.resize(1);
  graph.kernels[1].alternatives[0].workspace_bytes = 8192;
  EXPECT_THAT(SmallestImplementations(graph), IsEmpty());
}

TEST(ImplementationsTest, RefusesChoicesThatTheGraphDoesNotOffer) {
  const Graph graph = TwoKernels();
  EXPECT_EQ(CheckImplementations(graph, {{1, 2}}), absl::OkStatus());
  using Choices = std::vector<ImplementationChoice>;
  for (const Choices& bad :
       {Choices{{0, 1}}, Choices{{1, 3}}, Choices{{1, 0}}, Choices{{2, 1}},
        Choices{{-1, 1}}, Choices{{1, 1}, {1, 2}}}) {
    EXPECT_EQ(CheckImplementations(graph, bad).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// No choice makes a kernel faster than the relaxation, wherever operands are.
TEST(ImplementationsTest, TheRelaxationIsNeverSlowerOrLarger) {
  const Graph graph = TwoKernels();
  const MemorySystem system = *PresetMemorySystem("optane");
  const Graph relaxed = RelaxImplementations(graph, system);
  EXPECT_FALSE(HasAlternatives(relaxed));
  EXPECT_EQ(relaxed.tensors[2].size_bytes, 1);
  const auto duration_ns = [&](const Graph& of, int slow) {
    const Kernel& kernel = of.kernels[1];
    return KernelDurationNs(of, kernel, system,
                            [&](TensorIndex t) { return slow >> t & 1; });
  };
  for (int slow = 0; slow < 4; ++slow) {
    for (const auto& choices :
         {std::vector<ImplementationChoice>{}, {{1, 1}}, {{1, 2}}}) {
      EXPECT_LE(duration_ns(relaxed, slow),
                duration_ns(ChosenGraph(graph, choices).get(), slow));
    }
  }
  EXPECT_EQ(duration_ns(relaxed, 0), 60);
}

TEST(ImplementationsTest, SurviveJsonAndBinaryFiles) {
  const v1::Graph proto = GraphToProto(TwoKernels());
  for (const WireFormat format : {WireFormat::kJson, WireFormat::kBinary}) {
    const auto parsed = ParseGraph(Serialize(proto, {.format = format}));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    const auto graph = GraphFromProto(*parsed);
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
        GraphToProto(*graph), proto));
  }
}

TEST(ImplementationsTest, WorkspacesBelongToTheGraphsId) {
  const Graph graph = TwoKernels();
  Graph slower = graph;
  slower.kernels[1].alternatives[0].profile = {Measured(70)};
  EXPECT_EQ(GraphId(slower), GraphId(graph));
  Graph larger = graph;
  larger.kernels[1].alternatives[0].workspace_bytes += 1;
  EXPECT_NE(GraphId(larger), GraphId(graph));
  Graph fewer = graph;
  fewer.kernels[1].alternatives.pop_back();
  EXPECT_NE(GraphId(fewer), GraphId(graph));
}

TEST(ImplementationsTest, AKernelWithAChoiceNeedsOneWorkspaceOfItsOwn) {
  Graph without = TwoKernels();
  without.tensors[2].birth_kernel = without.tensors[2].death_kernel = 0;
  EXPECT_THAT(std::string(ValidateGraph(without).message()),
              HasSubstr("kernels[1] has alternatives, 0 workspaces"));
  Graph two = TwoKernels();
  two.tensors.push_back(two.tensors[2]);
  EXPECT_THAT(std::string(ValidateGraph(two).message()),
              HasSubstr("2 workspaces"));
  Graph listed = TwoKernels();
  listed.kernels[1].operands.push_back({2, true, true});
  EXPECT_THAT(std::string(ValidateGraph(listed).message()),
              HasSubstr("lists one as operand"));
}

TEST(ImplementationsTest, RefusesAlternativesThatCannotBe) {
  Graph unknown = TwoKernels();
  unknown.kernels[1].alternatives[1].profile = {};
  EXPECT_THAT(std::string(ValidateGraph(unknown).message()),
              HasSubstr("alternatives[1].profile.fast_inputs_fast_outputs"));
  Graph negative = TwoKernels();
  negative.kernels[1].alternatives[0].workspace_bytes = -1;
  EXPECT_THAT(std::string(ValidateGraph(negative).message()),
              HasSubstr("alternatives[0].workspace_bytes is -1"));
  Graph many = TwoKernels();
  many.kernels[1].alternatives.resize(16, many.kernels[1].alternatives[0]);
  EXPECT_THAT(std::string(ValidateGraph(many).message()),
              HasSubstr("at most 15"));
  Graph huge = TwoKernels();
  for (int k = 0; k < 1100; ++k) {
    huge.kernels.push_back(huge.kernels[1]);
    huge.kernels.back().alternatives[0].workspace_bytes = int64_t{1} << 50;
    huge.tensors.push_back(huge.tensors[2]);
    huge.tensors.back().birth_kernel = huge.kernel_count() - 1;
    huge.tensors.back().death_kernel = huge.kernel_count() - 1;
  }
  EXPECT_THAT(std::string(ValidateGraph(huge).message()),
              HasSubstr("add up to more than"));
}

}  // namespace
}  // namespace stowage::policies
