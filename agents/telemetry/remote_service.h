// Connects the agent to the placement service.
//
//   RemoteService service({.address = "unix:/run/stowaged.sock",
//                          .node = "node1", .system = system});
//   absl::StatusOr<v1::MakePlanResponse> made = service.MakePlan(query);
//
// A thread registers the node, sends heartbeats, job notices and telemetry, and
// does it all again when the service has been away. Heartbeats bring the limits
// that the service orders, and tell what became of them.
#ifndef STOWAGE_AGENTS_TELEMETRY_REMOTE_SERVICE_H_
#define STOWAGE_AGENTS_TELEMETRY_REMOTE_SERVICE_H_

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agents/jobs/planning/service_link.h"
#include "agents/telemetry/resize_queue.h"
#include "agents/telemetry/step_queue.h"
#include "client_sdk/cpp/client.h"
#include "timing/bell.h"

namespace stowage::agent {

struct RemoteServiceOptions {
  std::string address;
  // As in ClientOptions.
  std::shared_ptr<const Certificates> certificates;
  std::string server_name;
  std::string node;
  v1::MemorySystem system;  // what the node registers
  std::string agent_version;
  int64_t fast_total_bytes = 0;  // for all jobs; 0: no bound
  absl::Duration call_deadline = absl::Seconds(5);
  absl::Duration plan_deadline = absl::Minutes(5);
  // How long to leave an absent service alone, and how often to look for
  // something to send.
  absl::Duration retry_interval = absl::Seconds(1);
  absl::Duration poll_interval = absl::Milliseconds(100);
};

// Thread-safe.
class RemoteService : public ServiceLink {
 public:
  // Starts the thread; does not wait for the service.
  explicit RemoteService(RemoteServiceOptions options);
  // Calls Close(). No MakePlan() may be under way and no placement stream open.
  ~RemoteService() override;

  absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const PlanQuery& query) override;
  v1::PolicyCapabilities CapabilitiesOf(
      const std::string& policy) const override;
  absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() override;
  void StartJob(const v1::Job& job) override;
  void FinishJob(const std::string& job_id) override;
  void ReportSteps(std::vector<v1::StepTelemetry> steps) override;
  std::optional<v1::ResizeOrder> OrderOf(
      const std::string& job_id) const override;
  void ReportOutcome(const v1::ResizeOutcome& outcome) override;
  void Close() override;
  bool connected() const override { return connected_; }
  bool registered() const override { return registered_; }

 private:
  // What happened to a job and the service does not know yet.
  struct Notice {
    std::string job_id;
    bool finished = false;
  };

  void Run();
  // Sends everything that is due. An error ends the round, and the next one
  // begins with a new registration.
  absl::Status Exchange();
  absl::Status Register();
  // Asks the service which policies there are and what they can do.
  absl::Status KnowPolicies(Client& client);
  // Returns when to send the next heartbeat: soon while resizes are under way.
  int64_t HeartbeatDueNs() const;
  absl::Status SendHeartbeat();
  absl::Status SendNotices();
  absl::Status SendSteps();
  absl::Status SendBatch(v1::TelemetryBatch batch);
  absl::StatusOr<Client*> PlanClient();
  void NoteOutcome(const absl::Status& status);
  void TellOfRefusal(const absl::Status& status);

  const RemoteServiceOptions options_;
  StepQueue steps_;
  ResizeQueue resizes_;
  std::atomic<bool> connected_{false};
  std::atomic<bool> registered_{false};
  Bell stop_;
  Bell ended_;  // the thread is about to return

  absl::Mutex plan_mutex_;
  std::unique_ptr<Client> plan_client_ ABSL_GUARDED_BY(plan_mutex_);

  mutable absl::Mutex policies_mutex_;
  std::map<std::string, v1::PolicyCapabilities> capabilities_
      ABSL_GUARDED_BY(policies_mutex_);

  absl::Mutex jobs_mutex_;
  std::map<std::string, v1::Job> active_jobs_ ABSL_GUARDED_BY(jobs_mutex_);
  std::deque<Notice> notices_ ABSL_GUARDED_BY(jobs_mutex_);

  // The thread alone uses these.
  std::unique_ptr<Client> client_;
  absl::Status told_refusal_;  // OK: the service has taken the node since
  absl::Duration heartbeat_interval_;
  int64_t last_heartbeat_ns_ = 0;
  int64_t sequence_ = 0;

  absl::Mutex stream_mutex_;  // for cancelling
  std::unique_ptr<TelemetryStream> stream_ ABSL_GUARDED_BY(stream_mutex_);

  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TELEMETRY_REMOTE_SERVICE_H_
