#include "server/access/audited_calls.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "stowage/v1/graphs.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/training.pb.h"

namespace stowage {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::MethodDescriptor;

std::vector<const MethodDescriptor*> AllMethods() {
  std::vector<const MethodDescriptor*> methods;
  for (const Descriptor* message :
       {v1::GetGraphRequest::descriptor(), v1::GetJobRequest::descriptor(),
        v1::ListNodesRequest::descriptor(), v1::GetPlanRequest::descriptor(),
        v1::GetTrainingRequest::descriptor()}) {
    const auto* service = message->file()->service(0);
    for (int i = 0; i < service->method_count(); ++i) {
      methods.push_back(service->method(i));
    }
  }
  return methods;
}

std::string PathOf(const MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

bool OnlyReadsOrReports(absl::string_view name) {
  return absl::StartsWith(name, "Get") || absl::StartsWith(name, "List") ||
         absl::StartsWith(name, "Watch") || name == "Place" ||
         name == "PlaceOnce" || name == "Heartbeat" ||
         name == "StreamTelemetry";
}

bool HasField(const Descriptor* message, absl::string_view path) {
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    if (message == nullptr) return false;
    const auto* field = message->FindFieldByName(std::string(name));
    if (field == nullptr) return false;
    message = field->message_type();
  }
  return true;
}

TEST(AuditedCallsTest, AreAllThatChangeSomething) {
  for (const MethodDescriptor* method : AllMethods()) {
    EXPECT_EQ(FindAudited(PathOf(*method)) == nullptr,
              OnlyReadsOrReports(method->name()))
        << method->name();
  }
}

TEST(AuditedCallsTest, NameFieldsOfTheirRequestOrResponse) {
  for (const MethodDescriptor* method : AllMethods()) {
    const AuditedCall* call = FindAudited(PathOf(*method));
    if (call == nullptr) continue;
    for (const absl::string_view path : call->fields) {
      EXPECT_TRUE(HasField(method->input_type(), path) ||
                  HasField(method->output_type(), path))
          << method->name() << " " << path;
    }
  }
}

TEST(AuditedCallsTest, ObjectsComeFromTheRequestAndThenTheResponse) {
  const AuditedCall* call =
      FindAudited("/stowage.v1.TrainingService/StartTraining");
  v1::StartTrainingRequest request;
  request.set_graph_id("g");
  v1::StartTrainingResponse response;
  response.mutable_training()->set_training_id(7);
  LogFields fields;
  AddObjects(*call, request, &fields);
  AddObjects(*call, response, &fields);
  ASSERT_EQ(fields.size(), 2);
  EXPECT_EQ(fields[0].name, "graph_id");
  EXPECT_EQ(std::get<std::string>(fields[0].value), "g");
  EXPECT_EQ(fields[1].name, "training_id");
  EXPECT_EQ(std::get<int64_t>(fields[1].value), 7);
}

TEST(AuditedCallsTest, FieldsThatAreNotSetAreLeftOut) {
  LogFields fields;
  AddObjects(*FindAudited("/stowage.v1.JobService/StartJob"),
             v1::StartJobRequest(), &fields);
  EXPECT_TRUE(fields.empty());
}

}  // namespace
}  // namespace stowage
