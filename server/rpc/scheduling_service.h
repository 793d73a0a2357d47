// Serves stowage.v1.SchedulingService.
// proto/stowage/v1/scheduling.proto lists the errors.
//
//   SchedulingServiceImpl service(&estimator, &ranking, &book, &store, &nodes,
//                                 &access);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_SCHEDULING_SERVICE_H_
#define STOWAGE_SERVER_RPC_SCHEDULING_SERVICE_H_

#include "server/access/access.h"
#include "server/fleet/node_registry.h"
#include "server/scheduling/job_estimator.h"
#include "server/scheduling/job_ranking.h"
#include "server/scheduling/reservation_book.h"
#include "server/scheduling/reservation_store.h"
#include "stowage/v1/scheduling.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it.
class SchedulingServiceImpl final : public v1::SchedulingService::Service {
 public:
  SchedulingServiceImpl(JobEstimator* estimator, JobRanking* ranking,
                        ReservationBook* book, ReservationStore* store,
                        const NodeRegistry* nodes, Access* access)
      : estimator_(estimator),
        ranking_(ranking),
        book_(book),
        store_(store),
        nodes_(nodes),
        access_(access) {}

  grpc::Status EstimateJob(grpc::ServerContext* context,
                           const v1::EstimateJobRequest* request,
                           v1::EstimateJobResponse* response) override;
  grpc::Status RankNodes(grpc::ServerContext* context,
                         const v1::RankNodesRequest* request,
                         v1::RankNodesResponse* response) override;
  grpc::Status Reserve(grpc::ServerContext* context,
                       const v1::ReserveRequest* request,
                       v1::ReserveResponse* response) override;
  grpc::Status RenewReservation(
      grpc::ServerContext* context, const v1::RenewReservationRequest* request,
      v1::RenewReservationResponse* response) override;
  grpc::Status ReleaseReservation(
      grpc::ServerContext* context,
      const v1::ReleaseReservationRequest* request,
      v1::ReleaseReservationResponse* response) override;
  grpc::Status ListReservations(
      grpc::ServerContext* context, const v1::ListReservationsRequest* request,
      v1::ListReservationsResponse* response) override;

 private:
  PlanCaller CallerOf(grpc::ServerContext* context) const;

  JobEstimator* const estimator_;
  JobRanking* const ranking_;
  ReservationBook* const book_;
  ReservationStore* const store_;
  const NodeRegistry* const nodes_;
  Access* const access_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_SCHEDULING_SERVICE_H_
