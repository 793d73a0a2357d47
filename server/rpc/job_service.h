// stowage.v1.JobService on top of a JobRegistry. The conditions of each error
// stand in proto/stowage/v1/job.proto.
//
//   JobServiceImpl service(&jobs);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_JOB_SERVICE_H_
#define STOWAGE_SERVER_RPC_JOB_SERVICE_H_

#include "server/fleet/job_registry.h"
#include "stowage/v1/job.grpc.pb.h"

namespace stowage {

// Thread-safe. Does not own the registry, which must outlive it.
class JobServiceImpl final : public v1::JobService::Service {
 public:
  explicit JobServiceImpl(JobRegistry* jobs) : jobs_(jobs) {}

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

 private:
  JobRegistry* const jobs_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_JOB_SERVICE_H_
