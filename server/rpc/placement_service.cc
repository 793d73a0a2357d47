#include "server/rpc/placement_service.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "server/rpc/counted_call.h"
#include "server/rpc/exchange_stream.h"
#include "server/rpc/malformed_request_interceptor.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"
#include "server/rpc/status.h"

namespace stowage {
namespace {

constexpr absl::string_view kPlansList = "plans";
constexpr char kPlaceMethod[] = "stowage.v1.PlacementService/Place";
constexpr char kGetPlanMethod[] = "stowage.v1.PlacementService/GetPlan";

absl::StatusOr<policies::MemorySystem> SystemOf(
    const v1::MakePlanRequest& request) {
  switch (request.memory_system_case()) {
    case v1::MakePlanRequest::kSystem:
      return policies::MemorySystemFromProto(request.system());
    case v1::MakePlanRequest::kSystemName: {
      absl::StatusOr<policies::MemorySystem> preset =
          policies::PresetMemorySystem(request.system_name());
      if (preset.ok()) return preset;
      return absl::InvalidArgumentError(preset.status().message());
    }
    case v1::MakePlanRequest::MEMORY_SYSTEM_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "the request has no memory system; set system_name or system");
}

absl::StatusOr<PlanRequest> PlanRequestFromProto(
    const v1::MakePlanRequest& proto) {
  absl::StatusOr<policies::MemorySystem> system = SystemOf(proto);
  if (!system.ok()) return system.status();
  return PlanRequest{
      .graph_id = proto.graph_id(),
      .system = *std::move(system),
      .fast_limit_bytes = proto.fast_limit_bytes(),
      .policy = std::string(proto.policy().empty()
                                ? policies::kDefaultPolicy
                                : policies::PresentPolicyName(proto.policy())),
      .seed = proto.seed(),
      .replan = proto.replan(),
      .think_time = absl::Milliseconds(proto.think_ms()),
  };
}

// Tells clients of gRPC that retry by themselves when to do so.
void TellWhenToRetry(const absl::Status& status, grpc::ServerContext* context) {
  const std::optional<absl::Duration> after = RetryAfter(status);
  if (!after.has_value()) return;
  context->AddTrailingMetadata("grpc-retry-pushback-ms",
                               absl::StrCat(absl::ToInt64Milliseconds(*after)));
}

// Returns a slice of bytes that `owner` keeps. Copies nothing.
grpc::Slice SharedSlice(absl::string_view bytes,
                        std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* kept) { delete static_cast<Owner*>(kept); },
      new Owner(std::move(owner)));
}

