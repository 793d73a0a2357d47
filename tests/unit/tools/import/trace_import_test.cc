// Imports hand-made execution traces, one trap each.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/import/graph_file.h"

namespace stowage::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Returns a tensor of floats: [tensor, storage, offset, elements, 4, device].
std::string T(int tensor, int storage, int elements,
              const std::string& device = "cuda:0") {
  return absl::StrCat("[", tensor, ",", storage, ",0,", elements, ",4,\"",
                      device, "\"]");
}

struct Call {
  int id = 0;
  int parent = 1;
  std::string name;
  std::string schema;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

std::string Nested(const Call& call) {
  return absl::StrCat(
      R"({"id":)", call.id, R"(,"ctrl_deps":)", call.parent, R"(,"name":")",
      call.name, R"(","inputs":{"values":[)", absl::StrJoin(call.inputs, ","),
      R"(],"shapes":[],"types":[]},"outputs":{"values":[)",
      absl::StrJoin(call.outputs, ","),
      R"(],"shapes":[],"types":[]},"attrs":[{"name":"op_schema","value":")",
      call.schema, R"("}]})");
}

std::string Flat(const Call& call) {
  return absl::StrCat(R"({"id":)", call.id, R"(,"parent":)", call.parent,
                      R"(,"name":")", call.name, R"(","op_schema":")",
                      call.schema, R"(","inputs":[)",
                      absl::StrJoin(call.inputs, ","),
                      R"(],"input_shapes":[],"input_types":[],"outputs":[)",
                      absl::StrJoin(call.outputs, ","),
                      R"(],"output_shapes":[],"output_types":[]})");
}

const Call kRoot = {1, 1, "[pytorch|profiler|execution_trace|process]"};

std::string Trace(std::vector<Call> calls,
                  const std::string& schema = "1.1.0-chakra.0.0.4") {
  calls.insert(calls.begin(), kRoot);
  std::vector<std::string> nodes;
  for (const Call& call : calls) {
    nodes.push_back(schema == "1.0.1" ? Flat(call) : Nested(call));
  }
  return absl::StrCat(R"({"schema":")", schema, R"(","nodes":[)",
                      absl::StrJoin(nodes, ","), "]}");
}

Call Relu(int id, const std::string& in, const std::string& out,
          int parent = 1) {
  return {id,   parent, "aten::relu", "aten::relu(Tensor self) -> Tensor",
          {in}, {out}};
}

absl::StatusOr<LoadedGraph> Import(const std::string& trace,
                                   int iteration = -1) {
  return ParseGraphFile(trace, "trace", {.iteration = iteration});
}

policies::Graph GraphOf(const std::string& trace, int iteration = -1) {
  absl::StatusOr<LoadedGraph> loaded = Import(trace, iteration);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->graph : policies::Graph{};
}

