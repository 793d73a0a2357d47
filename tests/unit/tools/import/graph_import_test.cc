#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kProfiled[] = R"({
  "name": "tiny model",
  "tensors": [{"bytes": 100, "persistent": true},
              {"bytes": 200, "persistent": false},
              {"bytes": 300, "persistent": false}],
  "kernels": [
    {"name": "Forward", "layer": 0, "inputs": [0], "outputs": [1, 2],
     "duration_ns": 10, "inputs_faulted_duration_ns": 20,
     "all_faulted_duration_ns": 30},
    {"name": "Apply", "layer": 3, "inputs": [0, 1], "outputs": [0],
     "duration_ns": 11, "inputs_faulted_duration_ns": 21,
     "all_faulted_duration_ns": 31}]})";

absl::StatusOr<LoadedGraph> Parse(const std::string& text) {
  return ParseGraphFile(text, "from-file", {});
}

std::string ErrorOf(const std::string& text) {
  const absl::Status status = Parse(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ProfiledGraphTest, MapsFaultedDurationsToMeasuredCorners) {
  const absl::StatusOr<LoadedGraph> loaded = Parse(kProfiled);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const policies::KernelProfile& profile = loaded->graph.kernels[1].profile;
  EXPECT_EQ(profile.fast_inputs_fast_outputs.duration_ns, 11);
  EXPECT_EQ(profile.slow_inputs_fast_outputs.duration_ns, 21);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.duration_ns, 31);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.source,
            policies::DurationSource::kMeasured);
  EXPECT_EQ(profile.fast_inputs_slow_outputs.source,
            policies::DurationSource::kUnspecified);
}

TEST(ProfiledGraphTest, KeepsLayersLifetimesAndAName) {
  const absl::StatusOr<LoadedGraph> loaded = Parse(kProfiled);
  ASSERT_TRUE(loaded.ok());
  const policies::Graph& graph = loaded->graph;
  EXPECT_EQ(graph.name, "tiny-model");
  EXPECT_EQ(graph.kernels[1].layer, 3);
  EXPECT_TRUE(graph.tensors[0].persistent);
  EXPECT_EQ(graph.tensors[1].birth_kernel, 0);
  EXPECT_EQ(graph.tensors[1].death_kernel, 1);
  EXPECT_EQ(graph.tensors[2].kind, policies::TensorKind::kWorkspace);
}

TEST(ProfiledGraphTest, MergesATensorThatIsInputAndOutput) {
  const absl::StatusOr<LoadedGraph> loaded = Parse(kProfiled);
  ASSERT_TRUE(loaded.ok());
  const std::vector<policies::Operand>& operands =
      loaded->graph.kernels[1].operands;
  ASSERT_EQ(operands.size(), 2);
  EXPECT_EQ(operands[0].tensor, 0);
  EXPECT_TRUE(operands[0].read);
  EXPECT_TRUE(operands[0].write);
}

TEST(ProfiledGraphTest, SaysOfHowManyKernelsACornerIsMissing) {
  const absl::StatusOr<LoadedGraph> loaded =
      Parse(Replaced(kProfiled, "\"inputs_faulted_duration_ns\": 20,", ""));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->notes,
              ElementsAre(HasSubstr(
                  "1 of 2 kernels have no inputs_faulted_duration_ns")));
  const policies::KernelProfile& profile = loaded->graph.kernels[0].profile;
  EXPECT_EQ(profile.slow_inputs_fast_outputs.source,
            policies::DurationSource::kUnspecified);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.duration_ns, 30);
}

TEST(ProfiledGraphTest, RefusesNumbersThatWouldBeCutOff) {
  for (const char* number : {"1.5", "1e30", "4294967296", "-2147483649"}) {
    EXPECT_THAT(ErrorOf(Replaced(kProfiled, "\"layer\": 3",
                                 absl::StrCat("\"layer\": ", number))),
                AllOf(HasSubstr("/kernels/1/layer"), HasSubstr("whole number")))
        << number;
  }
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "200", "18446744073709551615")),
              HasSubstr("18446744073709551615"));
}

TEST(ProfiledGraphTest, ReadsWholeNumbersHoweverTheyAreWritten) {
  const absl::StatusOr<LoadedGraph> loaded =
      Parse(Replaced(kProfiled, "\"layer\": 3", "\"layer\": 3.0"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->graph.kernels[1].layer, 3);
}

TEST(GraphFileTest, NamesThePlaceOfInvalidJson) {
  EXPECT_THAT(ErrorOf("{\n  \"name\": ,\n}"), HasSubstr("line 2"));
}

TEST(GraphFileTest, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "\"layer\": 3", "\"layer\": 3e999")),
              AllOf(HasSubstr("invalid JSON"), HasSubstr("3e999")));
}

TEST(GraphFileTest, RefusesListsInListsBeforeTheStackEnds) {
  constexpr int kDepth = 1'000'000;
  EXPECT_THAT(ErrorOf(std::string(kDepth, '[') + std::string(kDepth, ']')),
              HasSubstr("nested more than 256 deep"));
}

TEST(GraphFileTest, NamesTheFieldOfTheWrongType) {
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "\"inputs\": [0, 1]",
                               "\"inputs\": [0, \"one\"]")),
              HasSubstr("/kernels/1/inputs/1"));
}

TEST(GraphFileTest, NamesTheFieldThatIsMissing) {
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "\"layer\": 3,", "")),
              HasSubstr("'layer'"));
}

TEST(GraphFileTest, RefusesNegativeSizesAndUnknownTensors) {
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "200", "-200")), HasSubstr("-200"));
  EXPECT_THAT(ErrorOf(Replaced(kProfiled, "[1, 2]", "[1, 99]")),
              HasSubstr("99"));
}

TEST(GraphFileTest, SaysWhatItExpectsOfOtherFiles) {
  EXPECT_THAT(ErrorOf(R"({"color": "green"})"), HasSubstr("execution trace"));
  EXPECT_THAT(ErrorOf("not a graph at all"), HasSubstr("binary"));
}

TEST(GraphFileTest, NamesTheFileThatIsMissing) {
  const absl::Status status = LoadGraph("/nonexistent/g.json", {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "cannot read '/nonexistent/g.json': No such file or directory");
}

TEST(GraphFileTest, ReadsItsOwnGraphs) {
  const absl::StatusOr<LoadedGraph> loaded = LoadGraph(
      STOWAGE_SOURCE_DIR "/tests/data/resnet152-bs256-a100.pb.gz", {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->format, "Stowage graph");
  EXPECT_EQ(loaded->graph.kernel_count(), 1299);
}

}  // namespace
}  // namespace stowage::cli
