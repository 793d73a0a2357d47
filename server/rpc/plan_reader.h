// Answers PlaceRequests from a plan. If the job's tensors are not where the plan
// has them, and the job wants to adapt, the DQN policy that served when the job
// first asked answers.
//
//   PlanReader reader(&engine, &metrics);
//   absl::StatusOr<grpc::ByteBuffer> response =
//       reader.Answer(request, /*arrived=*/SteadyNow());
#ifndef STOWAGE_SERVER_RPC_PLAN_READER_H_
#define STOWAGE_SERVER_RPC_PLAN_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/metrics/server_metrics.h"
#include "server/placement/job_situation.h"
#include "server/placement/kernel_decisions.h"
#include "server/placement/online_decisions.h"
#include "server/placement/placement_engine.h"
#include "stowage/v1/placement.pb.h"
#include "timing/steady_now.h"

namespace stowage {

// Make one per stream, or per call. Not thread-safe. Owns neither argument; both
// must outlive it.
class PlanReader {
 public:
  // The plan of a call of its own is kept for the calls that come next.
  PlanReader(PlacementEngine* engine, ServerMetrics* metrics,
             PlaceCall call = PlaceCall::kStream)
      : engine_(engine), metrics_(metrics), call_(call) {}

  // Takes the plan if an earlier call has kept it. Does not block.
  void TakeKept(const std::string& plan_id);

  // Returns the bytes of a PlaceResponse, and counts it. Reads the plan first, if
  // it has none yet. placement.proto lists the errors.
  absl::StatusOr<grpc::ByteBuffer> Answer(const v1::PlaceRequest& request,
                                          absl::Time arrived);

  // Returns whether it must read the plan or the policy, or ask the policy.
  bool IsSlow(const v1::PlaceRequest& request) const {
    return decisions_ == nullptr || request.adapt();
  }

 private:
  // Says in `source` what has decided.
  absl::StatusOr<grpc::ByteBuffer> Decide(const v1::PlaceRequest& request,
                                          v1::DecisionSource* source);
  absl::Status Load(const std::string& plan_id);
  // Returns the bytes of the plan's decisions, and says that they are the
  // plan's.
  absl::StatusOr<grpc::ByteBuffer> Planned(absl::string_view window) const;
  // Returns whether the job deviates from the plan, so that the policy decides.
  absl::StatusOr<bool> Deviates(const JobSituation& situation);
  absl::StatusOr<grpc::ByteBuffer> Decided(const JobSituation& situation,
                                           int32_t window) const;

  PlacementEngine* const engine_;
  ServerMetrics* const metrics_;
  const PlaceCall call_;
  std::string plan_id_;
  std::shared_ptr<const KernelDecisions> decisions_;
  std::optional<OnlineDecisions> online_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_PLAN_READER_H_
