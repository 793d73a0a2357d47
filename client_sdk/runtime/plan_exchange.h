// Profiles that go to the agent, and the plans that come back.
//
//   PlanExchange plans(&client, &publisher, settings);
//   if (plans.WantsProfile(step)) {
//     plans.WriteProfile(step, overhead_bytes);
//     plans.AwaitPlan(step, /*limit_is_awaited=*/false, /*kind=*/0);
//   }
//   plans.NoteDuration(step, duration_ns);
//   plans.TakePlans(limit_bytes);
//   plans.TellForecast();
//   const PlanTable* plan = plans.library()->Expected();
//
// A kind of step is profiled in demand mode, once. A plan that comes a moment
// after that step's end saves a whole step in demand mode, so the process waits
// for it, a few seconds at most: it is the one time that training waits for
// somebody who computes. Plans of other kinds may come first. Steps that follow their plan to the end are profiled
// again, ever more rarely: kernels may run faster than between evictions. For
// these nothing waits; a plan that comes of them is taken whenever it is there.
//
// Invariants:
//  * A profile is written only when the agent has taken the last one. The first
//    of a kind waits for that, as for its plan; what the agent cannot take even
//    so is left, and the next step of that kind is tried.
//  * Plans are taken between steps alone, in the order of their numbers: until
//    TakePlans(), the tables of the library do not change.
//  * A plan table is copied and checked before it is used; one that is
//    malformed is reported and dropped.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLAN_EXCHANGE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLAN_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/job_settings.h"
#include "client_sdk/runtime/planning_line.h"
#include "client_sdk/runtime/plans/plan_library.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/unplanned_steps.h"
#include "client_sdk/runtime/steps/running_step.h"
#include "client_sdk/runtime/steps/step_publisher.h"

namespace stowage::runtime {

class PlanExchange {
 public:
  // Both arguments must outlive it.
  PlanExchange(SessionClient* client, StepPublisher* publisher,
               const JobSettings& settings)
      : client_(client), publisher_(publisher), settings_(settings) {}
  PlanExchange(const PlanExchange&) = delete;
  PlanExchange& operator=(const PlanExchange&) = delete;

  PlanLibrary* library() { return &library_; }

  // Returns whether the profile of a step that has ended off any plan is wanted
  // and can be written; waits until the agent can take it. That of a job's first
  // step is not wanted: it is unlike others.
  bool WantsProfile(const RunningStep& step);
  // Writes that profile; then AwaitPlan() pays.
  void WriteProfile(const RunningStep& step, int64_t overhead_bytes);
  // Notes that the step followed its plan to the end. Returns whether it is to
  // be profiled again, with WriteProfileAgain().
  bool WantsProfileAgain(const RunningStep& step);
  void WriteProfileAgain(const RunningStep& step, int64_t overhead_bytes);

  // Tells the library that the step, which has ended, took `duration_ns` until
  // its end began, so that the faster of plan and demand mode drives.
  void NoteDuration(const RunningStep& step, int64_t duration_ns);

  // Waits until there is a plan for the step's kind, or none will come; for as
  // long as several plans take if the agent looks for a limit by them. A
  // terminal shows meanwhile which kind of step, by its number, is planned.
  // Returns how long that took, in nanoseconds.
  int64_t AwaitPlan(const RunningStep& step, bool limit_is_awaited,
                    int32_t kind);
  // Adds the agent's plans to the library that have not been taken yet. Drops
  // those made for more than the limit, `limit_bytes` now; 0: there is none.
  void TakePlans(int64_t limit_bytes);

  // Prints what the agent expects of the job's steps, once, as soon as it has
  // said so.
  void TellForecast();
  // Prints, once, that steps take much longer than that: those of the kind that
  // was planned first, of which the forecast is, or those without a plan if they
  // are most.
  void TellMissedForecast(const RunningStep& step);

  // Forgets a plan that does not fit any more or is stale, so that its kind of
  // step is profiled and planned anew; more and more rarely, in case the room of
  // pinned tensors never stops growing. Returns whether it has.
  bool ForgetOutgrown(const PlanTable& plan);

 private:
  bool CanWrite(const RunningStep& step) const;
  int64_t WaitNs(const RunningStep& step, int64_t now_ns) const;
  // Copies the agent's newest plan if it has not been copied yet.
  void Receive();
  bool HasReceived(uint64_t signature) const;
  // Receives plans until done(), or `wait_ns` are over, or the agent is gone.
  // Shows the line meanwhile, if there is one.
  template <typename Done>
  void ReceiveUntil(int64_t wait_ns, PlanningLine* line, Done done);
  std::optional<std::string> MissedLine(const RunningStep& step) const;
  session::Report* report() const { return &client_->segment()->report; }

  SessionClient* client_;
  StepPublisher* publisher_;
  JobSettings settings_;
  PlanLibrary library_;
  std::vector<PlanTable> received_;  // that the library does not have yet
  int64_t malformed_ = 0;            // plans
  bool forecast_told_ = false;
  std::optional<uint64_t> forecast_kind_;  // the signature of the first plan
  bool miss_told_ = false;
  UnplannedSteps unplanned_;  // since the forecast was told
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLAN_EXCHANGE_H_
