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
  if (step_.profile.kernel_count() == 0) return;
  if (driver_.plan() != nullptr) {
    LeavePlanOn(driver_.EndStep(step_.profile.kernel_count()));
  }
  blocks_.GiveUpAllKept();
  hints_.End();
  plans_.EndStep(step_.profile.signature());
  space_.EndStep(step_.index);
  pinned_.EndStep(step_.profile.signature());

  session::StepMode mode =
      step_.plan != nullptr ? session::kStepPlan : session::kStepDemand;
  if (PublishProfile()) {
    mode = session::kStepProfile;
    AwaitPlan();
  } else {
    PublishProfileAgain();
  }
  const session::StepRecord record =
      publisher_.Record(step_, mode, hints_.totals());
  TakePlans();
  publisher_.WriteStep(record, step_.surprise);
  ++step_.index;
  BeginStep();
  const FastLimit& limit = space_.limit();
  const bool is_new =
      step_.index == 2 || (step_.index < 2 && !limit.is_share());
  if (limit.refused() || is_new) space_.CheckLimit();
}

void Job::BeginStep() {
  const PlanTable* plan = plans_.Expected();
  if (plan == nullptr) SetAsideWhatStays();
  step_.Begin(session::NowNs());
  blocks_.BeginStep();
  mover_.BeginStep();
  pinned_.BeginStep();
  hints_.BeginStep();
  for (Block* block : blocks_.all()) {
    if (block->set_aside) continue;
    step_.profile.AddAlive(
        block, block->birth_step == step_.index - 1 ? block->birth_tag : 0);
  }
  driver_.BeginStep();
  if (!client_->AgentAlive()) {
    publisher_.WriteAgentLost();
    return;
  }
  if (space_.limit().unlimited()) return;  // nothing has to move
  if (plan == nullptr) return;
  const bool fits = pinned_.FindPlanBegin(*plan);
  if (!fits && ForgetOutgrown(*plan)) return;
  const bool tries = fits && plans_.Tries(*plan, step_.index);
  const std::vector<PlanTarget> targets = driver_.tensors()->Recognize(
      *plan, step_.index, pinned_.plan_begin_bytes());
  if (tries && StartPlan(*plan, targets)) return;
  if (AnyStaysElsewhere(targets)) {
    SetAsideWhatStays();
    if (ForgetOutgrown(*plan)) return;
  }
  hints_.Begin(*plan);
  if (!tries) return;
  plans_.NoteSurprise(*plan);
  ++step_.fallbacks;
}

bool Job::StartPlan(const PlanTable& plan,
                    const std::vector<PlanTarget>& targets) {
  const int64_t begin_bytes = pinned_.plan_begin_bytes();
  space_.TouchUpTo(begin_bytes + plan.fast_end_bytes);
  if (!driver_.Start(plan, targets, begin_bytes)) return false;
  step_.plan = &plan;
  return true;
}

void Job::SetAsideWhatStays() {
  for (Block* block : pinned_.FindStaying(step_.index)) {
    LeaveStep(block);
    pinned_.SetAsideInPlace(block);
  }
}

// The plan can never begin. A tensor that merely stands in its way may be gone
// in the next step.
bool Job::AnyStaysElsewhere(const std::vector<PlanTarget>& targets) const {
  return std::any_of(targets.begin(), targets.end(),
                     [this](const PlanTarget& t) {
                       return pinned_.Stays(*t.block, step_.index) &&
                              t.block->place != t.place;
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

// Before the first update of the parameters, when a forward and a backward pass
// have shown what the job needs. Before every one once it was refused: a script
// that goes on, or a thread that ended with its error, must not train.
void Job::BeforeUpdate() {
  Lock lock(this);
  const FastLimit& limit = space_.limit();
  if (limit.refused() || (step_.index == 0 && !limit.is_share())) {
    space_.CheckLimit();
  }
}

bool Job::WritesProfile() const {
  return !settings_.demand_only && publisher_.TakesProfile(step_.profile);
}

// For a profile: what the plan made from it must leave alone.
int64_t Job::TakeOverheadBytes() {
  return space_.overhead_bytes() + pinned_.TakeBytes(step_.profile.signature());
}

// Hands the profile of the step that has just ended to the agent, once per
// signature.
bool Job::PublishProfile() {
  const uint64_t signature = step_.profile.signature();
  if (step_.index == 0 || driver_.plan() != nullptr ||
      !plans_.WantsProfile(signature) || !WritesProfile()) {
    return false;
  }
  plans_.NoteProfiled(signature);
  publisher_.WriteProfile(step_, TakeOverheadBytes());
  return true;
}

// The same for a step that followed its plan, since kernels may run faster than
// between evictions. Ever more rarely, so that a plan is hardly ever changed
// late.
void Job::PublishProfileAgain() {
  if (step_.plan == nullptr || step_.fallbacks > 0) return;
  if (!plans_.NoteFollowed(*step_.plan) || !WritesProfile()) return;
  plans_.NoteProfiledAgain(*step_.plan);
  publisher_.WriteProfile(step_, TakeOverheadBytes());
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
  step_.plan_wait_ns = session::NowNs() - begin_ns;
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

}  // namespace stowage::runtime
