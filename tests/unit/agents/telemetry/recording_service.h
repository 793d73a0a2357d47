// Plays a placement service that keeps what it has been told.
//
//   RecordingService service;
//   std::unique_ptr<grpc::Server> server = service.Listen("unix:/tmp/s.sock");
//   EXPECT_TRUE(service.told.Await([&] {
//     service.told.mutex.AssertReaderHeld();
//     return service.told.registrations == 1;
//   }));
#ifndef STOWAGE_TESTS_UNIT_AGENTS_TELEMETRY_RECORDING_SERVICE_H_
#define STOWAGE_TESTS_UNIT_AGENTS_TELEMETRY_RECORDING_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "stowage/v1/graphs.grpc.pb.h"
#include "stowage/v1/job.grpc.pb.h"
#include "stowage/v1/node.grpc.pb.h"
#include "stowage/v1/placement.grpc.pb.h"
#include "stowage/v1/training.grpc.pb.h"

namespace stowage::agent {

inline constexpr absl::Duration kPatience = absl::Seconds(60);

// Keeps what a placement service has been told.
struct Told {
  absl::Mutex mutex;
  int registrations ABSL_GUARDED_BY(mutex) = 0;  // refused ones, too
  grpc::Status refusal ABSL_GUARDED_BY(mutex);   // of registrations
  int heartbeats ABSL_GUARDED_BY(mutex) = 0;
  int64_t heartbeat_interval_ms ABSL_GUARDED_BY(mutex) = 1;
  std::vector<v1::ResizeOrder> orders ABSL_GUARDED_BY(mutex);
  std::vector<v1::ResizeOutcome> outcomes ABSL_GUARDED_BY(mutex);
  std::vector<std::string> started ABSL_GUARDED_BY(mutex);
  int64_t announced_limit_bytes ABSL_GUARDED_BY(mutex) = 0;
  std::vector<std::string> finished ABSL_GUARDED_BY(mutex);
  std::vector<v1::TelemetryBatch> batches ABSL_GUARDED_BY(mutex);
  v1::MakePlanRequest plan_request ABSL_GUARDED_BY(mutex);
  std::vector<v1::StartTrainingRequest> trainings ABSL_GUARDED_BY(mutex);
  bool forgot_the_node ABSL_GUARDED_BY(mutex) = false;

  // Blocks until `condition` holds for what was told.
  template <typename Predicate>
  bool Await(Predicate condition) {
    absl::MutexLock lock(&mutex);
    return mutex.AwaitWithTimeout(absl::Condition(&condition), kPatience);
  }
};

class RecordingNodes : public v1::NodeService::Service {
 public:
  explicit RecordingNodes(Told* told) : told_(told) {}
  grpc::Status RegisterNode(grpc::ServerContext*,
                            const v1::RegisterNodeRequest*,
                            v1::RegisterNodeResponse* response) override {
    absl::MutexLock lock(&told_->mutex);
    ++told_->registrations;
    if (!told_->refusal.ok()) {
      return {told_->refusal.error_code(),
              absl::StrCat(told_->refusal.error_message(), " (x-request-id ",
                           told_->registrations, ")")};
    }
    told_->forgot_the_node = false;
    response->set_heartbeat_interval_ms(told_->heartbeat_interval_ms);
    return grpc::Status::OK;
  }
  grpc::Status Heartbeat(grpc::ServerContext*,
                         const v1::HeartbeatRequest* request,
                         v1::HeartbeatResponse* response) override {
    absl::MutexLock lock(&told_->mutex);
    ++told_->heartbeats;
    for (const v1::ResizeOutcome& outcome : request->outcomes()) {
      told_->outcomes.push_back(outcome);
      std::erase_if(told_->orders, [&](const v1::ResizeOrder& order) {
        return order.number() == outcome.number();
      });
    }
    response->mutable_orders()->Assign(told_->orders.begin(),
                                       told_->orders.end());
    if (!told_->forgot_the_node) return grpc::Status::OK;
    return {grpc::StatusCode::NOT_FOUND, "who?"};
  }
  grpc::Status StreamTelemetry(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::TelemetryAck, v1::TelemetryBatch>* stream)
      override {
    v1::TelemetryBatch batch;
    while (stream->Read(&batch)) {
      {
        absl::MutexLock lock(&told_->mutex);
        told_->batches.push_back(batch);
      }
      v1::TelemetryAck ack;
      ack.set_sequence(batch.sequence());
      stream->Write(ack);
    }
    return grpc::Status::OK;
  }