std::string TraceErrorOf(const std::string& trace, int iteration = -1) {
  const absl::Status status = Import(trace, iteration).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

std::vector<int64_t> Sizes(const policies::Graph& graph) {
  std::vector<int64_t> sizes;
  for (const policies::Tensor& tensor : graph.tensors) {
    sizes.push_back(tensor.size_bytes);
  }
  return sizes;
}

TEST(TraceImportTest, ReadsBothLayoutsAlike) {
  const std::vector<Call> calls = {Relu(2, T(5, 6, 8), T(7, 8, 8)),
                                   Relu(3, T(7, 8, 8), T(9, 10, 8))};
  const policies::Graph nested = GraphOf(Trace(calls));
  const policies::Graph flat = GraphOf(Trace(calls, "1.0.1"));
  EXPECT_EQ(nested.kernel_count(), 2);
  EXPECT_EQ(flat.kernel_count(), 2);
  EXPECT_EQ(Sizes(nested), Sizes(flat));
}

TEST(TraceImportTest, StartsANewTensorWhereAStorageIdIsAllocatedAgain) {
  const policies::Graph graph = GraphOf(
      Trace({Relu(2, T(5, 6, 8), T(7, 8, 8)), Relu(3, T(7, 8, 8), T(9, 10, 8)),
             Relu(4, T(9, 10, 8), T(11, 8, 1000))}));
  EXPECT_THAT(Sizes(graph), ::testing::ElementsAre(32, 32, 32, 4000));
  EXPECT_EQ(graph.tensors[1].death_kernel, 1);
  EXPECT_EQ(graph.tensors[3].birth_kernel, 2);
}

TEST(TraceImportTest, StartsANewTensorForEachExplicitAllocation) {
  const Call empty = {3,
                      1,
                      "aten::empty",
                      "aten::empty(SymInt[] size) -> Tensor",
                      {},
                      {T(20, 8, 64)}};
  const Call fill = {4,
                     1,
                     "aten::fill_",
                     "aten::fill_(Tensor(a!) self, Scalar v) -> Tensor(a!)",
                     {T(20, 8, 64)},
                     {T(20, 8, 64)}};
  const policies::Graph graph =
      GraphOf(Trace({Relu(2, T(5, 6, 8), T(7, 8, 8)), empty, fill}));
  EXPECT_EQ(graph.kernel_count(), 2);  // allocating alone is no kernel
  EXPECT_THAT(Sizes(graph), ::testing::ElementsAre(32, 32, 256));
}

TEST(TraceImportTest, DoesNotTakeAnExpandedViewForTheSizeOfItsStorage) {
  const Call expand = {
      2,
      1,
      "aten::expand",
      "aten::expand(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      {T(5, 6, 1)},
      {T(7, 6, 32000)}};
  const policies::Graph graph =
      GraphOf(Trace({expand, Relu(3, T(7, 6, 32000), T(9, 10, 32000))}));
  EXPECT_THAT(Sizes(graph), ::testing::ElementsAre(4, 128000));
}

TEST(TraceImportTest, TakesTheOutermostOperatorForTheKernel) {
  const Call conv = {2,
                     1,
                     "aten::conv2d",
                     "aten::conv2d(Tensor input, Tensor weight) -> Tensor",
                     {T(5, 6, 8), T(7, 8, 2)},
                     {T(9, 10, 8)}};
  const Call inner = {
      3,
      2,
      "aten::convolution",
      "aten::convolution(Tensor input, Tensor weight) -> Tensor",
      {T(5, 6, 8), T(7, 8, 2)},
      {T(9, 10, 8)}};
  const Call scratch = {4,
                        3,
                        "aten::empty",
                        "aten::empty(SymInt[] size) -> Tensor",
                        {},
                        {T(30, 31, 500)}};
  const policies::Graph graph = GraphOf(Trace({conv, inner, scratch}));
  ASSERT_EQ(graph.kernel_count(), 1);
  EXPECT_EQ(graph.kernels[0].name, "aten::conv2d");
  EXPECT_THAT(Sizes(graph), Contains(2000));
}

TEST(TraceImportTest, TakesAllocationsThatCallEachOtherForOne) {
  const Call outer = {2,
                      1,
                      "aten::relu",
                      "aten::relu(Tensor self) -> Tensor",
                      {T(5, 6, 8)},
                      {T(9, 10, 8)}};
  const Call like = {3,
                     2,
                     "aten::empty_like",
                     "aten::empty_like(Tensor self) -> Tensor",
                     {T(5, 6, 8)},
                     {T(9, 10, 8)}};
  const Call empty = {4,
                      3,
                      "aten::empty",
                      "aten::empty(SymInt[] size) -> Tensor",
                      {},
                      {T(9, 10, 8)}};
  EXPECT_THAT(Sizes(GraphOf(Trace({outer, like, empty}))),
              ::testing::ElementsAre(32, 32));
}

TEST(TraceImportTest, TakesInCallsWhoseParentSeemsToHaveEnded) {
  const std::string in = T(5, 6, 8);
  const std::string out = T(9, 10, 8);
  const policies::Graph graph = GraphOf(
      Trace({Relu(2, in, out), Relu(3, in, out, /*parent=*/2),
             Relu(4, in, out, /*parent=*/2), Relu(5, in, out, /*parent=*/3)}));
  EXPECT_EQ(graph.kernel_count(), 1);
  EXPECT_THAT(Sizes(graph), ::testing::ElementsAre(32, 32));
}

TEST(TraceImportTest, LooksThroughAutogradsNodes) {
  const Call engine = {2, 1, "autograd::engine::evaluate_function: Relu"};
  const policies::Graph graph =
      GraphOf(Trace({engine, Relu(3, T(5, 6, 8), T(7, 8, 8), 2)}));
  ASSERT_EQ(graph.kernel_count(), 1);
  EXPECT_EQ(graph.kernels[0].name, "aten::relu");
  EXPECT_EQ(graph.tensors[1].kind, policies::TensorKind::kGradient);
}

TEST(TraceImportTest, ReadsFromTheSchemaWhatIsWritten) {
  const Call add = {2,
                    1,
                    "aten::add_",
                    "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, "
                    "Scalar alpha=1) -> Tensor(a!)",
                    {T(5, 6, 8), T(7, 8, 8), "1"},
                    {T(5, 6, 8)}};
  const policies::Graph graph = GraphOf(Trace({add}));
  const std::vector<policies::Operand>& operands = graph.kernels[0].operands;
  ASSERT_EQ(operands.size(), 2);
  EXPECT_TRUE(operands[0].read && operands[0].write);
  EXPECT_TRUE(operands[1].read && !operands[1].write);
}

TEST(TraceImportTest, ReadsNodesWithoutAParentAsRootsAndSaysSo) {
  const absl::StatusOr<LoadedGraph> loaded =
      Import(Trace({Relu(20, T(5, 6, 8), T(7, 8, 8), 13)}));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->graph.kernel_count(), 1);
  EXPECT_THAT(loaded->notes, Contains(HasSubstr("the first is node 20")));
}

