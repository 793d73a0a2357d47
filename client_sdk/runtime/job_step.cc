// What happens between two steps: the limit, the profile, the next plan.
#include <algorithm>
#include <utility>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kLookAgainNs = 20'000'000;

}  // namespace

void Job::EndStep() {
  Lock lock(this);
  if (profile_.kernel_count() == 0) return;
  if (driver_.plan() != nullptr) {
    LeavePlanOn(driver_.EndStep(profile_.kernel_count()));
  }
  blocks_.GiveUpAllKept();
  hints_.End();
  plans_.EndStep(profile_.signature());
  space_.EndStep(step_);
  pinned_.EndStep(profile_.signature());

  session::StepMode mode =
      step_plan_ != nullptr ? session::kStepPlan : session::kStepDemand;
  if (PublishProfile()) {
    mode = session::kStepProfile;
    AwaitPlan();
  } else {
    PublishProfileAgain();
  }
  const session::StepRecord record = RecordStep(mode);
  TakePlans();
  ReportSurprise();
  ReportStep(report(), record);
  ++step_;
  BeginStep();
  const FastLimit& limit = space_.limit();
  const bool is_new = step_ == 2 || (step_ < 2 && !limit.is_share());
  if (limit.refused() || is_new) space_.CheckLimit();
}

void Job::BeginStep() {
  const PlanTable* plan = plans_.Expected();
  if (plan == nullptr) SetAsideWhatStays();
  totals_ = StepTotals{.begin_ns = session::NowNs()};
  last_end_ns_ = totals_.begin_ns;
  blocks_.BeginStep();
  mover_.BeginStep();
  pinned_.BeginStep();
  hints_.BeginStep();
  tagger_.Begin();
  profile_.Begin();
  for (Block* block : blocks_.all()) {
    if (block->set_aside) continue;
    profile_.AddAlive(block,
                      block->birth_step == step_ - 1 ? block->birth_tag : 0);
  }
  driver_.BeginStep();
  step_plan_ = nullptr;
  if (!client_->AgentAlive()) {
    WarnAgentLost();
    return;
  }
  if (space_.limit().unlimited()) return;  // nothing has to move
  if (plan == nullptr) return;
  const bool fits = pinned_.FindPlanBegin(*plan);
  if (!fits && ForgetOutgrown(*plan)) return;
  const bool tries = fits && plans_.Tries(*plan, step_);
  const std::vector<PlanTarget> targets =
      driver_.tensors()->Recognize(*plan, step_, pinned_.plan_begin_bytes());
  if (tries && StartPlan(*plan, targets)) return;
  if (AnyStaysElsewhere(targets)) {
    SetAsideWhatStays();
    if (ForgetOutgrown(*plan)) return;
  }
  hints_.Begin(*plan);
  if (!tries) return;
  plans_.NoteSurprise(*plan);
  ++totals_.fallbacks;
}

bool Job::StartPlan(const PlanTable& plan,
                    const std::vector<PlanTarget>& targets) {
  const int64_t begin_bytes = pinned_.plan_begin_bytes();
  space_.TouchUpTo(begin_bytes + plan.fast_end_bytes);
  if (!driver_.Start(plan, targets, begin_bytes)) return false;
  step_plan_ = &plan;
  return true;
}

void Job::SetAsideWhatStays() {
  for (Block* block : pinned_.FindStaying(step_)) {
    LeaveStep(block);
    pinned_.SetAsideInPlace(block);
  }
}

// The plan can never begin. A tensor that merely stands in its way may be gone
// in the next step.
bool Job::AnyStaysElsewhere(const std::vector<PlanTarget>& targets) const {
  return std::any_of(
      targets.begin(), targets.end(), [this](const PlanTarget& t) {
        return pinned_.Stays(*t.block, step_) && t.block->place != t.place;
      });
}

// Forgets a plan that does not fit, so that the step is profiled and planned
// anew; more and more rarely, in case the room never stops growing.
bool Job::ForgetOutgrown(const PlanTable& plan) {
  if (!plans_.ForgetOutgrown(plan)) return false;
  ReportEvent(report(), "plan-outgrown",
              "pinned tensors or small ones take room of the plan");
  return true;
}

void Job::ReportSurprise() {
  if (!surprise_.has_value()) return;
  ReportEvent(report(), NameOf(surprise_->reason), surprise_->detail,
              surprise_->kernel);
  surprise_.reset();
}

