#include "policies/model/graph_proto.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "policies/model/graph_validation.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Two kernels: the first reads a weight and writes an activation, the second
// reads both.
v1::Graph SmallGraph() {
  v1::Graph graph;
  graph.set_schema_version(1);
  graph.set_name("small");
  v1::Tensor& weight = *graph.add_tensors();
  weight.set_size_bytes(4096);
  weight.set_kind(v1::TENSOR_KIND_WEIGHT);
  weight.set_persistent(true);
  v1::Tensor& activation = *graph.add_tensors();
  activation.set_size_bytes(100);
  activation.set_kind(v1::TENSOR_KIND_ACTIVATION);
  for (const char* name : {"aten::mm", "aten::relu"}) {
    v1::Kernel& kernel = *graph.add_kernels();
    kernel.set_name(name);
    v1::ProfiledDuration& fast =
        *kernel.mutable_profile()->mutable_fast_inputs_fast_outputs();
    fast.set_duration_ns(1000);
    fast.set_source(v1::DURATION_SOURCE_MEASURED);
    v1::Operand& weight_use = *kernel.add_operands();
    weight_use.set_tensor(0);
    weight_use.set_read(true);
    v1::Operand& activation_use = *kernel.add_operands();
    activation_use.set_tensor(1);
    activation_use.set_write(true);
  }
  return graph;
}

TEST(GraphProtoTest, DerivesAbsentLifetimesFromUses) {
  const absl::StatusOr<Graph> graph = GraphFromProto(SmallGraph());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->tensors[1].birth_kernel, 0);
  EXPECT_EQ(graph->tensors[1].death_kernel, 1);
}

TEST(GraphProtoTest, MergesRepeatedOperandsOfAKernel) {
  v1::Graph proto = SmallGraph();
  v1::Operand& again = *proto.mutable_kernels(0)->add_operands();
  again.set_tensor(1);
  again.set_read(true);
  again.set_access_count(2);
  const absl::StatusOr<Graph> graph = GraphFromProto(proto);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->kernels[0].operands.size(), 2);
  const Operand& merged = graph->kernels[0].operands[1];
  EXPECT_TRUE(merged.read);
  EXPECT_TRUE(merged.write);
  EXPECT_EQ(merged.access_count, 3);
}

TEST(GraphProtoTest, AcceptsATensorThatWrapsAroundTheStep) {
  v1::Graph proto = SmallGraph();
  proto.mutable_tensors(1)->set_birth_kernel(1);
  proto.mutable_tensors(1)->set_death_kernel(0);
  const absl::StatusOr<Graph> graph = GraphFromProto(proto);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->tensors[1].wraps());
  EXPECT_TRUE(graph->tensors[1].alive_at_start());
}

TEST(GraphProtoTest, AddsUpWhatWasMeasuredOfStreaming) {
  v1::Graph proto = SmallGraph();
  for (v1::Kernel& kernel : *proto.mutable_kernels()) {
    kernel.mutable_streamed()->set_bytes(4096);
    kernel.mutable_streamed()->set_duration_ns(700);
    kernel.mutable_streamed()->set_window_bytes(8192);
    kernel.mutable_operands(0)->set_streamed(true);
    kernel.mutable_operands(0)->set_scattered(true);
  }
  const absl::StatusOr<Graph> graph = GraphFromProto(proto);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->kernels[1].streamed.bytes, 4096);
  EXPECT_EQ(graph->kernels[1].streamed.duration_ns, 700);
  EXPECT_EQ(graph->kernels[1].streamed.window_bytes, 8192);
  EXPECT_EQ(graph->streamed.bytes, 2 * 4096);
  EXPECT_EQ(graph->streamed.duration_ns, 2 * 700);
  const v1::Kernel back = GraphToProto(*graph).kernels(1);
  EXPECT_EQ(back.streamed().bytes(), 4096);
  EXPECT_EQ(back.streamed().window_bytes(), 8192);
  EXPECT_TRUE(back.operands(0).streamed());
  EXPECT_TRUE(back.operands(0).scattered());
}

TEST(GraphProtoTest, RandomGraphsSurviveARoundTrip) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = RandomGraph(seed);
    const v1::Graph proto = GraphToProto(graph);
    const absl::StatusOr<Graph> back = GraphFromProto(proto);
    ASSERT_TRUE(back.ok()) << seed << ": " << back.status();
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
        proto, GraphToProto(*back)));
    EXPECT_EQ(GraphId(graph), GraphId(*back));
  }
}

TEST(GraphProtoTest, TheIdIsTheSameForOtherDurations) {
  Graph graph = RandomGraph(7);
  const std::string id = GraphId(graph);
  EXPECT_EQ(id.size(), 64);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns += 5;
    kernel.gap_ns += 3;
  }
  EXPECT_EQ(GraphId(graph), id);
}

