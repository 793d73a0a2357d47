#include "policies/plan/plan_proto.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/field_check.h"

namespace stowage::policies {
namespace {

constexpr int kMaxCount = 4'000'000;
constexpr int64_t kMaxOffset = int64_t{1} << 60;
constexpr int kMaxNotes = 1000;
constexpr size_t kGraphIdLength = 64;

absl::Status CheckCount(const char* field, int count, int most = kMaxCount) {
  if (count <= most) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(field, " has ", count, " entries; at most ", most,
                   " are read, plan a single step"));
}

absl::Status CheckHeader(const v1::Plan& proto) {
  if (proto.schema_version() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("schema_version is ", proto.schema_version(),
                     "; this version reads schema 1"));
  }
  if (proto.graph_id().size() != kGraphIdLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph_id has ", proto.graph_id().size(),
                     " characters; it must be the 64 hex digits of a graph"));
  }
  absl::Status status = CheckCount("initial", proto.initial_size());
  status.Update(CheckCount("allocations", proto.allocations_size()));
  status.Update(CheckCount("moves", proto.moves_size()));
  status.Update(CheckCount("streams", proto.streams_size()));
  status.Update(CheckCount("implementations", proto.implementations_size()));
  status.Update(CheckCount("notes", proto.notes_size(), kMaxNotes));
  if (proto.has_solver_gap() && !(proto.solver_gap() >= 0)) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        "solver_gap is ", proto.solver_gap(),
        "; it must not be negative; leave it out where there is no claim")));
  }
  status.Update(
      CheckRange("fast_limit_bytes", proto.fast_limit_bytes(), 0, kMaxOffset));
  return status;
}

absl::Status CheckPlacement(const std::string& place,
                            const v1::Placement& proto) {
  absl::Status status = CheckRange(place + ".tier", proto.tier(), 0, INT32_MAX);
  status.Update(
      CheckRange(place + ".offset_bytes", proto.offset_bytes(), 0, kMaxOffset));
  if (proto.offset_bytes() % kSharedPageAlignmentBytes != 0) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        place, ".offset_bytes is ", proto.offset_bytes(),
        "; it must be a multiple of ", kPlacementAlignmentBytes, ", or of ",
        kSharedPageAlignmentBytes, " for a tensor that shares a page")));
  }
  return status;
}

Placement PlacementFromProto(const v1::Placement& proto) {
  return {proto.tier(), proto.offset_bytes()};
}

absl::Status ReadAllocations(
    const std::string& field,
    const google::protobuf::RepeatedPtrField<v1::Allocation>& protos,
    std::vector<Allocation>& allocations) {
  for (int i = 0; i < protos.size(); ++i) {
    const std::string place = absl::StrCat(field, "[", i, "]");
    absl::Status status =
        CheckRange(place + ".tensor", protos[i].tensor(), 0, INT32_MAX);
    status.Update(CheckPlacement(place + ".at", protos[i].at()));
    if (!status.ok()) return status;
    allocations.push_back(
        {protos[i].tensor(), PlacementFromProto(protos[i].at())});
  }
  return absl::OkStatus();
}

absl::Status ReadMove(const std::string& place, const v1::Move& proto,
                      Plan& plan) {
  absl::Status status =
      CheckRange(place + ".tensor", proto.tensor(), 0, INT32_MAX);
  status.Update(CheckPlacement(place + ".from", proto.from()));
  status.Update(CheckPlacement(place + ".to", proto.to()));
  status.Update(
      CheckRange(place + ".start_kernel", proto.start_kernel(), 0, INT32_MAX));
  status.Update(CheckRange(place + ".deadline_kernel", proto.deadline_kernel(),
                           proto.start_kernel(), INT32_MAX));
  plan.moves.push_back({proto.tensor(), PlacementFromProto(proto.from()),
                        PlacementFromProto(proto.to()), proto.start_kernel(),
                        proto.deadline_kernel(), proto.keeps_source(),
                        proto.is_drop()});
  return status;
}

absl::Status ReadStream(const std::string& place, const v1::Stream& proto,
                        Plan& plan) {
  absl::Status status =
      CheckRange(place + ".kernel", proto.kernel(), 0, INT32_MAX);
  for (int32_t tensor : proto.tensors()) {
    status.Update(CheckRange(place + ".tensors", tensor, 0, INT32_MAX));
  }
  status.Update(CheckRange(place + ".window_offset_bytes",
                           proto.window_offset_bytes(), 0, kMaxOffset));
  status.Update(
      CheckRange(place + ".window_bytes", proto.window_bytes(), 0, kMaxOffset));
  plan.streams.push_back(
      {.kernel = proto.kernel(),
       .tensors = {proto.tensors().begin(), proto.tensors().end()},
       .window_offset_bytes = proto.window_offset_bytes(),
       .window_bytes = proto.window_bytes()});
  return status;
}

absl::Status ReadImplementation(const std::string& place,
                                const v1::ImplementationChoice& proto,
                                Plan& plan) {
  absl::Status status =
      CheckRange(place + ".kernel", proto.kernel(), 0, INT32_MAX);
  status.Update(CheckRange(place + ".implementation", proto.implementation(), 1,
                           INT32_MAX));
  plan.implementations.push_back({proto.kernel(), proto.implementation()});
  return status;
}

