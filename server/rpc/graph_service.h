// Serves stowage.v1.GraphService from a GraphStore.
// proto/stowage/v1/graphs.proto lists the errors.
//
//   GraphServiceImpl service(store.get(), &drift, &access);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_GRAPH_SERVICE_H_
#define STOWAGE_SERVER_RPC_GRAPH_SERVICE_H_

#include "server/access/access.h"
#include "server/graphs/graph_store.h"
#include "server/training/drift_monitor.h"
#include "stowage/v1/graphs.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it.
class GraphServiceImpl final : public v1::GraphService::Service {
 public:
  GraphServiceImpl(GraphStore* store, DriftMonitor* drift, Access* access)
      : store_(store), drift_(drift), access_(access) {}

  grpc::Status RegisterGraph(grpc::ServerContext* context,
                             const v1::RegisterGraphRequest* request,
                             v1::RegisterGraphResponse* response) override;
  grpc::Status GetGraph(grpc::ServerContext* context,
                        const v1::GetGraphRequest* request,
                        v1::GetGraphResponse* response) override;
  grpc::Status ListGraphs(grpc::ServerContext* context,
                          const v1::ListGraphsRequest* request,
                          v1::ListGraphsResponse* response) override;
  grpc::Status DeleteGraph(grpc::ServerContext* context,
                           const v1::DeleteGraphRequest* request,
                           v1::DeleteGraphResponse* response) override;

 private:
  GraphStore* const store_;
  DriftMonitor* const drift_;
  Access* const access_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_GRAPH_SERVICE_H_
