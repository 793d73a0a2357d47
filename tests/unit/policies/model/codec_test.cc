#include "policies/model/codec.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

v1::Graph SomeGraph() { return GraphToProto(RandomGraph(3)); }

TEST(CodecTest, ReadsBackEveryEncoding) {
  const v1::Graph graph = SomeGraph();
  for (const WireFormat format : {WireFormat::kBinary, WireFormat::kJson}) {
    for (const bool gzip : {false, true}) {
      const std::string bytes =
          Serialize(graph, {.format = format, .gzip = gzip});
      const absl::StatusOr<v1::Graph> back = ParseGraph(bytes);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(MessageDifferencer::Equals(graph, *back));
    }
  }
}

TEST(CodecTest, SerializesTheSameMessageToTheSameBytes) {
  const Encoding encoding{.format = WireFormat::kJson, .gzip = true};
  EXPECT_EQ(Serialize(SomeGraph(), encoding), Serialize(SomeGraph(), encoding));
}

TEST(CodecTest, TakesTheEncodingFromTheFileName) {
  EXPECT_EQ(EncodingForPath("a/graph.pb").format, WireFormat::kBinary);
  EXPECT_FALSE(EncodingForPath("a/graph.pb").gzip);
  EXPECT_EQ(EncodingForPath("graph.json.gz").format, WireFormat::kJson);
  EXPECT_TRUE(EncodingForPath("graph.json.gz").gzip);
}

TEST(CodecTest, RefusesEmptyData) {
  EXPECT_THAT(std::string(ParseGraph("").status().message()),
              HasSubstr("no data"));
}

TEST(CodecTest, RefusesDataCutAtAnyByte) {
  const std::string bytes = Serialize(SomeGraph(), {.gzip = true});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ParseGraph(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
}

TEST(CodecTest, NamesAnUnknownFieldInJson) {
  const absl::Status status =
      ParseMemorySystem(R"({"name": "x", "teirs": []})").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("teirs"));
}

TEST(CodecTest, SaysWhereDamagedBinaryEnds) {
  const absl::Status status = ParsePlan("\x0a\xff garbage").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("stowage.v1.Plan"));
}

TEST(CodecTest, LeavesStderrToTheCaller) {
  testing::internal::CaptureStderr();
  // A name that is no UTF-8, of which protobuf would complain itself.
  EXPECT_FALSE(ParseGraph("\x12\x02\xff\xff").ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CodecTest, StopsDecompressingAtTheLimit) {
  v1::Graph bomb;
  bomb.set_source(std::string(size_t{8} << 20, '\0'));
  const std::string packed = Serialize(bomb, {.gzip = true});
  ASSERT_LT(packed.size(), size_t{1} << 16);
  EXPECT_EQ(Gunzip(packed, size_t{1} << 20).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Gunzip(packed).ok());
}

}  // namespace
}  // namespace stowage::policies