session::StepRecord Job::RecordStep(session::StepMode mode) const {
  return {.index = step_,
          .mode = mode,
          .fallbacks = totals_.fallbacks,
          .signature = profile_.signature(),
          .kernel_count = profile_.kernel_count(),
          .duration_ns = session::NowNs() - totals_.begin_ns,
          .predicted_duration_ns =
              mode == session::kStepPlan ? step_plan_->predicted_step_ns : 0,
          .stall_ns = mover_.totals().stall_ns + totals_.plan_wait_ns,
          .fast_peak_bytes = blocks_.peaks().fast_bytes,
          .moved_in_bytes = mover_.totals().in_bytes,
          .moved_out_bytes = mover_.totals().out_bytes,
          .hints_taken = hints_.totals().taken,
          .hints_ignored = hints_.totals().ignored};
}

// Before the first update of the parameters, when a forward and a backward pass
// have shown what the job needs. Before every one once it was refused: a script
// that goes on, or a thread that ended with its error, must not train.
void Job::BeforeUpdate() {
  Lock lock(this);
  const FastLimit& limit = space_.limit();
  if (limit.refused() || (step_ == 0 && !limit.is_share())) {
    space_.CheckLimit();
  }
}

// Whether the agent can take the profile of the step that has just ended.
bool Job::CanWriteProfile() const {
  const session::Segment* segment = client_->segment();
  return !settings_.demand_only &&
         segment->profiles_written.load() == segment->profiles_taken.load() &&
         profile_.Fits() && client_->AgentAlive();
}

void Job::WriteProfile() {
  session::Segment* segment = client_->segment();
  session::ProfileArea& area = segment->profile;
  profile_.Write(&area);
  area.step_index = step_;
  area.duration_ns = session::NowNs() - totals_.begin_ns;
  area.tensor_peak_bytes = blocks_.peaks().tensor_bytes;
  area.unmanaged_peak_bytes =
      space_.overhead_bytes() + pinned_.TakeBytes(profile_.signature());
  segment->profiles_written.fetch_add(1);
}

// Hands the profile of the step that has just ended to the agent, once per
// signature.
bool Job::PublishProfile() {
  const uint64_t signature = profile_.signature();
  if (step_ == 0 || driver_.plan() != nullptr ||
      !plans_.WantsProfile(signature) || !CanWriteProfile()) {
    return false;
  }
  plans_.NoteProfiled(signature);
  WriteProfile();
  return true;
}

// The same for a step that followed its plan, since kernels may run faster than
// between evictions. Ever more rarely, so that a plan is hardly ever changed
// late.
void Job::PublishProfileAgain() {
  if (step_plan_ == nullptr || totals_.fallbacks > 0) return;
  if (!plans_.NoteFollowed(*step_plan_) || !CanWriteProfile()) return;
  plans_.NoteProfiledAgain(*step_plan_);
  WriteProfile();
}

// A plan that comes a moment later than the step's end saves a whole step in
// demand mode, so waiting for it pays.
void Job::AwaitPlan() {
  if (space_.limit().unlimited()) return;
  session::Segment* segment = client_->segment();
  const int64_t begin_ns = session::NowNs();
  const int64_t end_ns = begin_ns + settings_.plan_wait_ns;
  const uint64_t refused = segment->profiles_refused.load();
  while (session::NowNs() < end_ns && client_->AgentAlive()) {
    const uint32_t seen = segment->plan_bell.load();
    if (segment->plans_written.load() != segment->plans_taken.load() ||
        segment->profiles_refused.load() != refused) {
      break;
    }
    session::FutexWait(segment->plan_bell, seen, kLookAgainNs);
  }
  totals_.plan_wait_ns = session::NowNs() - begin_ns;
}

void Job::TakePlans() {
  session::Segment* segment = client_->segment();
  const uint64_t written = segment->plans_written.load();
  if (written == segment->plans_taken.load()) return;
  auto plan =
      PlanTable::Copy(segment->plans[written % 2], blocks_.tier_count());
  segment->plans_taken.store(written);
  if (!plan.has_value()) {
    ReportEvent(report(), "plan-malformed",
                "the agent's plan table is inconsistent");
    return;
  }
  plan->number = written;
  plans_.Add(*std::move(plan));
}

void Job::WarnAgentLost() {
  if (agent_lost_reported_) return;
  agent_lost_reported_ = true;
  ReportEvent(report(), "agent-lost",
              "the node agent is gone; training goes on in demand mode");
}

}  // namespace stowage::runtime