// Returns a message that has one field, a message of these bytes.
grpc::ByteBuffer BytesOfField(int number, std::string bytes) {
  std::string head;
  {
    google::protobuf::io::StringOutputStream stream(&head);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteTag(google::protobuf::internal::WireFormatLite::MakeTag(
        number,
        google::protobuf::internal::WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    coded.WriteVarint64(bytes.size());
  }
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  const std::array<grpc::Slice, 2> slices = {grpc::Slice(head),
                                             SharedSlice(*owner, owner)};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

// Answers the requests of one Place stream from the plan. If the job's tensors
// are not where the plan has them, and the job wants to adapt, the DQN policy
// that served when the job first asked answers.
class PlanReader {
 public:
  PlanReader(PlacementEngine* engine, ServerMetrics* metrics)
      : engine_(engine), metrics_(metrics) {}

  absl::StatusOr<grpc::ByteBuffer> Answer(const v1::PlaceRequest& request) {
    absl::Status valid = CheckBounds(request);
    if (valid.ok() && decisions_ == nullptr) valid = Load(request.plan_id());
    if (!valid.ok()) return valid;
    const JobSituation situation = {
        .kernel = request.kernel(),
        .residents = {request.residents().begin(), request.residents().end()},
        .free_bytes = {request.free_bytes().begin(),
                       request.free_bytes().end()}};
    valid = decisions_->Check(situation);
    if (!valid.ok()) return valid;
    const absl::StatusOr<absl::string_view> planned =
        decisions_->EncodedWindow(request.kernel(), request.window());
    if (!planned.ok()) return planned.status();
    if (!request.adapt()) return Planned(*planned);
    absl::StatusOr<bool> deviates = Deviates(situation);
    if (!deviates.ok()) return deviates.status();
    metrics_->CountAdaptiveAnswer(*deviates ? v1::DECISION_SOURCE_POLICY
                                            : v1::DECISION_SOURCE_PLAN);
    if (!*deviates) return Planned(*planned);
    return Decided(situation, std::max(1, request.window()));
  }

  // Returns whether it must read the plan or the policy, or ask the policy.
  bool IsSlow(const v1::PlaceRequest& request) const {
    return decisions_ == nullptr || request.adapt();
  }

 private:
  absl::Status Load(const std::string& plan_id) {
    if (plan_id.empty()) {
      return absl::InvalidArgumentError(
          "plan_id is not set; the first request of a stream names a plan");
    }
    plan_id_ = absl::AsciiStrToLower(plan_id);
    absl::StatusOr<std::shared_ptr<const KernelDecisions>> loaded =
        engine_->Decisions(plan_id_);
    if (!loaded.ok()) return loaded.status();
    decisions_ = *std::move(loaded);
    return absl::OkStatus();
  }

  // Returns the bytes of the plan's decisions, and says that they are the
  // plan's.
  absl::StatusOr<grpc::ByteBuffer> Planned(absl::string_view window) const {
    v1::PlaceResponse rest;
    rest.set_source(v1::DECISION_SOURCE_PLAN);
    const std::array<grpc::Slice, 2> slices = {
        SharedSlice(window, decisions_), grpc::Slice(rest.SerializeAsString())};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }

  // Returns whether the job deviates from the plan, so that the policy decides.
  absl::StatusOr<bool> Deviates(const JobSituation& situation) {
    if (!online_.has_value()) {
      absl::StatusOr<OnlineDecisions> made = engine_->Online(plan_id_);
      if (!made.ok()) return made.status();
      online_.emplace(*std::move(made));
    }
    return online_->Deviates(situation);
  }

  absl::StatusOr<grpc::ByteBuffer> Decided(const JobSituation& situation,
                                           int32_t window) const {
    const absl::StatusOr<std::vector<v1::KernelDecision>> decisions =
        online_->Window(situation, window);
    if (!decisions.ok()) return decisions.status();
    v1::PlaceResponse response;
    response.set_source(v1::DECISION_SOURCE_POLICY);
    response.mutable_decisions()->Assign(decisions->begin(), decisions->end());
    const grpc::Slice slice(response.SerializeAsString());
    return grpc::ByteBuffer(&slice, 1);
  }

  PlacementEngine* const engine_;
  ServerMetrics* const metrics_;
  std::string plan_id_;
  std::shared_ptr<const KernelDecisions> decisions_;
  std::optional<OnlineDecisions> online_;
};

}  // namespace

grpc::Status PlacementServiceImpl::MakePlan(grpc::ServerContext* context,
                                            const v1::MakePlanRequest* request,
                                            v1::MakePlanResponse* response) {
  absl::StatusOr<v1::MakePlanRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<PlanRequest> plan_request = PlanRequestFromProto(*checked);
  if (!plan_request.ok()) return ToGrpcStatus(plan_request.status());
  absl::StatusOr<MadePlan> made = engine_->MakePlan(
      *plan_request, {.name = context->peer(),
                      .is_gone = [context] { return context->IsCancelled(); }});
  if (!made.ok()) {
    TellWhenToRetry(made.status(), context);
    return ToGrpcStatus(made.status());
  }
  if (made->planning_time > absl::ZeroDuration()) {
    metrics_->CountPlan(plan_request->policy, made->planning_time);
  }
  response->set_plan_id(made->plan_id);
  *response->mutable_plan() = std::move(made->plan);
  return grpc::Status::OK;
}

// Plans are stored as they are sent, and nobody reads them on the way.
grpc::ServerUnaryReactor* PlacementServiceImpl::GetPlan(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  workers_->Run([this, reactor, request, response,
                 call = CountedCall(metrics_, kGetPlanMethod, context)] {
    absl::StatusOr<grpc::ByteBuffer> answer = StoredPlan(*request);
    const absl::Status status = answer.status();
    call.End(status);
    if (status.ok()) *response = *std::move(answer);
    reactor->Finish(ToGrpcStatus(status));
  });
  return reactor;
}

absl::StatusOr<grpc::ByteBuffer> PlacementServiceImpl::StoredPlan(
    grpc::ByteBuffer request) {
  v1::GetPlanRequest parsed;
  if (!grpc::SerializationTraits<v1::GetPlanRequest>::Deserialize(&request,
                                                                  &parsed)
           .ok()) {
    return MalformedRequest(v1::GetPlanRequest::descriptor()->full_name());
  }
  absl::StatusOr<v1::GetPlanRequest> checked = Checked(parsed);
  if (!checked.ok()) return checked.status();
  absl::StatusOr<std::string> plan = store_->GetPlanBytes(checked->plan_id());
  if (!plan.ok()) return plan.status();
  return BytesOfField(v1::GetPlanResponse::kPlanFieldNumber, *std::move(plan));
}

grpc::Status PlacementServiceImpl::ListPlans(
    grpc::ServerContext* /*context*/, const v1::ListPlansRequest* request,
    v1::ListPlansResponse* response) {
  absl::StatusOr<v1::ListPlansRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kPlansList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::vector<v1::PlanSummary>> plans =
      store_->ListPlans(checked->graph_id(), page->after, page->size + 1);
  if (!plans.ok()) return ToGrpcStatus(plans.status());
  if (TrimToPage(*page, &*plans)) {
    response->set_next_page_token(
        PageToken(kPlansList, plans->back().plan_id()));
  }
  response->mutable_plans()->Assign(plans->begin(), plans->end());
  return grpc::Status::OK;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
PlacementServiceImpl::Place(grpc::CallbackServerContext* context) {
  auto reader = std::make_shared<PlanReader>(engine_, metrics_);
  return new ExchangeStream<v1::PlaceRequest, grpc::ByteBuffer>(
      streams_,
      [reader](const v1::PlaceRequest& request) {
        return reader->Answer(request);
      },
      [call = CountedCall(metrics_, kPlaceMethod, context)](
          const absl::Status& status) { call.End(status); },
      workers_,
      [reader](const v1::PlaceRequest& request) {
        return reader->IsSlow(request);
      });
}

grpc::Status PlacementServiceImpl::ListPolicies(
    grpc::ServerContext* /*context*/,
    const v1::ListPoliciesRequest* /*request*/,
    v1::ListPoliciesResponse* response) {
  for (const policies::PolicyInfo& policy : policies::Policies()) {
    v1::PolicySummary* summary = response->add_policies();
    summary->set_name(policy.name);
    summary->set_description(policy.description);
    v1::PolicyCapabilities* can = summary->mutable_capabilities();
    can->set_needs_training(policy.capabilities.needs_training);
    can->set_answers_online(policy.capabilities.answers_online);
    can->set_chooses_implementations(
        policy.capabilities.chooses_implementations);
  }
  return grpc::Status::OK;
}

}  // namespace stowage
