// Runs one job's session: its segment, its arenas and the threads that work on
// them.
//
//   absl::StatusOr<std::unique_ptr<Session>> session =
//       Session::Create(request, {}, context, is_over);
//   absl::Status sent = SendWelcome(socket, (*session)->welcome(),
//                                   (*session)->descriptors());
//   while (!HasHungUp(socket)) (*session)->Tick();
//   (*session)->LetGo();
#ifndef STOWAGE_AGENTS_JOBS_SESSION_H_
#define STOWAGE_AGENTS_JOBS_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agents/engine/copy_times.h"
#include "agents/engine/job_usage.h"
#include "agents/engine/migrator.h"
#include "agents/engine/tier_catalog.h"
#include "agents/jobs/admission/allotment.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/admission/job_rooms.h"
#include "agents/jobs/admission/job_share.h"
#include "agents/jobs/admission/slow_directories.h"
#include "agents/jobs/job_observer.h"
#include "agents/jobs/planning/asked_curve.h"
#include "agents/jobs/planning/delivered_plans.h"
#include "agents/jobs/planning/hint_worker.h"
#include "agents/jobs/planning/plan_worker.h"
#include "agents/jobs/planning/service_link.h"
#include "agents/jobs/records/event_writer.h"
#include "agents/jobs/records/limit_orders.h"
#include "agents/jobs/records/segment.h"
#include "agents/jobs/records/step_reader.h"
#include "agents/jobs/service_orders.h"
#include "agents/sharing/fast_memory.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Where the files of jobs are.
struct JobDirectories {
  std::string report_dir;  // empty: no reports
  std::string graph_dir;   // empty: graphs and plans are not kept
  SlowDirectories slow;
};

// What sessions of an agent share. What it points to must outlive them.
struct SessionContext {
  std::string node;
  JobDirectories directories;
  TierCatalog* catalog = nullptr;
  ServiceLink* service = nullptr;
  FastMemory* fast_memory = nullptr;
  // Of the socket that the jobs connect to; null: no bound.
  Allotment* allotment = nullptr;
  JobObserver observer;
  // PlanWorkerOptions::refresh_interval
  absl::Duration plan_refresh_interval = absl::Seconds(10);
  // PlanWorkerOptions::retry_interval
  absl::Duration plan_retry_interval = absl::Seconds(1);
  // Counts the processor time of the agent.
  std::shared_ptr<AgentUsage> usage = std::make_shared<AgentUsage>();
};

// One thread makes, uses and destroys it. Runs the migrator's two threads, the
// planner's thread and, for a job that wants hints, the thread for these.
class Session {
 public:
  // Makes the segment and the arenas. If the job comes back, takes over those
  // that it has: `left` are the descriptors of the segment and of the tiers.
  // Errors say what cannot be used and what to do. Blocks while a slow tier is
  // measured for the first time, and until other jobs have given back fast
  // memory that this one is sure of, or `is_over` says that nobody waits.
  static absl::StatusOr<std::unique_ptr<Session>> Create(
      const JobRequest& request, std::vector<OwnedFd> left,
      const SessionContext& context, absl::FunctionRef<bool()> is_over);
  // Waits for a plan that is being made.
  ~Session() = default;

  const JobRequest& request() const { return request_; }
  const std::string& job_id() const { return job_id_; }
  // Returns the job's limit, which may be set while it runs. It outlives this.
  std::shared_ptr<LimitOrders> limits() const { return limits_; }

  session::Welcome welcome() const;
  // Returns the descriptors of the segment and then of the tiers, fast to slow;
  // none for a job that has them.
  std::vector<int> descriptors() const;

  // Passes on measured steps and orders, those of the service among them, counts
  // processor time, and notes whether the service is there and how much the job
  // has taken of its tiers. Call it every 50 ms or so. Does not block.
  void Tick();

  // Ends the job for the agent. Blocks until no move is under way, writes the
  // report and tells the service. The job may go on alone.
  void LetGo();

 private:
  Session(const JobRequest& request, const SessionContext& context,
          std::string job_id, SessionSegment segment, JobRooms rooms,
          std::unique_ptr<JobShare> share);

  void ReportSteps();
  void NoteUse();
  void NoteService();
  void NoteFailure(const MoveOrder& order, int error);
  std::string MissingBytes() const;
  absl::Status WriteReport() const;

  const JobRequest request_;
  const SessionContext context_;
  const std::string job_id_;
  SessionSegment segment_;
  JobUsage usage_;
  ThreadUsage thread_usage_;
  EventWriter events_;
  StepReader steps_;
  bool service_lost_ = false;
  absl::Time next_use_ = absl::InfinitePast();  // when to note it again
  absl::Mutex mutex_;
  // Errors that have an event already; each gets one.
  absl::flat_hash_set<int> told_errors_ ABSL_GUARDED_BY(mutex_);
  const session::LimitOrder first_limit_;
  const std::shared_ptr<LimitOrders> limits_;
  ServiceOrders service_orders_;
  std::unique_ptr<JobShare> share_;  // null: the job has ended
  std::unique_ptr<SlowPart> slow_part_;
  AskedCurve asked_curve_;
  CopyTimes copy_times_;
  std::optional<Migrator> migrator_;
  std::vector<session::TierInfo> tiers_;
  std::vector<int> descriptors_;
  int slow_fd_ = -1;
  int sums_fd_ = -1;
  DeliveredPlans delivered_;
  std::optional<PlanWorker> planner_;
  std::optional<HintWorker> hinter_;  // of a job that wants hints
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_SESSION_H_
