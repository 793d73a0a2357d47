// How a step begins, changes its mode and ends.
#include <string>
#include <utility>

#include "client_sdk/runtime/blocks/block_origins.h"
#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/session/clock.h"

namespace stowage::runtime {
namespace {

// A search for an agent that takes longer is not repeated soon.
constexpr int64_t kDearSearchNs = 5'000'000;

}  // namespace

void Job::EndStep() {
  Lock lock(this);
  if (step_.profile.kernel_count() == 0) return;
  if (step_.mode == StepMode::kPlan) EndPlan();
  const int64_t end_ns = session::NowNs();
  const int64_t duration_ns = end_ns - step_.begin_ns;
  step_.EndKernels(end_ns, mover_.totals().stall_ns());
  if (step_.mode == StepMode::kPlan) blocks_.GiveUpAllKept();
  if (step_.mode == StepMode::kGuided) {
    hints_.End();
    NoteGuidance();
  }
  plans_.library()->EndStep(step_.profile.signature());
  space_.EndStep(step_.index);
  pinned_.NoteLastingViews();
  pinned_.EndStep(step_.profile.signature());
  told_.Clear();

  const int64_t limit_bytes = space_.limit().bytes();
  const bool limit_changes = FollowOrder();
  step_.limit_bytes = space_.limit().bytes();  // that its profile is for
  PublishProfile(limit_changes);
  session::StepRecord record = publisher_.Record(step_, hints_.totals());
  record.limit_bytes = limit_bytes;
  if (step_.mode == StepMode::kPlan) publisher_.WriteKernels(step_);
  plans_.NoteDuration(step_, duration_ns);
  plans_.TellMissedForecast(step_);
  if (limit_changes) plans_.library()->ForgetOtherLimits(step_.limit_bytes);
  plans_.TakePlans(step_.limit_bytes);
  if (space_.limit().is_awaited()) FollowOrder();
  plans_.TellForecast();
  publisher_.WriteStep(record, step_.surprise);
  log_.Add(record, kinds_.Of(record.signature),
           step_.surprise ? NameOf(step_.surprise->reason) : "");
  const uint64_t signature = step_.profile.signature();
  ++step_.index;
  NameOrigins(blocks_.all(), step_.index, signature);
  BeginStep();
  step_.BeginGap(session::NowNs(), mover_.totals().stall_ns());
  ThrowKeptError();
  if (space_.limit().IsCheckDue(step_.index, has_trained_)) {
    space_.CheckLimit();
  }
}

// What is kept is laid out anew under another limit.
bool Job::FollowOrder() {
  if (!space_.IsOrdered()) return false;
  keeper_.Release();
  return space_.FollowOrder();
}

void Job::SettleKept() {
  try {
    keeper_.Settle(step_.index, [this](Block* block) {
      mutex_.AssertHeld();
      LeaveStep(block);
    });
  } catch (...) {
    kept_error_ = std::current_exception();
  }
}

void Job::ThrowKeptError() {
  if (kept_error_) std::rethrow_exception(std::exchange(kept_error_, {}));
}

void Job::BeginStep() {
  SettleKept();
  const PlanTable* plan = plans_.library()->Expected();
  if (plan == nullptr) SetAsideWhatStays();
  step_.Begin(session::NowNs());
  publisher_.BeginStep();
  blocks_.BeginStep();
  mover_.BeginStep();
  pinned_.BeginStep();
  driver_.BeginStep();
  hints_.BeginStep();
  for (Block* block : blocks_.all()) {
    if (block->set_aside) continue;
    step_.profile.AddAlive(
        block, block->birth_step == step_.index - 1 ? block->birth_tag : 0);
  }
  if (!FindAgent()) return;
  if (space_.limit().unlimited()) return;  // nothing has to move
  if (plan != nullptr) BeginPlanned(*plan);
}

// Returns whether there is an agent: the job's, or one that has taken its place.
bool Job::FindAgent() {
  if (publisher_.FindAgent()) return true;
  const int64_t begin_ns = session::NowNs();
  if (!agent_return_.IsDue(begin_ns)) return false;
  if (client_->AgentMayBeBack() && ComeBack()) {
    agent_return_.NoteFound();
    return true;
  }
  const int64_t end_ns = session::NowNs();
  agent_return_.NoteNotFound(end_ns, end_ns - begin_ns > kDearSearchNs);
  return false;
}

bool Job::ComeBack() {
  mover_.SettleLanes();
  session::LimitArea& orders = client_->segment()->limits;
  orders.taken.store(orders.ordered.load());  // nobody waits for an answer
  std::string error;
  const bool is_back = client_->ComeBack(space_.limit().order(), &error);
  publisher_.NoteReturn(is_back, error);
  if (!is_back) return false;
  space_.TakeLimit(client_->welcome().limit);
  return true;
}

// The plan drives if it can and is not slower than demand mode, and guides
// otherwise. If it never can again, it is forgotten, and the step goes without.
void Job::BeginPlanned(const PlanTable& plan) {
  mover_.FinishAhead(/*wait=*/true);
  const bool fits = pinned_.FindPlanBegin(plan);
  const PlanLibrary& library = *plans_.library();
  if ((!fits || library.IsStale(plan)) && plans_.ForgetOutgrown(plan)) return;
  const bool tries = fits && library.Tries(plan, step_.index) &&
                     !step_.SkipsPlan(library.Choice(plan));
  const std::vector<PlanTarget> targets = driver_.tensors()->Recognize(
      plan, step_.index, pinned_.plan_begin_bytes());
  if (tries && StartPlan(plan, targets)) return;
  if (pinned_.AnyStaysElsewhere(targets, step_.index)) {
    SetAsideWhatStays();
    if (plans_.ForgetOutgrown(plan)) return;
  }
  hints_.Begin(plan);
  step_.On(StepEvent::kPlanCannotStart);
  if (!tries) return;
  plans_.library()->NoteSurprise(plan);
  ++step_.fallbacks;
}

bool Job::StartPlan(const PlanTable& plan,
                    const std::vector<PlanTarget>& targets) {
  const int64_t begin_bytes = pinned_.plan_begin_bytes();
  space_.TouchUpTo(begin_bytes + plan.fast_end_bytes);
  if (!driver_.Start(plan, targets, begin_bytes)) return false;
  step_.plan = &plan;
  step_.On(StepEvent::kPlanStarts);
  return true;
}

// The step differs from its plan. If it may be of another kind whose plan is
// known, that drives from here on. The boundary before the kernel has been
// passed if it has allocated.
bool Job::ChangePlan(const StepPosition& position) {
  const PlanTable* plan = plans_.library()->FindPassing(position);
  if (plan == nullptr || !pinned_.FindPlanBegin(*plan)) return false;
  const int32_t boundary = position.kernel + (position.births > 0 ? 1 : 0);
  const int64_t begin_bytes = pinned_.plan_begin_bytes();
  space_.TouchUpTo(begin_bytes + plan->fast_end_bytes);
  driver_.Leave();
  const std::vector<PlanTarget> targets =
      driver_.tensors()->Recognize(*plan, step_.index, begin_bytes, boundary);
  driver_.Resume(*plan, targets, begin_bytes, boundary);
  step_.plan = plan;
  return true;
}

// A step that ends before its plan may be of a shorter kind.
void Job::EndPlan() {
  std::optional<Surprise> surprise =
      driver_.EndStep(step_.profile.kernel_count());
  const PlanTable* own = plans_.library()->Find(step_.profile.signature());
  if (own == nullptr || own == driver_.plan()) {
    return LeavePlanOn(std::move(surprise));
  }
  driver_.Leave();
  step_.plan = own;
}

// Demand mode goes on, with whatever is where, and hints if there are any.
void Job::LeavePlanOn(std::optional<Surprise> surprise) {
  if (!surprise.has_value()) return;
  const bool memory_stays =
      surprise->reason == SurpriseReason::kMoveImpossible ||
      surprise->reason == SurpriseReason::kRoomTaken;
  if (memory_stays) pinned_.NoteLastingViews();
  if (IsOfOtherKind(surprise->reason)) {
    plans_.library()->NoteOtherKind(*driver_.plan());
  } else {
    plans_.library()->NoteSurprise(*driver_.plan());
  }
  step_.surprise = std::move(surprise);
  ++step_.fallbacks;
  hints_.Begin(*driver_.plan());
  driver_.Leave();
  step_.On(StepEvent::kSurprise);
}

void Job::NoteGuidance() {
  if (hints_.plan() == nullptr) step_.On(StepEvent::kGuidanceEnds);
}

void Job::SetAsideWhatStays() {
  for (Block* block : pinned_.FindStaying(step_.index)) {
    LeaveStep(block);
    pinned_.SetAsideInPlace(block);
  }
}

// Before the first update of the parameters, when a forward and a backward pass
// have shown what the job needs. Before every one once it was refused: a script
// that goes on, or a thread that ended with its error, must not train.
void Job::BeforeUpdate() {
  Lock lock(this);
  has_trained_ = true;
  const FastLimit& limit = space_.limit();
  if (limit.refused() || (step_.index == 0 && !limit.is_share())) {
    space_.CheckLimit();
  }
}

// Returns what the plan made from a profile must leave alone. It is to outlast
// one growth of what no plan manages.
int64_t Job::TakeOverheadBytes() {
  const FastLimit& limit = space_.limit();
  const bool limited = !limit.unlimited() || limit.is_awaited();
  const int64_t growth_bytes = limited ? space_.growth_bytes() : 0;
  return space_.overhead_bytes() + growth_bytes +
         pinned_.TakeBytes(step_.profile.signature());
}

// Hands the profile of the step that has ended to the agent if that is worth
// it, and waits for its plan if the steps that come would have none.
void Job::PublishProfile(bool limit_changes) {
  if (step_.mode == StepMode::kPlan) {
    if (!plans_.WantsProfileAgain(step_)) return;
    plans_.WriteProfileAgain(step_, TakeOverheadBytes());
    if (limit_changes) AwaitPlan();
  } else if (plans_.WantsProfile(step_)) {
    plans_.WriteProfile(step_, TakeOverheadBytes());
    AwaitPlan();
    step_.On(StepEvent::kProfileTaken);
  }
}

void Job::AwaitPlan() {
  const FastLimit& limit = space_.limit();
  if (limit.unlimited() && !limit.is_awaited()) return;
  step_.times.plan_wait_ns = plans_.AwaitPlan(
      step_, limit.is_awaited(), kinds_.Of(step_.profile.signature()));
}

}  // namespace stowage::runtime
