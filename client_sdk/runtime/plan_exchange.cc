#include "client_sdk/runtime/plan_exchange.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/runtime/plans/missed_forecast.h"
#include "client_sdk/runtime/process/rank.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kPlanLookAgainNs = 20'000'000;
// Plans that are made to find a limit.
constexpr int64_t kPlansForLimit = 10;

// Steps without a plan may be several times as long as with it. So a plan that
// comes late is worth waiting for where steps are long.
constexpr int64_t kStepsToWait = 2;
constexpr int64_t kMostWaitNs = 20'000'000'000;

// Ranks share a terminal; one of them has the line.
int ProgressDescriptor() {
  return RankOfProcess().value_or(0) == 0 ? STDERR_FILENO : -1;
}

double Ratio(int64_t ns, int64_t to_ns) {
  return static_cast<double>(ns) / static_cast<double>(to_ns);
}

}  // namespace

bool PlanExchange::CanWrite(const RunningStep& step) const {
  return !settings_.demand_only && publisher_->TakesProfile(step.profile);
}

bool PlanExchange::WantsProfile(const RunningStep& step) {
  const uint64_t signature = step.profile.signature();
  if (step.index == 0 || settings_.demand_only || !step.profile.Fits() ||
      !library_.WantsProfile(signature, step.limit_bytes)) {
    return false;
  }
  const int64_t wait_ns = step.limit_bytes > 0 ? settings_.plan_wait_ns : 0;
  ReceiveUntil(wait_ns, /*line=*/nullptr, [&] { return CanWrite(step); });
  return CanWrite(step);
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
  if (forecast_told_) {
    const bool has_plan =
        planned || library_.Find(step.profile.signature()) != nullptr;
    unplanned_.Note(has_plan, duration_ns);
  }
  std::optional<Driver> driver = planned ? Driver::kPlan : Driver::kDemand;
  if (step.fallbacks > 0) driver.reset();
  library_.NoteDuration(
      planned ? step.plan->signature : step.profile.signature(), driver,
      duration_ns);
}

template <typename Done>
void PlanExchange::ReceiveUntil(int64_t wait_ns, PlanningLine* line,
                                Done done) {
  session::Segment* segment = client_->segment();
  const int64_t end_ns = session::NowNs() + wait_ns;
  while (client_->AgentAlive()) {
    const uint32_t seen = segment->plan_bell.load();
    Receive();
    if (done() || session::NowNs() >= end_ns) return;
    session::FutexWait(segment->plan_bell, seen, kPlanLookAgainNs);
    if (line != nullptr) line->Look(session::NowNs());
  }
}

// Returns how long to wait for the plan of a step that ends now.
int64_t PlanExchange::WaitNs(const RunningStep& step, int64_t now_ns) const {
  const int64_t steps_ns = kStepsToWait * (now_ns - step.begin_ns);
  return std::max(settings_.plan_wait_ns, std::min(steps_ns, kMostWaitNs));
}

int64_t PlanExchange::AwaitPlan(const RunningStep& step, bool limit_is_awaited,
                                int32_t kind) {
  const session::Segment* segment = client_->segment();
  const int64_t begin_ns = session::NowNs();
  const uint64_t refused = segment->profiles_refused.load();
  const int64_t malformed = malformed_;
  const int64_t wait_ns = limit_is_awaited
                              ? kPlansForLimit * settings_.plan_wait_ns
                              : WaitNs(step, begin_ns);
  PlanningLine line(kind, ProgressDescriptor(), begin_ns);
  ReceiveUntil(wait_ns, &line, [&] {
    return HasReceived(step.profile.signature()) || malformed_ != malformed ||
           segment->profiles_refused.load() != refused;
  });
  return session::NowNs() - begin_ns;
}

void PlanExchange::Receive() {
  session::Segment* segment = client_->segment();
  const uint64_t written = segment->plans_written.load();
  if (written == segment->plans_taken.load()) return;
  const auto tier_count = static_cast<int>(client_->tiers().size());
  std::optional<PlanTable> plan =
      PlanTable::Copy(segment->plans[written % 2], tier_count);
  segment->plans_taken.store(written);
  if (!plan.has_value()) {
    ++malformed_;
    return ReportEvent(report(), "plan-malformed",
                       "the agent's plan table is inconsistent");
  }
  plan->number = written;
  if (!forecast_kind_.has_value()) forecast_kind_ = plan->signature;
  received_.push_back(*std::move(plan));
}

bool PlanExchange::HasReceived(uint64_t signature) const {
  return std::any_of(
      received_.begin(), received_.end(),
      [=](const PlanTable& plan) { return plan.signature == signature; });
}

void PlanExchange::TakePlans(int64_t limit_bytes) {
  Receive();
  for (PlanTable& plan : received_) {
    if (limit_bytes == 0 || plan.fast_limit_bytes <= limit_bytes) {
      library_.Add(std::move(plan));
    } else if (library_.Find(plan.signature) == nullptr) {
      library_.Forget(plan.signature);  // and so it is profiled again
    }
  }
  received_.clear();
}

void PlanExchange::TellForecast() {
  const session::Forecast& forecast = report()->forecast;
  if (forecast_told_ || forecast.kind.load() == 0) return;
  forecast_told_ = true;
  const size_t length = strnlen(forecast.line, sizeof(forecast.line));
  fprintf(stderr, "stowage: %.*s\n", static_cast<int>(length), forecast.line);
}

// Returns the line that corrects the forecast, if steps take much longer: those
// without a plan if these are most, else those that follow the plan that it is of.
std::optional<std::string> PlanExchange::MissedLine(
    const RunningStep& step) const {
  const session::Forecast& forecast = report()->forecast;
  int64_t alone_ns = forecast.alone_step_ns;
  if (alone_ns <= 0) return std::nullopt;
  const double told = Ratio(forecast.step_ns, alone_ns);
  if (unplanned_.are_most()) {
    return MissedUnplanned(
        {.told = told, .measured = Ratio(unplanned_.median_ns(), alone_ns)});
  }
  if (step.plan == nullptr || step.plan->signature != forecast_kind_) {
    return std::nullopt;
  }
  // A plan that was made anew knows better.
  if (const int64_t planned_ns = step.plan->AloneNs(); planned_ns > 0) {
    alone_ns = std::min(alone_ns, planned_ns);
  }
  const int64_t step_ns = library_.Choice(*step.plan).ShortestNs(Driver::kPlan);
  return MissedForecast({.told = told, .measured = Ratio(step_ns, alone_ns)});
}

void PlanExchange::TellMissedForecast(const RunningStep& step) {
  if (miss_told_ || !forecast_told_) return;
  const std::optional<std::string> line = MissedLine(step);
  if (!line.has_value()) return;
  miss_told_ = true;
  fprintf(stderr, "stowage: %s\n", line->c_str());
}

bool PlanExchange::ForgetOutgrown(const PlanTable& plan) {
  const char* reason =
      library_.IsStale(plan)
          ? "steps of its kind leave the plan again and again"
          : "pinned tensors or small ones take room of the plan";
  if (!library_.ForgetOutgrown(plan)) return false;
  ReportEvent(report(), "plan-outgrown", reason);
  return true;
}

}  // namespace stowage::runtime
