// Serves stowage.v1.JobService from a JobRegistry. proto/stowage/v1/job.proto
// lists the errors.
//
//   JobServiceImpl service(&jobs, &exchange, store.get(), &access);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_JOB_SERVICE_H_
#define STOWAGE_SERVER_RPC_JOB_SERVICE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/access/access.h"
#include "server/fleet/fleet_exchange.h"
#include "server/fleet/job_registry.h"
#include "server/graphs/graph_store.h"
#include "stowage/v1/job.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it.
class JobServiceImpl final : public v1::JobService::Service {
 public:
  JobServiceImpl(JobRegistry* jobs, FleetExchange* exchange, GraphStore* graphs,
                 const Access* access)
      : jobs_(jobs), exchange_(exchange), graphs_(graphs), access_(access) {}

  grpc::Status StartJob(grpc::ServerContext* context,
                        const v1::StartJobRequest* request,
                        v1::StartJobResponse* response) override;
  grpc::Status FinishJob(grpc::ServerContext* context,
                         const v1::FinishJobRequest* request,
                         v1::FinishJobResponse* response) override;
  grpc::Status GetJob(grpc::ServerContext* context,
                      const v1::GetJobRequest* request,
                      v1::GetJobResponse* response) override;
  grpc::Status ListJobs(grpc::ServerContext* context,
                        const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override;
  grpc::Status ResizeJob(grpc::ServerContext* context,
                         const v1::ResizeJobRequest* request,
                         v1::ResizeJobResponse* response) override;

 private:
  absl::Status CheckGraphKnown(const std::string& graph_id);
  // Returns a job that the caller may know. Errors are those of the registry
  // and of Access.
  absl::StatusOr<v1::Job> OwnJob(const grpc::ServerContext& context,
                                 const std::string& job_id);

  JobRegistry* const jobs_;
  FleetExchange* const exchange_;
  GraphStore* const graphs_;
  const Access* const access_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_JOB_SERVICE_H_