 private:
  Told* const told_;
};

class RecordingJobs : public v1::JobService::Service {
 public:
  explicit RecordingJobs(Told* told) : told_(told) {}
  grpc::Status StartJob(grpc::ServerContext*,
                        const v1::StartJobRequest* request,
                        v1::StartJobResponse*) override {
    absl::MutexLock lock(&told_->mutex);
    told_->started.push_back(request->job().job_id());
    told_->announced_limit_bytes = request->job().fast_limit_bytes();
    return grpc::Status::OK;
  }
  grpc::Status FinishJob(grpc::ServerContext*,
                         const v1::FinishJobRequest* request,
                         v1::FinishJobResponse*) override {
    absl::MutexLock lock(&told_->mutex);
    told_->finished.push_back(request->job_id());
    return {grpc::StatusCode::NOT_FOUND, "never known"};
  }

 private:
  Told* const told_;
};

class RecordingGraphs : public v1::GraphService::Service {
  grpc::Status RegisterGraph(grpc::ServerContext*,
                             const v1::RegisterGraphRequest* request,
                             v1::RegisterGraphResponse* response) override {
    response->set_graph_id("id-of-" + request->graph().name());
    return grpc::Status::OK;
  }
};

inline constexpr int32_t kHangingKernel = 99;
inline constexpr char kTrainedPolicy[] = "learns";

class RecordingPlacement : public v1::PlacementService::Service {
 public:
  explicit RecordingPlacement(Told* told) : told_(told) {}
  grpc::Status MakePlan(grpc::ServerContext*,
                        const v1::MakePlanRequest* request,
                        v1::MakePlanResponse* response) override {
    absl::MutexLock lock(&told_->mutex);
    told_->plan_request = *request;
    if (request->fast_limit_bytes() < 100) {
      return {grpc::StatusCode::FAILED_PRECONDITION, "100 bytes would do"};
    }
    if (request->policy() == kTrainedPolicy) {
      return {grpc::StatusCode::FAILED_PRECONDITION, "none serves"};
    }
    response->set_plan_id("plan-of-" + request->graph_id());
    response->mutable_plan()->set_graph_id(request->graph_id());
    return grpc::Status::OK;
  }

  grpc::Status ListPolicies(grpc::ServerContext*,
                            const v1::ListPoliciesRequest*,
                            v1::ListPoliciesResponse* response) override {
    response->add_policies()->set_name("belady");
    v1::PolicySummary* trained = response->add_policies();
    trained->set_name(kTrainedPolicy);
    trained->mutable_capabilities()->set_needs_training(true);
    return grpc::Status::OK;
  }

  // Answers every request except those for the last kernel, which it keeps
  // waiting.
  grpc::Status Place(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::PlaceResponse, v1::PlaceRequest>* stream)
      override {
    v1::PlaceRequest request;
    while (stream->Read(&request)) {
      if (request.kernel() == kHangingKernel) {
        while (!context->IsCancelled()) std::this_thread::yield();
        break;
      }
      v1::PlaceResponse response;
      response.add_decisions()->set_kernel(request.kernel());
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

 private:
  Told* const told_;
};

class RecordingTrainings : public v1::TrainingService::Service {
 public:
  explicit RecordingTrainings(Told* told) : told_(told) {}
  grpc::Status StartTraining(grpc::ServerContext*,
                             const v1::StartTrainingRequest* request,
                             v1::StartTrainingResponse*) override {
    absl::MutexLock lock(&told_->mutex);
    told_->trainings.push_back(*request);
    return grpc::Status::OK;
  }

 private:
  Told* const told_;
};

struct RecordingService {
  // Listens at the address until the server is shut down; null if it cannot.
  std::unique_ptr<grpc::Server> Listen(const std::string& address) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&nodes);
    builder.RegisterService(&jobs);
    builder.RegisterService(&graphs);
    builder.RegisterService(&placement);
    builder.RegisterService(&trainings);
    return builder.BuildAndStart();
  }

  Told told;
  RecordingNodes nodes{&told};
  RecordingJobs jobs{&told};
  RecordingGraphs graphs;
  RecordingPlacement placement{&told};
  RecordingTrainings trainings{&told};
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_TELEMETRY_RECORDING_SERVICE_H_