TEST(TraceImportTest, RefusesCallsThatAreCyclic) {
  EXPECT_THAT(TraceErrorOf(Trace({Relu(2, T(5, 6, 8), T(7, 8, 8), 3),
                                  Relu(3, T(5, 6, 8), T(7, 8, 8), 2)})),
              HasSubstr("node 2"));
}

TEST(TraceImportTest, RefusesAnIdThatOccursTwice) {
  EXPECT_THAT(TraceErrorOf(Trace({Relu(2, T(5, 6, 8), T(7, 8, 8)),
                                  Relu(2, T(5, 6, 8), T(7, 8, 8))})),
              HasSubstr("node id 2 occurs twice"));
}

TEST(TraceImportTest, RefusesNegativeSizesWithTheNode) {
  EXPECT_THAT(TraceErrorOf(Trace({Relu(2, T(5, 6, -8), T(7, 8, 8))})),
              HasSubstr("node 2"));
}

TEST(TraceImportTest, RefusesSizesWhoseSumOverflows) {
  constexpr int64_t kMostElements = int64_t{1} << 48;
  std::vector<std::string> tensors;
  for (int t = 10; t < 700; ++t) {
    tensors.push_back(
        absl::StrCat("[", t, ",", t, ",0,", kMostElements, ",64,\"cuda:0\"]"));
  }
  EXPECT_THAT(
      TraceErrorOf(Trace({{2, 1, "aten::cat", "", tensors, {T(9, 9, 4)}}})),
      HasSubstr("size_bytes"));
}

