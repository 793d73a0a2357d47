#include "server/rpc/plan_reader.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "grpcpp/support/slice.h"
#include "server/rpc/request_bounds.h"
#include "server/rpc/shared_slice.h"

namespace stowage {

void PlanReader::TakeKept(const std::string& plan_id) {
  plan_id_ = absl::AsciiStrToLower(plan_id);
  decisions_ = engine_->KeptDecisions(plan_id_);
}

absl::StatusOr<grpc::ByteBuffer> PlanReader::Answer(
    const v1::PlaceRequest& request, absl::Time arrived) {
  v1::DecisionSource source = v1::DECISION_SOURCE_PLAN;
  absl::StatusOr<grpc::ByteBuffer> answer = Decide(request, &source);
  if (answer.ok()) {
    metrics_->calls().CountDecision(call_, source, SteadyNow() - arrived);
  }
  return answer;
}

absl::StatusOr<grpc::ByteBuffer> PlanReader::Decide(
    const v1::PlaceRequest& request, v1::DecisionSource* source) {
  absl::Status valid = CheckBounds(request);
  if (valid.ok() && decisions_ == nullptr) valid = Load(request.plan_id());
  if (!valid.ok()) return valid;
  const JobSituation situation = {
      .kernel = request.kernel(),
      .residents = {request.residents().begin(), request.residents().end()},
      .free_bytes = {request.free_bytes().begin(), request.free_bytes().end()}};
  valid = decisions_->Check(situation);
  if (!valid.ok()) return valid;
  const absl::StatusOr<absl::string_view> planned =
      decisions_->EncodedWindow(request.kernel(), request.window());
  if (!planned.ok()) return planned.status();
  if (!request.adapt()) return Planned(*planned);
  absl::StatusOr<bool> deviates = Deviates(situation);
  if (!deviates.ok()) return deviates.status();
  if (*deviates) *source = v1::DECISION_SOURCE_POLICY;
  metrics_->CountAdaptiveAnswer(*source);
  if (!*deviates) return Planned(*planned);
  return Decided(situation, std::max(1, request.window()));
}

absl::Status PlanReader::Load(const std::string& plan_id) {
  if (plan_id.empty()) {
    return absl::InvalidArgumentError(
        "plan_id is not set; name a plan, on a stream in the first request");
  }
  plan_id_ = absl::AsciiStrToLower(plan_id);
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> loaded =
      call_ == PlaceCall::kStream ? engine_->Decisions(plan_id_)
                                  : engine_->DecisionsToKeep(plan_id_);
  if (!loaded.ok()) return loaded.status();
  decisions_ = *std::move(loaded);
  return absl::OkStatus();
}

absl::StatusOr<grpc::ByteBuffer> PlanReader::Planned(
    absl::string_view window) const {
  v1::PlaceResponse rest;
  rest.set_source(v1::DECISION_SOURCE_PLAN);
  const std::array<grpc::Slice, 2> slices = {
      SharedSlice(window, decisions_), grpc::Slice(rest.SerializeAsString())};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

absl::StatusOr<bool> PlanReader::Deviates(const JobSituation& situation) {
  if (!online_.has_value()) {
    absl::StatusOr<OnlineDecisions> made = engine_->Online(plan_id_);
    if (!made.ok()) return made.status();
    online_.emplace(*std::move(made));
  }
  return online_->Deviates(situation);
}

absl::StatusOr<grpc::ByteBuffer> PlanReader::Decided(
    const JobSituation& situation, int32_t window) const {
  const absl::StatusOr<std::vector<v1::KernelDecision>> decisions =
      online_->Window(situation, window);
  if (!decisions.ok()) return decisions.status();
  v1::PlaceResponse response;
  response.set_source(v1::DECISION_SOURCE_POLICY);
  response.mutable_decisions()->Assign(decisions->begin(), decisions->end());
  const grpc::Slice slice(response.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace stowage
