// Turns the profiles of one job into plans. It waits for a profile, asks the
// service for a plan and writes the plan table.
//
//   PlanWorker worker(segment, &events, &limits, &asked_curve, &delivered,
//                     &service, &copy_times, &usage, job, options);
//   // The job finds plans in its segment.
//   worker.RequestStop();     // destroyed: waits for the thread
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_PLAN_WORKER_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_PLAN_WORKER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agents/engine/copy_times.h"
#include "agents/engine/job_usage.h"
#include "agents/jobs/planning/asked_curve.h"
#include "agents/jobs/planning/delivered_plans.h"
#include "agents/jobs/planning/forecast.h"
#include "agents/jobs/planning/graph_builder.h"
#include "agents/jobs/planning/service_link.h"
#include "agents/jobs/records/event_writer.h"
#include "agents/jobs/records/limit_orders.h"
#include "client_sdk/session/session.h"
#include "google/protobuf/message.h"
#include "timing/bell.h"
#include "timing/canceller.h"

namespace stowage::agent {

struct PlanWorkerOptions {
  std::string policy;  // empty: the service's default
  // Above 0: the worker finds the least limit under which steps take at most so
  // much longer than alone, from the first profile, and grants it.
  double slowdown = 0;
  std::vector<int64_t> capacity_bytes;  // of the arenas, fast to slow
  std::string graph_path_stem;          // empty: graphs and plans are not kept
  // How often to ask again for a plan of a policy that needs training.
  absl::Duration refresh_interval = absl::Seconds(10);
  // How often to ask again for a plan while the service is away.
  absl::Duration retry_interval = absl::Seconds(1);
};

// Runs one thread. Pointers must outlive it.
class PlanWorker {
 public:
  PlanWorker(session::Segment* segment, EventWriter* events,
             LimitOrders* limits, AskedCurve* asked_curve,
             DeliveredPlans* delivered, ServiceLink* service,
             CopyTimes* copy_times, JobUsage* usage, v1::Job job,
             PlanWorkerOptions options);
  ~PlanWorker();
  PlanWorker(const PlanWorker&) = delete;
  PlanWorker& operator=(const PlanWorker&) = delete;

  // Ends the making of a plan that nothing waits for, for now, if a profile has
  // come meanwhile. Any thread may call it, every 50 ms or so.
  void GiveWay();

  // Makes the worker stop, and cancels the plan that is being made. It then
  // writes nothing more to the segment, except what it is doing at that moment,
  // and the service hears nothing more of the job. Any thread may call it, once.
  void RequestStop();

 private:
  // A plan that waits until the job has taken the one before.
  struct ReadyPlan {
    v1::MakePlanResponse made;
    GraphBinding binding;
  };

  // What a plan is made for.
  struct Basis {
    int64_t fast_limit_bytes = 0;
    int64_t kernels_ns = 0;  // of the graph
    CopyFactors copy_factors;
  };

  // The last plan of a kind of step.
  struct KnownPlan {
    v1::MakePlanResponse made;
    GraphBinding binding;          // of the last profile
    std::vector<int64_t> gaps_ns;  // of it, as they were
    Basis basis;
    uint64_t profile = 0;  // the number of the one that led to the plan
    bool brief = false;    // not thought about for long: the job waited
  };

  // A step as it was measured.
  struct MeasuredStep {
    std::string structure;  // of its graph
    GraphBinding binding;
    std::vector<int64_t> gaps_ns;  // as they were
    Basis basis;
    uint64_t profile = 0;
    bool brief = false;  // the plan that was made of it is
  };

  // A step whose plan has been asked for while the service was away.
  struct UnplannedStep {
    std::string structure;  // of its graph
    GraphBinding binding;
  };

