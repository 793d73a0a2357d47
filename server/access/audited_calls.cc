#include "server/access/audited_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/descriptor.h"

namespace stowage {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

const absl::flat_hash_map<std::string, AuditedCall>& Audited() {
  static const auto* const audited =
      new absl::flat_hash_map<std::string, AuditedCall>{
          {"/stowage.v1.GraphService/RegisterGraph", {{"graph_id"}}},
          {"/stowage.v1.GraphService/DeleteGraph", {{"graph_id"}}},
          {"/stowage.v1.PlacementService/MakePlan", {{"graph_id", "plan_id"}}},
          {"/stowage.v1.JobService/StartJob", {{"job.job_id", "job.node"}}},
          {"/stowage.v1.JobService/FinishJob", {{"job_id"}}},
          {"/stowage.v1.JobService/ResizeJob",
           {{"job_id", "fast_limit_bytes"}}},
          {"/stowage.v1.NodeService/RegisterNode", {{"node"}}},
          {"/stowage.v1.SchedulingService/Reserve",
           {{"request_id", "node", "fast_bytes",
             "reservation.reservation_id"}}},
          {"/stowage.v1.SchedulingService/RenewReservation",
           {{"reservation_id", "job_id"}}},
          {"/stowage.v1.SchedulingService/ReleaseReservation",
           {{"reservation_id"}}},
          {"/stowage.v1.TrainingService/StartTraining",
           {{"graph_id", "training.training_id"}}},
          {"/stowage.v1.TrainingService/CancelTraining", {{"training_id"}}},
          {"/stowage.v1.TrainingService/PromoteVersion",
           {{"policy_id", "version"}}},
          {"/stowage.v1.TrainingService/RollBackVersion",
           {{"policy_id", "from_version"}}},
      };
  return *audited;
}

// Returns the value of a field that is text or a number, and set.
std::optional<LogField> ValueOf(absl::string_view name, const Message& message,
                                const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated() || !reflection.HasField(message, &field)) {
    return std::nullopt;
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return LogField(name, reflection.GetString(message, &field));
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    return LogField(name, reflection.GetInt64(message, &field));
  }
  return std::nullopt;
}

std::optional<LogField> FieldAt(absl::string_view path,
                                const Message& message) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(path, absl::MaxSplits('.', 1));
  const FieldDescriptor* field =
      message.GetDescriptor()->FindFieldByName(std::string(parts.first));
  if (field == nullptr) return std::nullopt;
  if (parts.second.empty()) return ValueOf(parts.first, message, *field);
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
      field->is_repeated()) {
    return std::nullopt;
  }
  return FieldAt(parts.second,
                 message.GetReflection()->GetMessage(message, field));
}

}  // namespace

const AuditedCall* FindAudited(absl::string_view path) {
  const auto found = Audited().find(path);
  return found == Audited().end() ? nullptr : &found->second;
}

void AddObjects(const AuditedCall& call, const Message& message,
                LogFields* fields) {
  for (const absl::string_view path : call.fields) {
    std::optional<LogField> found = FieldAt(path, message);
    if (!found) continue;
    const bool is_known = std::any_of(
        fields->begin(), fields->end(),
        [&](const LogField& field) { return field.name == found->name; });
    if (!is_known) fields->push_back(*std::move(found));
  }
}

}  // namespace stowage
