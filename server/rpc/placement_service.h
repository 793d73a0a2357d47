// Serves stowage.v1.PlacementService from a PlacementEngine.
// proto/stowage/v1/placement.proto lists the errors.
//
//   PlacementServiceImpl service(&engine, store.get(), &streams, &workers,
//                                &metrics, &access);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_PLACEMENT_SERVICE_H_
#define STOWAGE_SERVER_RPC_PLACEMENT_SERVICE_H_

#include "absl/status/statusor.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/access/access.h"
#include "server/graphs/graph_store.h"
#include "server/metrics/server_metrics.h"
#include "server/placement/placement_engine.h"
#include "server/rpc/stream_registry.h"
#include "server/rpc/stream_workers.h"
#include "stowage/v1/placement.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it.
class PlacementServiceImpl final
    : public v1::PlacementService::WithRawCallbackMethod_Place<
          v1::PlacementService::WithRawCallbackMethod_PlaceOnce<
              v1::PlacementService::WithRawCallbackMethod_GetPlan<
                  v1::PlacementService::Service>>> {
 public:
  PlacementServiceImpl(PlacementEngine* engine, GraphStore* store,
                       StreamRegistry* streams, StreamWorkers* workers,
                       ServerMetrics* metrics, Access* access);

  grpc::Status MakePlan(grpc::ServerContext* context,
                        const v1::MakePlanRequest* request,
                        v1::MakePlanResponse* response) override;
  grpc::ServerUnaryReactor* GetPlan(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::Status ListPlans(grpc::ServerContext* context,
                         const v1::ListPlansRequest* request,
                         v1::ListPlansResponse* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Place(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* PlaceOnce(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::Status ListPolicies(grpc::ServerContext* context,
                            const v1::ListPoliciesRequest* request,
                            v1::ListPoliciesResponse* response) override;

 private:
  // Returns the answer to the bytes of a GetPlanRequest.
  absl::StatusOr<grpc::ByteBuffer> StoredPlan(grpc::ByteBuffer request);

  PlacementEngine* const engine_;
  GraphStore* const store_;
  StreamRegistry* const streams_;
  StreamWorkers* const workers_;
  ServerMetrics* const metrics_;
  Access* const access_;
  // Of the methods that interceptors do not see.
  MethodMetrics& place_metrics_;
  MethodMetrics& place_once_metrics_;
  MethodMetrics& get_plan_metrics_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_PLACEMENT_SERVICE_H_
