#include "server/rpc/node_service.h"

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "policies/model/memory_system_proto.h"
#include "server/access/allowed_calls.h"
#include "server/calls/counted_call.h"
#include "server/calls/status.h"
#include "server/fleet/telemetry_intake.h"
#include "server/fleet/version_skew.h"
#include "server/rpc/exchange_stream.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"

namespace stowage {
namespace {

constexpr absl::string_view kNodesList = "nodes";
constexpr char kTelemetryMethod[] = "stowage.v1.NodeService/StreamTelemetry";

}  // namespace

grpc::Status NodeServiceImpl::RegisterNode(
    grpc::ServerContext* context, const v1::RegisterNodeRequest* request,
    v1::RegisterNodeResponse* response) {
  absl::StatusOr<v1::RegisterNodeRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::Status own = access_->CheckOwn(*context, checked->node());
  if (!own.ok()) return ToGrpcStatus(own);
  absl::Status valid =
      policies::MemorySystemFromProto(checked->system()).status();
  if (!valid.ok()) return ToGrpcStatus(valid);
  absl::Status speaks = CheckVersionSkew(checked->agent_version(), version_);
  if (!speaks.ok()) return ToGrpcStatus(speaks);
  absl::Status registered =
      nodes_->Register(checked->node(), checked->system(), absl::Now(),
                       checked->fast_total_bytes());
  if (!registered.ok()) return ToGrpcStatus(registered);
  response->set_heartbeat_interval_ms(
      absl::ToInt64Milliseconds(heartbeat_interval_));
  return grpc::Status::OK;
}

grpc::Status NodeServiceImpl::Heartbeat(grpc::ServerContext* context,
                                        const v1::HeartbeatRequest* request,
                                        v1::HeartbeatResponse* response) {
  absl::StatusOr<v1::HeartbeatRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::Status own = access_->CheckOwn(*context, checked->node());
  if (!own.ok()) return ToGrpcStatus(own);
  absl::Status known =
      nodes_->Heartbeat(checked->node(), checked->active_jobs(), absl::Now());
  if (!known.ok()) return ToGrpcStatus(known);
  for (const v1::ResizeOutcome& outcome : checked->outcomes()) {
    jobs_->TakeOutcome(checked->node(), outcome);
  }
  const std::vector<v1::ResizeOrder> orders =
      jobs_->PendingOrders(checked->node());
  response->mutable_orders()->Assign(orders.begin(), orders.end());
  return grpc::Status::OK;
}

grpc::Status NodeServiceImpl::ListNodes(grpc::ServerContext* /*context*/,
                                        const v1::ListNodesRequest* request,
                                        v1::ListNodesResponse* response) {
  absl::StatusOr<v1::ListNodesRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kNodesList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  std::vector<v1::NodeSummary> nodes =
      nodes_->List(page->after, page->size + 1, absl::Now());
  if (TrimToPage(*page, &nodes)) {
    response->set_next_page_token(PageToken(kNodesList, nodes.back().node()));
  }
  response->mutable_nodes()->Assign(nodes.begin(), nodes.end());
  return grpc::Status::OK;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
NodeServiceImpl::StreamTelemetry(grpc::CallbackServerContext* context) {
  auto intake = std::make_shared<TelemetryIntake>(
      nodes_, jobs_, [this](const v1::StepTelemetry& step) {
        metrics_->CountPlannedStep(step);
        drift_->NoteStep(step);
      });
  return new ExchangeStream<v1::TelemetryBatch, v1::TelemetryAck>(
      streams_, access_->TakeStream(*context),
      [intake, metrics = metrics_, caller = access_->CallerOf(*context)](
          const v1::TelemetryBatch& batch,
          absl::Time /*arrived*/) -> absl::StatusOr<v1::TelemetryAck> {
        absl::Status valid = CheckBounds(batch);
        valid.Update(CheckNode(caller, batch.node()));
        if (!valid.ok()) return valid;
        absl::StatusOr<TelemetryTotals> totals =
            intake->Accept(batch, absl::Now());
        if (!totals.ok()) return totals.status();
        metrics->CountTelemetry(*totals);
        v1::TelemetryAck ack;
        ack.set_sequence(batch.sequence());
        return ack;
      },
      [stream =
           CountedStream(&metrics_->calls().Of(kTelemetryMethod), context)](
          const absl::Status& status) { stream.End(status); });
}

}  // namespace stowage
