#include "server/rpc/placement_service.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "policies/registry.h"
#include "server/calls/counted_call.h"
#include "server/calls/malformed_request_interceptor.h"
#include "server/calls/status.h"
#include "server/rpc/exchange_stream.h"
#include "server/rpc/memory_system_of.h"
#include "server/rpc/page.h"
#include "server/rpc/plan_reader.h"
#include "server/rpc/request_bounds.h"
#include "server/rpc/retry_time.h"
#include "server/rpc/shared_slice.h"

namespace stowage {
namespace {

constexpr absl::string_view kPlansList = "plans";

absl::StatusOr<PlanRequest> PlanRequestFromProto(
    const v1::MakePlanRequest& proto) {
  absl::StatusOr<policies::MemorySystem> system = MemorySystemOf(proto);
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
      .background = proto.background(),
      .brief = proto.brief(),
  };
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

}  // namespace

PlacementServiceImpl::PlacementServiceImpl(
    PlacementEngine* engine, GraphStore* store, StreamRegistry* streams,
    StreamWorkers* workers, ServerMetrics* metrics, Access* access)
    : engine_(engine),
      store_(store),
      streams_(streams),
      workers_(workers),
      metrics_(metrics),
      access_(access),
      place_metrics_(metrics->calls().Of("stowage.v1.PlacementService/Place")),
      place_once_metrics_(
          metrics->calls().Of("stowage.v1.PlacementService/PlaceOnce")),
      get_plan_metrics_(
          metrics->calls().Of("stowage.v1.PlacementService/GetPlan")) {}

grpc::Status PlacementServiceImpl::MakePlan(grpc::ServerContext* context,
                                            const v1::MakePlanRequest* request,
                                            v1::MakePlanResponse* response) {
  absl::StatusOr<v1::MakePlanRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<PlanRequest> plan_request = PlanRequestFromProto(*checked);
  if (!plan_request.ok()) return ToGrpcStatus(plan_request.status());
  absl::StatusOr<MadePlan> made = engine_->MakePlan(
      *plan_request, {.name = access_->NameOf(*context),
                      .is_gone = [context] { return context->IsCancelled(); }});
  if (!made.ok()) {
    TellWhenToRetry(made.status(), context);
    return ToGrpcStatus(made.status());
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
                 call = CountedCall(&get_plan_metrics_, context)] {
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

// A plan that is kept is answered from where the request arrives, without
// another thread.
grpc::ServerUnaryReactor* PlacementServiceImpl::PlaceOnce(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const CountedCall call(&place_once_metrics_, context);
  const auto finish = [reactor, response,
                       call](absl::StatusOr<grpc::ByteBuffer> answer) {
    const absl::Status status = answer.status();
    call.End(status);
    if (status.ok()) *response = *std::move(answer);
    reactor->Finish(ToGrpcStatus(status));
  };
  grpc::ByteBuffer bytes = *request;
  v1::PlaceRequest parsed;
  if (!grpc::SerializationTraits<v1::PlaceRequest>::Deserialize(&bytes, &parsed)
           .ok()) {
    finish(MalformedRequest(v1::PlaceRequest::descriptor()->full_name()));
    return reactor;
  }
  PlanReader reader(engine_, metrics_, PlaceCall::kOnce);
  reader.TakeKept(parsed.plan_id());
  if (!reader.IsSlow(parsed)) {
    finish(reader.Answer(parsed, call.begin()));
    return reactor;
  }
  workers_->Run([slow = std::make_shared<PlanReader>(std::move(reader)), finish,
                 parsed = std::move(parsed), arrived = call.begin()] {
    finish(slow->Answer(parsed, arrived));
  });
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
PlacementServiceImpl::Place(grpc::CallbackServerContext* context) {
  auto reader = std::make_shared<PlanReader>(engine_, metrics_);
  return new ExchangeStream<v1::PlaceRequest, grpc::ByteBuffer>(
      streams_, access_->TakeStream(*context),
      [reader](const v1::PlaceRequest& request, absl::Time arrived) {
        return reader->Answer(request, arrived);
      },
      [stream = CountedStream(&place_metrics_, context)](
          const absl::Status& status) { stream.End(status); },
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