TEST(GraphProtoTest, TheIdChangesWithTheStructure) {
  const Graph graph = *GraphFromProto(SmallGraph());
  const std::string id = GraphId(graph);
  Graph larger = graph;
  larger.tensors[0].size_bytes += 1;
  EXPECT_NE(GraphId(larger), id);
  Graph renamed = graph;
  renamed.kernels[1].name = "aten::gelu";
  EXPECT_NE(GraphId(renamed), id);
  Graph read = graph;
  read.kernels[1].operands[1].read = true;
  EXPECT_NE(GraphId(read), id);
  Graph shorter = graph;
  shorter.tensors[1].death_kernel = 0;
  EXPECT_NE(GraphId(shorter), id);
}

struct BadGraph {
  std::string what;
  std::function<void(v1::Graph&)> damage;
  std::string place;
  std::string remedy;
};

std::vector<BadGraph> BadGraphs() {
  return {
      BadGraph{"schema", [](v1::Graph& g) { g.set_schema_version(2); },
               "schema_version is 2", "reads schema 1"},
      BadGraph{"noschema", [](v1::Graph& g) { g.clear_schema_version(); },
               "schema_version is 0", "reads schema 1"},
      BadGraph{"name", [](v1::Graph& g) { g.set_name("a/b"); }, "name is 'a/b'",
               "letters"},
      BadGraph{"longname",
               [](v1::Graph& g) { g.set_name(std::string(129, 'a')); },
               "name is", "1 to 128"},
      BadGraph{"empty", [](v1::Graph& g) { g.clear_kernels(); }, "tensors[1]",
               "set birth_kernel"},
      BadGraph{"nokernels",
               [](v1::Graph& g) {
                 g.clear_kernels();
                 g.clear_tensors();
               },
               "kernels is empty", "at least one"},
      BadGraph{"zerosize",
               [](v1::Graph& g) { g.mutable_tensors(0)->set_size_bytes(0); },
               "tensors[0].size_bytes is 0", "from 1"},
      BadGraph{"negativesize",
               [](v1::Graph& g) { g.mutable_tensors(1)->set_size_bytes(-5); },
               "tensors[1].size_bytes is -5", "from 1"},
      BadGraph{
          "hugesize",
          [](v1::Graph& g) { g.mutable_tensors(1)->set_size_bytes(INT64_MAX); },
          "tensors[1].size_bytes", "from 1 to"},
      BadGraph{"hugetotal",
               [](v1::Graph& g) {
                 for (int i = 0; i < 1100; ++i) {
                   v1::Tensor& tensor = *g.add_tensors();
                   tensor.set_size_bytes(int64_t{1} << 50);
                   tensor.set_persistent(true);
                 }
               },
               "add up to more than", "check their units"},
      BadGraph{"negativeunmanaged",
               [](v1::Graph& g) { g.set_unmanaged_peak_bytes(-1); },
               "unmanaged_peak_bytes is -1", "from 0"},
      BadGraph{"tensorindex",
               [](v1::Graph& g) {
                 g.mutable_kernels(1)->mutable_operands(1)->set_tensor(99);
               },
               "kernels[1].operands[1].tensor is 99", "use 0 to 1"},
      BadGraph{"negativetensorindex",
               [](v1::Graph& g) {
                 g.mutable_kernels(1)->mutable_operands(0)->set_tensor(-1);
               },
               "kernels[1].operands[0].tensor is -1", "use 0 to 1"},
      BadGraph{"neitherreadnorwritten",
               [](v1::Graph& g) {
                 g.mutable_kernels(0)->mutable_operands(0)->clear_read();
               },
               "kernels[0].operands[0]", "set one of them"},
      BadGraph{"negativeaccess",
               [](v1::Graph& g) {
                 g.mutable_kernels(0)->mutable_operands(0)->set_access_count(
                     -2);
               },
               "access_count is -2", "0 means 1"},
      BadGraph{"usebeforebirth",
               [](v1::Graph& g) { g.mutable_tensors(1)->set_birth_kernel(1); },
               "kernels[0].operands[1] uses tensor 1 outside its lifetime",
               "extend the lifetime"},
      BadGraph{"useafterdeath",
               [](v1::Graph& g) { g.mutable_tensors(1)->set_death_kernel(0); },
               "kernels[1].operands[1] uses tensor 1 outside its lifetime",
               "extend the lifetime"},
      BadGraph{"birthoutofrange",
               [](v1::Graph& g) { g.mutable_tensors(1)->set_birth_kernel(7); },
               "tensors[1].birth_kernel is 7", "from 0 to 1"},
      BadGraph{"negativedeath",
               [](v1::Graph& g) { g.mutable_tensors(1)->set_death_kernel(-3); },
               "tensors[1].death_kernel is -3", "from 0 to 1"},
      BadGraph{"persistentwithbirth",
               [](v1::Graph& g) { g.mutable_tensors(0)->set_birth_kernel(0); },
               "tensors[0] is persistent", "remove one or the other"},
      BadGraph{"persistentworkspace",
               [](v1::Graph& g) {
                 g.mutable_tensors(0)->set_kind(v1::TENSOR_KIND_WORKSPACE);
               },
               "tensors[0].persistent", "choose another kind"},
      BadGraph{"longworkspace",
               [](v1::Graph& g) {
                 g.mutable_tensors(1)->set_kind(v1::TENSOR_KIND_WORKSPACE);
               },
               "tensors[1].death_kernel", "lives for one kernel"},
      BadGraph{"unusedtensor",
               [](v1::Graph& g) { g.add_tensors()->set_size_bytes(8); },
               "tensors[2] is used by no kernel", "set birth_kernel"},
      BadGraph{"unknownkind",
               [](v1::Graph& g) {
                 g.mutable_tensors(0)->set_kind(
                     static_cast<v1::TensorKind>(42));
               },
               "tensors[0].kind is 42", "TENSOR_KIND"},
      BadGraph{"kernelname",
               [](v1::Graph& g) { g.mutable_kernels(1)->clear_name(); },
               "kernels[1].name is empty", "operator's name"},
      BadGraph{"negativelayer",
               [](v1::Graph& g) { g.mutable_kernels(1)->set_layer(-1); },
               "kernels[1].layer is -1", "from 0"},
      BadGraph{"negativeflops",
               [](v1::Graph& g) { g.mutable_kernels(0)->set_flops(-1); },
               "kernels[0].flops is -1", "from 0"},
      BadGraph{"negativegap",
               [](v1::Graph& g) { g.mutable_kernels(0)->set_gap_ns(-1); },
               "kernels[0].gap_ns is -1", "from 0"},
      BadGraph{"negativestreaming",
               [](v1::Graph& g) {
                 g.mutable_kernels(0)->mutable_streamed()->set_bytes(-1);
               },
               "kernels[0].streamed.bytes is -1", "from 0"},
      BadGraph{"negativestreamingtime",
               [](v1::Graph& g) {
                 g.mutable_kernels(0)->mutable_streamed()->set_duration_ns(-1);
               },
               "kernels[0].streamed.duration_ns is -1", "from 0"},
      BadGraph{"negativewindow",
               [](v1::Graph& g) {
                 g.mutable_kernels(0)->mutable_streamed()->set_window_bytes(-1);
               },
               "kernels[0].streamed.window_bytes is -1", "from 0"},
      BadGraph{"noprofile",
               [](v1::Graph& g) { g.mutable_kernels(0)->clear_profile(); },
               "kernels[0].profile.fast_inputs_fast_outputs is missing",
               "give its duration_ns"},
      BadGraph{"negativeduration",
               [](v1::Graph& g) {
                 v1::KernelProfile& p =
                     *g.mutable_kernels(0)->mutable_profile();
                 p.mutable_fast_inputs_fast_outputs()->set_duration_ns(-9);
               },
               "fast_inputs_fast_outputs.duration_ns is -9", "from 0"},
      BadGraph{"unknownsource",
               [](v1::Graph& g) {
                 v1::KernelProfile& p =
                     *g.mutable_kernels(0)->mutable_profile();
                 p.mutable_slow_inputs_fast_outputs()->set_source(
                     static_cast<v1::DurationSource>(77));
               },
               "slow_inputs_fast_outputs.source is 77", "DURATION_SOURCE"}};
}

class BadGraphTest : public testing::TestWithParam<BadGraph> {};

TEST_P(BadGraphTest, IsRefusedWithThePlaceAndTheRemedy) {
  v1::Graph proto = SmallGraph();
  GetParam().damage(proto);
  const absl::Status status = GraphFromProto(proto).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(GetParam().place), HasSubstr(GetParam().remedy)));
}

INSTANTIATE_TEST_SUITE_P(All, BadGraphTest, testing::ValuesIn(BadGraphs()),
                         [](const auto& info) { return info.param.what; });

TEST(GraphProtoTest, RefusesMoreKernelsThanItReads) {
  v1::Graph proto = SmallGraph();
  for (int i = 0; i < 1'000'001; ++i) proto.add_kernels();
  EXPECT_EQ(GraphFromProto(proto).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(GraphValidationTest, RefusesAnOperandThatIsListedTwice) {
  Graph graph = *GraphFromProto(SmallGraph());
  graph.kernels[1].operands.push_back(graph.kernels[1].operands[0]);
  const absl::Status status = ValidateGraph(graph);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("kernels[1].operands lists tensor 0 twice"));
}

}  // namespace
}  // namespace stowage::policies
