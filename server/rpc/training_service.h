// Serves stowage.v1.TrainingService from a TrainingManager and PolicyVersions.
// proto/stowage/v1/training.proto lists the errors.
//
//   TrainingServiceImpl service(&manager, &versions, trainings.get(), &metrics,
//                               &access);
//   builder.RegisterService(&service);
#ifndef STOWAGE_SERVER_RPC_TRAINING_SERVICE_H_
#define STOWAGE_SERVER_RPC_TRAINING_SERVICE_H_

#include <atomic>

#include "server/access/access.h"
#include "server/metrics/server_metrics.h"
#include "server/training/policy_versions.h"
#include "server/training/training_manager.h"
#include "server/training/training_store.h"
#include "stowage/v1/training.grpc.pb.h"

namespace stowage {

// Thread-safe. Owns none of its arguments; all must outlive it. Allows few
// watchers, because each holds a thread.
class TrainingServiceImpl final : public v1::TrainingService::Service {
 public:
  static constexpr int kMaxWatchers = 64;

  TrainingServiceImpl(TrainingManager* manager, PolicyVersions* versions,
                      TrainingStore* trainings, ServerMetrics* metrics,
                      Access* access)
      : manager_(manager),
        versions_(versions),
        trainings_(trainings),
        metrics_(metrics),
        access_(access) {}

  grpc::Status StartTraining(grpc::ServerContext* context,
                             const v1::StartTrainingRequest* request,
                             v1::StartTrainingResponse* response) override;
  grpc::Status GetTraining(grpc::ServerContext* context,
                           const v1::GetTrainingRequest* request,
                           v1::GetTrainingResponse* response) override;
  grpc::Status ListTrainings(grpc::ServerContext* context,
                             const v1::ListTrainingsRequest* request,
                             v1::ListTrainingsResponse* response) override;
  grpc::Status WatchTraining(
      grpc::ServerContext* context, const v1::WatchTrainingRequest* request,
      grpc::ServerWriter<v1::TrainingEvent>* writer) override;
  grpc::Status CancelTraining(grpc::ServerContext* context,
                              const v1::CancelTrainingRequest* request,
                              v1::CancelTrainingResponse* response) override;
  grpc::Status ListVersions(grpc::ServerContext* context,
                            const v1::ListVersionsRequest* request,
                            v1::ListVersionsResponse* response) override;
  grpc::Status GetVersion(grpc::ServerContext* context,
                          const v1::GetVersionRequest* request,
                          v1::GetVersionResponse* response) override;
  grpc::Status PromoteVersion(grpc::ServerContext* context,
                              const v1::PromoteVersionRequest* request,
                              v1::PromoteVersionResponse* response) override;
  grpc::Status RollBackVersion(grpc::ServerContext* context,
                               const v1::RollBackVersionRequest* request,
                               v1::RollBackVersionResponse* response) override;

 private:
  TrainingManager* const manager_;
  PolicyVersions* const versions_;
  TrainingStore* const trainings_;
  ServerMetrics* const metrics_;
  Access* const access_;
  std::atomic<int> watchers_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_TRAINING_SERVICE_H_
