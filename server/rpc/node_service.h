// Serves stowage.v1.NodeService from the registries.
// proto/stowage/v1/node.proto lists the errors.
//
//   NodeServiceImpl service(&nodes, &jobs, &streams, &metrics, &drift,
//                           &access, absl::Seconds(5), "0.1.0");
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_NODE_SERVICE_H_
#define STOWAGE_SERVER_RPC_NODE_SERVICE_H_

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "server/access/access.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "server/metrics/server_metrics.h"
#include "server/rpc/stream_registry.h"
#include "server/training/drift_monitor.h"
#include "stowage/v1/node.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it.
class NodeServiceImpl final
    : public v1::NodeService::WithRawCallbackMethod_StreamTelemetry<
          v1::NodeService::Service> {
 public:
  // Tells agents to send a heartbeat every `heartbeat_interval`, and refuses
  // those whose version is too far from `version`.
  NodeServiceImpl(NodeRegistry* nodes, JobRegistry* jobs,
                  StreamRegistry* streams, ServerMetrics* metrics,
                  DriftMonitor* drift, Access* access,
                  absl::Duration heartbeat_interval, std::string version)
      : nodes_(nodes),
        jobs_(jobs),
        streams_(streams),
        metrics_(metrics),
        drift_(drift),
        access_(access),
        heartbeat_interval_(heartbeat_interval),
        version_(std::move(version)) {}

  grpc::Status RegisterNode(grpc::ServerContext* context,
                            const v1::RegisterNodeRequest* request,
                            v1::RegisterNodeResponse* response) override;
  grpc::Status Heartbeat(grpc::ServerContext* context,
                         const v1::HeartbeatRequest* request,
                         v1::HeartbeatResponse* response) override;
  grpc::Status ListNodes(grpc::ServerContext* context,
                         const v1::ListNodesRequest* request,
                         v1::ListNodesResponse* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StreamTelemetry(
      grpc::CallbackServerContext* context) override;

 private:
  NodeRegistry* const nodes_;
  JobRegistry* const jobs_;
  StreamRegistry* const streams_;
  ServerMetrics* const metrics_;
  DriftMonitor* const drift_;
  Access* const access_;
  const absl::Duration heartbeat_interval_;
  const std::string version_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_NODE_SERVICE_H_