  void Run();
  void TakeProfile();
  // Keeps a step that has no plan because the service is away.
  void KeepUnplanned(GraphBinding binding);
  int64_t NextRetryNs() const;
  bool RetryIsDue() const;
  // Asks again for the plan that has waited longest.
  void Retry();
  // Returns the plan that is known, or a new one if kernels or copies take
  // another time by now.
  absl::StatusOr<v1::MakePlanResponse> PlanFor(GraphBinding* binding);
  // Asks for a plan of the binding's graph, as `query` has it otherwise. Where
  // the limit has no room for a kernel's scratch, the plan and the graph of the
  // binding are such that the scratch streams.
  absl::StatusOr<v1::MakePlanResponse> MakePlan(GraphBinding* binding,
                                                const Basis& basis,
                                                PlanQuery query);
  // Keeps the plan that was made of the step, and tells of it.
  void NoteMade(const v1::MakePlanResponse& made, MeasuredStep step);
  // Forgets drifted steps of a kind, of which the job has profiled a newer one.
  void ForgetDrifted(uint64_t signature);
  // Asks for the plan of the drifted step that has waited longest, unless the
  // limit has changed since.
  void PlanDrifted();
  void TellOfPlan(const v1::Plan& plan, int64_t fast_limit_bytes);
  void MakeReady(ReadyPlan ready);
  int64_t NextRefreshNs() const;
  bool RefreshIsDue() const;
  // Asks for the plans again, because the service may have trained a better
  // policy, or judged its own on a newer profile. The job switches to a new
  // plan at a step boundary.
  void Refresh();
  void Refresh(KnownPlan* known);
  // Returns whether a plan of that basis is one for today's limit.
  bool IsOfLimitInForce(const Basis& basis) const;
  static bool TimesHaveDrifted(const Basis& planned, const Basis& now);
  // Writes a plan, and what it was made for, as those of a numbered profile.
  void KeepPlan(uint64_t profile, const v1::Graph& graph,
                const v1::MemorySystem& system, const v1::Plan& plan);
  // Writes the `what` of a profile, unless nothing is to be kept.
  void Keep(uint64_t profile, absl::string_view what,
            const google::protobuf::Message& message);
  void Deliver();
  void Refuse(const absl::Status& status);
  int64_t FastLimitBytes() const;
  void GrantLimit(const v1::Graph& graph, int64_t most_bytes);
  bool ProfileWaits() const;
  // Answers what the job's share of fast memory asks. Profiles come first.
  void AnswerCurve();
  absl::StatusOr<StepCurve> MakeCurve(const CurveRange& range);

  session::Segment* const segment_;
  EventWriter* const events_;
  LimitOrders* const limits_;
  AskedCurve* const asked_curve_;
  DeliveredPlans* const delivered_;
  ServiceLink* const service_;
  CopyTimes* const copy_times_;
  JobUsage* const usage_;
  v1::Job job_;
  const PlanWorkerOptions options_;
  // As in the segment, where an agent before this one may have counted.
  uint64_t profiles_taken_;
  uint64_t profiles_refused_;
  uint64_t plans_written_;
  int64_t granted_bytes_ = 0;  // 0: no limit has been found
  std::deque<ReadyPlan> ready_;
  ForecastWriter forecast_;
  // By the serialised structure of the graph.
  absl::flat_hash_map<std::string, KnownPlan> known_;
  std::deque<UnplannedStep> unplanned_;
  // Steps whose kernels or copies take another time than their plans count on.
  // They get other plans when nothing else is to be done, since jobs may share
  // their processors with the service.
  std::deque<MeasuredStep> drifted_;
  int64_t next_refresh_ns_;
  int64_t next_retry_ns_ = 0;
  bool told_no_curve_ = false;
  absl::Mutex telling_;
  Canceller canceller_;
  absl::Mutex giving_way_;
  // Of a plan that nothing waits for and that is being made; else null.
  Canceller* background_canceller_ ABSL_GUARDED_BY(giving_way_) = nullptr;
  Bell stop_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_PLAN_WORKER_H_