TEST(TraceImportTest, CountsNoFlopsWhereAShapeIsNoSize) {
  std::string trace = Trace({{2,
                              1,
                              "aten::mm",
                              "aten::mm(Tensor self, Tensor mat2) -> Tensor",
                              {T(1, 1, 4), T(2, 2, 4)},
                              {T(3, 3, 4)}}});
  const std::string endless = absl::StrJoin(
      std::vector<int64_t>(20, std::numeric_limits<int64_t>::max()), ",");
  const std::string none = "\"shapes\":[]";
  trace.replace(trace.rfind(none, trace.find("outputs", trace.find("mm"))),
                none.size(),
                absl::StrCat("\"shapes\":[[", endless, "],[0,0]]"));
  EXPECT_EQ(GraphOf(trace).kernels[0].flops, 0);
}

TEST(TraceImportTest, RefusesAnotherSchema) {
  EXPECT_THAT(TraceErrorOf(Trace({}, "2.7")), HasSubstr("schema is '2.7'"));
}

TEST(TraceImportTest, MarksDurationsAsDerived) {
  const policies::Graph graph =
      GraphOf(Trace({Relu(2, T(5, 6, 8), T(7, 8, 8))}));
  EXPECT_EQ(graph.kernels[0].profile.fast_inputs_fast_outputs.source,
            policies::DurationSource::kDerived);
}

TEST(TraceImportTest, LeavesOutTensorsOfOtherDevices) {
  const Call copy = {2,
                     1,
                     "aten::mul",
                     "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
                     {T(5, 6, 8), T(11, 12, 1, "cpu")},
                     {T(7, 8, 8)}};
  const policies::Graph graph =
      GraphOf(Trace({copy, Relu(3, T(20, 21, 1, "cpu"), T(22, 23, 1, "cpu"))}));
  EXPECT_EQ(graph.kernel_count(), 1);
  EXPECT_THAT(Sizes(graph), ::testing::ElementsAre(32, 32));
}

// Returns two steps. Each reads the gradient of the step before, then makes its
// own.
std::string TwoSteps() {
  const auto step = [](int id, int old_gradient, int new_gradient) {
    return std::vector<Call>{
        {id, 1, absl::StrCat("ProfilerStep#", id)},
        Relu(id + 1, T(old_gradient, old_gradient, 8), T(70, 70, 8), id),
        Relu(id + 2, T(70, 70, 8), T(new_gradient, new_gradient, 8), id),
        {id + 3, id, "Optimizer.step#SGD.step"}};
  };
  std::vector<Call> calls = step(10, 40, 41);
  for (const Call& call : step(20, 41, 42)) calls.push_back(call);
  return Trace(calls);
}

TEST(TraceImportTest, SplitsATraceAtTheProfilersSteps) {
  EXPECT_EQ(GraphOf(TwoSteps(), 0).kernel_count(), 2);
  EXPECT_EQ(GraphOf(TwoSteps(), 1).kernel_count(), 2);
  EXPECT_THAT(TraceErrorOf(TwoSteps(), 2), HasSubstr("numbered 0 to 1"));
}

TEST(TraceImportTest, JoinsATensorThatOneStepLeavesToTheNext) {
  const policies::Graph graph = GraphOf(TwoSteps());
  ASSERT_EQ(graph.tensor_count(), 2);
  EXPECT_TRUE(graph.tensors[0].wraps());
  EXPECT_EQ(graph.tensors[0].birth_kernel, 1);
  EXPECT_EQ(graph.tensors[0].death_kernel, 0);
}

TEST(TraceImportTest, SplitsAtARepeatedAnnotationWithoutTheProfilersSteps) {
  const policies::Graph graph =
      GraphOf(Trace({{2, 1, "## forward ##"},
                     Relu(3, T(5, 6, 8), T(7, 8, 8), 2),
                     {4, 1, "## forward ##"},
                     Relu(5, T(5, 6, 8), T(9, 10, 8), 4)}));
  EXPECT_EQ(graph.kernel_count(), 1);
}

TEST(TraceImportTest, SaysWhenAnIterationHasNoKernel) {
  EXPECT_THAT(TraceErrorOf(Trace({})), HasSubstr("no operator that writes"));
}

}  // namespace
}  // namespace stowage::cli
