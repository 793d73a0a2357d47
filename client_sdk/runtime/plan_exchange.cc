#include "client_sdk/runtime/plan_exchange.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "client_sdk/runtime/planning_line.h"
#include "client_sdk/runtime/rank.h"
#include "client_sdk/runtime/report_log.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kPlanLookAgainNs = 20'000'000;
// Plans that are made to find a limit.
constexpr int64_t kPlansForLimit = 10;

// Ranks share a terminal; one of them has the line.
int ProgressDescriptor() {
  return RankOfProcess().value_or(0) == 0 ? STDERR_FILENO : -1;
}

}  // namespace

bool PlanExchange::CanWrite(const RunningStep& step) const {
  return !settings_.demand_only && publisher_->TakesProfile(step.profile);
}

bool PlanExchange::WantsProfile(const RunningStep& step) const {
  return step.index > 0 &&
         library_.WantsProfile(step.profile.signature(), step.limit_bytes) &&
         CanWrite(step);
}

void PlanExchange::WriteProfile(const RunningStep& step,
                                int64_t overhead_bytes) {
  library_.NoteProfiled(step.profile.signature(), step.limit_bytes,
                        step.profile.origins());
  publisher_->WriteProfile(step, overhead_bytes);
}

bool PlanExchange::WantsProfileAgain(const RunningStep& step) {
  return library_.NoteFollowed(*step.plan, step.limit_bytes) && CanWrite(step);
}

void PlanExchange::WriteProfileAgain(const RunningStep& step,
                                     int64_t overhead_bytes) {
  library_.NoteProfiledAgain(*step.plan);
  WriteProfile(step, overhead_bytes);
}

// The first step of a job is none like others.
void PlanExchange::NoteDuration(const RunningStep& step, int64_t duration_ns) {
  if (settings_.plans_only || step.index == 0) return;
  const bool planned = step.plan != nullptr;
  std::optional<Driver> driver = planned ? Driver::kPlan : Driver::kDemand;
  if (step.fallbacks > 0) driver.reset();
  library_.NoteDuration(
      planned ? step.plan->signature : step.profile.signature(), driver,
      duration_ns);
}

int64_t PlanExchange::AwaitPlan(bool limit_is_awaited, int32_t kind) {
  session::Segment* segment = client_->segment();
  const int64_t begin_ns = session::NowNs();
  const int64_t plans = limit_is_awaited ? kPlansForLimit : 1;
  const int64_t end_ns = begin_ns + plans * settings_.plan_wait_ns;
  const uint64_t refused = segment->profiles_refused.load();
  PlanningLine line(kind, ProgressDescriptor(), begin_ns);
  while (session::NowNs() < end_ns && client_->AgentAlive()) {
    const uint32_t seen = segment->plan_bell.load();
    if (segment->plans_written.load() != segment->plans_taken.load() ||
        segment->profiles_refused.load() != refused) {
      break;
    }
    session::FutexWait(segment->plan_bell, seen, kPlanLookAgainNs);
    line.Look(session::NowNs());
  }
  return session::NowNs() - begin_ns;
}

void PlanExchange::TakePlan(int64_t limit_bytes) {
  session::Segment* segment = client_->segment();
  const uint64_t written = segment->plans_written.load();
  if (written == segment->plans_taken.load()) return;
  const auto tier_count = static_cast<int>(client_->tiers().size());
  std::optional<PlanTable> plan =
      PlanTable::Copy(segment->plans[written % 2], tier_count);
  segment->plans_taken.store(written);
  if (!plan.has_value()) {
    ReportEvent(report(), "plan-malformed",
                "the agent's plan table is inconsistent");
    return;
  }
  if (limit_bytes > 0 && plan->fast_limit_bytes > limit_bytes) {
    return library_.Forget(plan->signature);
  }
  plan->number = written;
  library_.Add(*std::move(plan));
}

void PlanExchange::TellForecast() {
  const session::Forecast& forecast = report()->forecast;
  if (forecast_told_ || forecast.kind.load() == 0) return;
  forecast_told_ = true;
  const size_t length = strnlen(forecast.line, sizeof(forecast.line));
  fprintf(stderr, "stowage: %.*s\n", static_cast<int>(length), forecast.line);
}

bool PlanExchange::ForgetOutgrown(const PlanTable& plan) {
  if (!library_.ForgetOutgrown(plan)) return false;
  ReportEvent(report(), "plan-outgrown",
              "pinned tensors or small ones take room of the plan");
  return true;
}

}  // namespace stowage::runtime