absl::StatusOr<Prediction> PredictionFromProto(const v1::Prediction& proto) {
  absl::Status status =
      CheckRange("prediction.step_time_ns", proto.step_time_ns(), 0, INT64_MAX);
  status.Update(
      CheckRange("prediction.stall_ns", proto.stall_ns(), 0, INT64_MAX));
  status.Update(
      CheckRange("prediction.stream_ns", proto.stream_ns(), 0, INT64_MAX));
  status.Update(
      CheckRange("prediction.slowdown_ns", proto.slowdown_ns(), 0, INT64_MAX));
  status.Update(CheckRange("prediction.fast_peak_bytes",
                           proto.fast_peak_bytes(), 0, INT64_MAX));
  if (!(proto.locality() >= 0 && proto.locality() <= 1)) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        "prediction.locality is ", proto.locality(), "; it must be 0 to 1")));
  }
  if (!status.ok()) return status;
  return Prediction{.step_time_ns = proto.step_time_ns(),
                    .stall_ns = proto.stall_ns(),
                    .fast_peak_bytes = proto.fast_peak_bytes(),
                    .moved_in_bytes = proto.moved_in_bytes(),
                    .moved_out_bytes = proto.moved_out_bytes(),
                    .locality = proto.locality(),
                    .stream_ns = proto.stream_ns(),
                    .slowdown_ns = proto.slowdown_ns()};
}

void PlacementToProto(const Placement& at, v1::Placement& proto) {
  proto.set_tier(at.tier);
  proto.set_offset_bytes(at.offset_bytes);
}

void AllocationsToProto(
    const std::vector<Allocation>& allocations,
    google::protobuf::RepeatedPtrField<v1::Allocation>& protos) {
  for (const Allocation& allocation : allocations) {
    v1::Allocation& proto = *protos.Add();
    proto.set_tensor(allocation.tensor);
    PlacementToProto(allocation.at, *proto.mutable_at());
  }
}

void MoveToProto(const Move& move, v1::Move& proto) {
  proto.set_tensor(move.tensor);
  PlacementToProto(move.from, *proto.mutable_from());
  PlacementToProto(move.to, *proto.mutable_to());
  proto.set_start_kernel(move.start_kernel);
  proto.set_deadline_kernel(move.deadline_kernel);
  proto.set_keeps_source(move.keeps_source);
  proto.set_is_drop(move.is_drop);
}

void PredictionToProto(const Prediction& prediction, v1::Prediction& proto) {
  proto.set_step_time_ns(prediction.step_time_ns);
  proto.set_stall_ns(prediction.stall_ns);
  proto.set_fast_peak_bytes(prediction.fast_peak_bytes);
  proto.set_moved_in_bytes(prediction.moved_in_bytes);
  proto.set_moved_out_bytes(prediction.moved_out_bytes);
  proto.set_locality(prediction.locality);
  proto.set_stream_ns(prediction.stream_ns);
  proto.set_slowdown_ns(prediction.slowdown_ns);
}

}  // namespace

absl::StatusOr<Plan> PlanFromProto(const v1::Plan& proto) {
  absl::Status status = CheckHeader(proto);
  if (!status.ok()) return status;
  Plan plan;
  plan.graph_id = proto.graph_id();
  plan.system = proto.system();
  plan.policy = proto.policy();
  plan.fast_limit_bytes = proto.fast_limit_bytes();
  plan.fits = proto.fits();
  plan.notes = {proto.notes().begin(), proto.notes().end()};
  if (proto.has_solver_gap()) plan.solver_gap = proto.solver_gap();
  status.Update(ReadAllocations("initial", proto.initial(), plan.initial));
  status.Update(
      ReadAllocations("allocations", proto.allocations(), plan.allocations));
  for (int i = 0; status.ok() && i < proto.moves_size(); ++i) {
    status = ReadMove(absl::StrCat("moves[", i, "]"), proto.moves(i), plan);
  }
  for (int i = 0; status.ok() && i < proto.streams_size(); ++i) {
    status =
        ReadStream(absl::StrCat("streams[", i, "]"), proto.streams(i), plan);
  }
  for (int i = 0; status.ok() && i < proto.implementations_size(); ++i) {
    status = ReadImplementation(absl::StrCat("implementations[", i, "]"),
                                proto.implementations(i), plan);
  }
  if (!status.ok()) return status;
  absl::StatusOr<Prediction> prediction =
      PredictionFromProto(proto.prediction());
  if (!prediction.ok()) return prediction.status();
  plan.prediction = *prediction;
  return plan;
}

v1::Plan PlanToProto(const Plan& plan) {
  v1::Plan proto;
  proto.set_schema_version(1);
  proto.set_graph_id(plan.graph_id);
  proto.set_system(plan.system);
  proto.set_policy(plan.policy);
  proto.set_fast_limit_bytes(plan.fast_limit_bytes);
  proto.set_fits(plan.fits);
  proto.mutable_notes()->Add(plan.notes.begin(), plan.notes.end());
  if (plan.solver_gap >= 0) proto.set_solver_gap(plan.solver_gap);
  AllocationsToProto(plan.initial, *proto.mutable_initial());
  AllocationsToProto(plan.allocations, *proto.mutable_allocations());
  for (const Move& move : plan.moves) MoveToProto(move, *proto.add_moves());
  for (const Stream& stream : plan.streams) {
    v1::Stream& added = *proto.add_streams();
    added.set_kernel(stream.kernel);
    added.set_window_offset_bytes(stream.window_offset_bytes);
    added.set_window_bytes(stream.window_bytes);
    added.mutable_tensors()->Add(stream.tensors.begin(), stream.tensors.end());
  }
  for (const ImplementationChoice& choice : plan.implementations) {
    v1::ImplementationChoice& added = *proto.add_implementations();
    added.set_kernel(choice.kernel);
    added.set_implementation(choice.implementation);
  }
  PredictionToProto(plan.prediction, *proto.mutable_prediction());
  return proto;
}

}  // namespace stowage::policies
