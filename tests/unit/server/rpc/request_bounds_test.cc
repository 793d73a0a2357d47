#include "server/rpc/request_bounds.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "stowage/v1/bounds.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/training.pb.h"
#include "tests/unit/server/rpc/requests.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Returns what the field has to state and does not; empty if nothing is
// missing. Numbers in graphs and memory systems have the rules of their files.
std::string Missing(const FieldDescriptor* field, bool in_file) {
  const bool stated = field->options().HasExtension(v1::bounds);
  const v1::Bounds bounds = field->options().GetExtension(v1::bounds);
  if (field->is_repeated() && !in_file && bounds.max_items() == 0) {
    return "max_items";
  }
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return bounds.max_bytes() > 0 || bounds.form() != v1::FORM_UNSPECIFIED
                 ? ""
                 : "max_bytes or form";
    case FieldDescriptor::CPPTYPE_BOOL:
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "";
    default:
      return stated || in_file ? "" : "bounds";
  }
}

void CollectUnbounded(const Descriptor* type, bool in_file,
                      std::set<const Descriptor*>* seen,
                      std::vector<std::string>* unbounded) {
  if (type == google::protobuf::Timestamp::descriptor()) return;
  if (!seen->insert(type).second) return;
  in_file = in_file || type == v1::Graph::descriptor() ||
            type == v1::MemorySystem::descriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const std::string missing = Missing(field, in_file);
    if (!missing.empty()) {
      unbounded->push_back(field->full_name() + " states no " + missing);
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      CollectUnbounded(field->message_type(), in_file, seen, unbounded);
    }
  }
}

TEST(RequestBoundsTest, EveryFieldOfEveryRequestStatesItsBounds) {
  std::set<const Descriptor*> seen;
  std::vector<std::string> unbounded;
  for (const auto* method : ServiceMethods()) {
    CollectUnbounded(method->input_type(), /*in_file=*/false, &seen,
                     &unbounded);
  }
  EXPECT_THAT(unbounded, IsEmpty());
}

TEST(RequestBoundsTest, RefusesEachFieldBeyondItsBoundsByName) {
  for (const auto* method : ServiceMethods()) {
    EXPECT_EQ(CheckBounds(*RequestWithin(*method->input_type())),
              absl::OkStatus())
        << method->full_name();
    for (const Violation& violation : ViolationsOf(*method->input_type())) {
      const absl::Status status = CheckBounds(*violation.request);
      EXPECT_TRUE(absl::IsInvalidArgument(status))
          << method->full_name() << " " << violation.field << " "
          << violation.how << ": " << status;
      EXPECT_THAT(
          std::string(status.message()),
          AllOf(StartsWith(violation.field + " "), HasSubstr("; send ")));
      EXPECT_LT(status.message().size(), 512);
    }
  }
}

TEST(RequestBoundsTest, SaysFieldValueAndBound) {
  v1::HeartbeatRequest beat;
  beat.set_node("a b");
  EXPECT_EQ(CheckBounds(beat).message(),
            "node is 'a b' (3 bytes); send 1 to 128 letters, digits, '.', '_' "
            "or '-'");
  beat.set_node("n");
  beat.set_active_jobs(-1);
  EXPECT_EQ(CheckBounds(beat).message(),
            "active_jobs is -1; send 0 to 1000000");
  v1::StartJobRequest start;
  EXPECT_EQ(CheckBounds(start).message(), "job is not set; send one");
  start.mutable_job()->set_job_id("j");
  start.mutable_job()->set_node("n");
  start.mutable_job()->set_command(std::string(65536, '\n'));
  EXPECT_THAT(std::string(CheckBounds(start).message()),
              AllOf(StartsWith("job.command is '\\n\\n"),
                    HasSubstr("...' (65536 bytes); send at most 1024 bytes")));
}

TEST(RequestBoundsTest, TheLeastAndTheMostAreWithin) {
  v1::PlaceRequest place;
  for (int32_t window : {0, 1024}) {
    place.set_window(window);
    EXPECT_TRUE(CheckBounds(place).ok());
  }
  v1::GetJobRequest job;
  job.set_job_id(std::string(256, '~'));
  EXPECT_TRUE(CheckBounds(job).ok());
}

TEST(RequestBoundsTest, ChecksNothingOfAnOptionThatIsNotSet) {
  v1::StartTrainingRequest request;
  request.set_request_id("r");
  request.mutable_options();
  EXPECT_TRUE(CheckBounds(request).ok());
  request.mutable_options()->set_episodes(0);
  EXPECT_EQ(CheckBounds(request).message(),
            "options.episodes is 0; send 1 to 1000000");
}

TEST(RequestBoundsTest, WritesDigestsInLowerCase) {
  v1::StartJobRequest request;
  request.mutable_job()->set_job_id("J");
  request.mutable_job()->set_node("N");
  request.mutable_job()->set_graph_id(std::string(64, 'A'));
  const auto checked = Checked(request);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->job().graph_id(), std::string(64, 'a'));
  EXPECT_EQ(checked->job().job_id(), "J");
  EXPECT_EQ(checked->job().node(), "N");
}

TEST(RequestBoundsTest, DropsFieldsThatItDoesNotKnow) {
  v1::RegisterNodeRequest request;
  request.set_node("n");
  *request.mutable_system() = TwoTiers();
  v1::Tier* tier = request.mutable_system()->mutable_tiers(0);
  tier->GetReflection()->MutableUnknownFields(tier)->AddLengthDelimited(
      15000, "of a later version");
  const auto checked = Checked(request);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(checked->system().SerializeAsString(),
            TwoTiers().SerializeAsString());
}

}  // namespace
}  // namespace stowage
