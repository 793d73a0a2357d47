#include "server/rpc/scheduling_service.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "policies/registry.h"
#include "server/calls/status.h"
#include "server/rpc/memory_system_of.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"
#include "server/rpc/retry_time.h"

namespace stowage {
namespace {

constexpr absl::string_view kReservationsList = "reservations";
constexpr int32_t kUsualCount = 10;

absl::Status CheckCurve(const v1::EstimateJobRequest& request) {
  if (request.points() == 1) {
    return absl::InvalidArgumentError(
        "points is 1; send 2 or more, or 0 for the usual number");
  }
  for (const double speed : request.speeds()) {
    if (speed > 0) continue;
    return absl::InvalidArgumentError(
        "a speed is 0; send shares of full speed, above 0 and up to 1");
  }
  return absl::OkStatus();
}

absl::StatusOr<EstimateRequest> EstimateRequestFromProto(
    const v1::EstimateJobRequest& proto) {
  if (absl::Status valid = CheckCurve(proto); !valid.ok()) return valid;
  absl::StatusOr<policies::MemorySystem> system = MemorySystemOf(proto);
  if (!system.ok()) return system.status();
  EstimateRequest request = {
      .graph_id = proto.graph_id(),
      .system = *std::move(system),
      .policy = std::string(proto.policy().empty()
                                ? policies::kDefaultPolicy
                                : policies::PresentPolicyName(proto.policy()))};
  if (proto.points() > 0) request.points = proto.points();
  if (!proto.speeds().empty()) {
    request.speeds.assign(proto.speeds().begin(), proto.speeds().end());
    std::sort(request.speeds.begin(), request.speeds.end());
  }
  if (proto.think_ms() > 0) {
    request.think_time = absl::Milliseconds(proto.think_ms());
  }
  return request;
}

v1::EstimatePoint ToProto(const policies::EstimatePoint& point) {
  v1::EstimatePoint proto;
  proto.set_fast_limit_bytes(point.limit_bytes);
  proto.set_step_time_ns(point.step_time_ns);
  proto.set_lower_bound_ns(point.bound_ns);
  proto.set_slow_peak_bytes(point.slow_peak_bytes);
  proto.set_moved_in_bytes(point.moved_in_bytes);
  proto.set_moved_out_bytes(point.moved_out_bytes);
  proto.set_price_usd(point.price_usd);
  proto.set_streaming_kernels(point.streaming_kernels);
  return proto;
}

v1::EstimateJobResponse ToProto(const policies::JobEstimate& estimate) {
  v1::EstimateJobResponse proto;
  proto.set_peak_bytes(estimate.peak_bytes);
  proto.set_all_fast_ns(estimate.all_fast_ns);
  proto.set_least_limit_bytes(estimate.least_limit_bytes);
  proto.set_least_kernel(estimate.least_kernel);
  for (const policies::EstimatePoint& point : estimate.points) {
    *proto.add_points() = ToProto(point);
  }
  for (const policies::SpeedGoal& goal : estimate.goals) {
    v1::SpeedGoal* added = proto.add_goals();
    added->set_speed(goal.speed);
    added->set_fast_limit_bytes(goal.limit_bytes);
  }
  proto.set_knee_bytes(estimate.knee_bytes);
  return proto;
}

v1::RankedNode ToProto(const RankedNode& node) {
  v1::RankedNode proto;
  proto.set_node(node.name);
  proto.set_fast_bytes(node.fast_bytes);
  proto.set_predicted_step_time_ns(node.step_time_ns);
  proto.set_free_fast_bytes(node.free_bytes);
  proto.set_total_fast_bytes(node.total_bytes);
  proto.set_active_jobs(node.active_jobs);
  return proto;
}

}  // namespace

PlanCaller SchedulingServiceImpl::CallerOf(grpc::ServerContext* context) const {
  return {.name = access_->NameOf(*context),
          .is_gone = [context] { return context->IsCancelled(); }};
}

grpc::Status SchedulingServiceImpl::EstimateJob(
    grpc::ServerContext* context, const v1::EstimateJobRequest* request,
    v1::EstimateJobResponse* response) {
  absl::StatusOr<v1::EstimateJobRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<EstimateRequest> wanted = EstimateRequestFromProto(*checked);
  if (!wanted.ok()) return ToGrpcStatus(wanted.status());
  const absl::StatusOr<SharedEstimate> estimate =
      estimator_->Estimate(*wanted, CallerOf(context));
  if (!estimate.ok()) {
    TellWhenToRetry(estimate.status(), context);
    return ToGrpcStatus(estimate.status());
  }
  *response = ToProto(**estimate);
  return grpc::Status::OK;
}

grpc::Status SchedulingServiceImpl::RankNodes(
    grpc::ServerContext* context, const v1::RankNodesRequest* request,
    v1::RankNodesResponse* response) {
  absl::StatusOr<v1::RankNodesRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  const absl::StatusOr<NodeRanking> ranking = ranking_->Rank(
      {.graph_id = checked->graph_id(),
       .fast_bytes = checked->fast_bytes(),
       .nodes = {checked->nodes().begin(), checked->nodes().end()},
       .count = checked->count() > 0 ? checked->count() : kUsualCount},
      CallerOf(context));
  if (!ranking.ok()) {
    TellWhenToRetry(ranking.status(), context);
    return ToGrpcStatus(ranking.status());
  }
  for (const RankedNode& node : ranking->nodes) {
    *response->add_nodes() = ToProto(node);
  }
  response->set_suitable(ranking->suitable);
  response->set_full(ranking->full);
  response->set_unsuitable(ranking->unsuitable);
  return grpc::Status::OK;
}

grpc::Status SchedulingServiceImpl::Reserve(grpc::ServerContext* context,
                                            const v1::ReserveRequest* request,
                                            v1::ReserveResponse* response) {
  absl::StatusOr<v1::ReserveRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Reservation> reserved =
      book_->Reserve(*checked, access_->CallerOf(*context).identity);
  if (!reserved.ok()) return ToGrpcStatus(reserved.status());
  *response->mutable_reservation() = *std::move(reserved);
  return grpc::Status::OK;
}

grpc::Status SchedulingServiceImpl::RenewReservation(
    grpc::ServerContext* /*context*/,
    const v1::RenewReservationRequest* request,
    v1::RenewReservationResponse* response) {
  absl::StatusOr<v1::RenewReservationRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Reservation> renewed =
      book_->Renew(checked->reservation_id(), checked->job_id());
  if (!renewed.ok()) return ToGrpcStatus(renewed.status());
  response->set_node_alive(nodes_->IsAlive(renewed->node(), absl::Now()));
  *response->mutable_reservation() = *std::move(renewed);
  return grpc::Status::OK;
}

grpc::Status SchedulingServiceImpl::ReleaseReservation(
    grpc::ServerContext* /*context*/,
    const v1::ReleaseReservationRequest* request,
    v1::ReleaseReservationResponse* /*response*/) {
  absl::StatusOr<v1::ReleaseReservationRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  return ToGrpcStatus(store_->Release(checked->reservation_id()));
}

grpc::Status SchedulingServiceImpl::ListReservations(
    grpc::ServerContext* /*context*/,
    const v1::ListReservationsRequest* request,
    v1::ListReservationsResponse* response) {
  absl::StatusOr<v1::ListReservationsRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kReservationsList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::vector<v1::Reservation>> reservations =
      store_->List(checked->node(), page->after, page->size + 1);
  if (!reservations.ok()) return ToGrpcStatus(reservations.status());
  if (TrimToPage(*page, &*reservations)) {
    response->set_next_page_token(
        PageToken(kReservationsList, reservations->back().reservation_id()));
  }
  response->mutable_reservations()->Assign(reservations->begin(),
                                           reservations->end());
  return grpc::Status::OK;
}

}  // namespace stowage
