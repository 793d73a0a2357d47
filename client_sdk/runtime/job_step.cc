// What happens between two steps: the limit, the profile, the next plan.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/job_lock.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kLookAgainNs = 20'000'000;
// The fast arena is never smaller, so that small kernels need no streaming.
constexpr int64_t kLeastArenaBytes = 1 << 20;

// Room for storages below the managed size: their peak so far, and a little.
int64_t ReserveFor(int64_t unmanaged_peak_bytes) {
  return RoundUpToPage(unmanaged_peak_bytes + unmanaged_peak_bytes / 8 +
                       (64 << 10));
}

std::string Percent(double share) {
  char text[32];
  snprintf(text, sizeof(text), "%g%%", 100 * share);
  return text;
}

// Of the peak, rounded up to whole percent; empty where all of it is too
// little.
std::string OrShare(int64_t bytes, int64_t peak_bytes) {
  const double share = std::ceil(100.0 * bytes / peak_bytes) / 100;
  return share <= 1 ? " or " + Percent(share) : "";
}

}  // namespace

void Job::EndStep() {
  Lock lock(this);
  if (profile_.kernel_count() == 0) return;
  if (plan_ != nullptr) {
    const auto planned = static_cast<int32_t>(plan_->kernels.size());
    if (profile_.kernel_count() == planned) {
      PlanBoundary(planned);
    } else {
      Surprise("step-ended-early", "fewer kernels than in the profiled step",
               profile_.kernel_count());
    }
  }
  blocks_.GiveUpAllKept();
  EndGuide();
  plans_.EndStep(profile_.signature());
  ResolveLimit();
  NoteRoomAside();

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
  const bool peak_known = limit_fraction_ <= 0 || step_ == 2;
  if (refused_below_bytes_ > 0 || (step_ <= 2 && peak_known)) {
    RefuseLimitThatIsTooSmall();
  }
}

void Job::BeginStep() {
  const PlanTable* plan = plans_.Expected();
  if (plan == nullptr) SetAsideWhatStays();
  totals_ = StepTotals{.begin_ns = session::NowNs(),
                       .first_kernel = blocks_.clock() + 1};
  last_end_ns_ = totals_.begin_ns;
  blocks_.BeginStep();
  mover_.BeginStep();
  tagger_.Begin();
  profile_.Begin();
  for (Block* block : blocks_.all()) {
    if (block->set_aside) continue;
    profile_.AddAlive(block,
                      block->birth_step == step_ - 1 ? block->birth_tag : 0);
  }
  plan_ = step_plan_ = nullptr;
  if (!client_->AgentAlive()) {
    WarnAgentLost();
    return;
  }
  if (limit_bytes_ == 0) return;  // nothing has to move
  if (plan == nullptr) return;
  const bool fits = FindPlanBegin(*plan);
  if (!fits && ForgetOutgrown(*plan)) return;
  const bool tries = fits && plans_.Tries(*plan, step_);
  std::vector<Target> targets;
  NameTensors(*plan, &targets);
  if (tries && StartPlan(*plan, targets)) return;
  if (AnyStaysElsewhere(targets)) {
    SetAsideWhatStays();
    if (ForgetOutgrown(*plan)) return;
  }
  guide_ = {.plan = plan};
  if (!tries) return;
  plans_.NoteSurprise(*plan);
  ++totals_.fallbacks;
}

void Job::ReportSurprise() {
  if (surprise_.reason.empty()) return;
  ReportEvent(report(), surprise_.reason, surprise_.detail, surprise_.kernel);
  surprise_ = {};
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
          .hints_taken = totals_.hints_taken,
          .hints_ignored = totals_.hints_ignored};
}

// A limit in percent follows the tensor peak as it is found, from the first
// allocation to the end of the second step, when optimizers have their state,
// so that fast memory is hardly ever above the limit it ends up at. In the
// first step it is no less than what the running kernel and pinned tensors
// need: the share of a peak that is far from found would be no measure of what
// fits.
void Job::FollowPeak(int64_t tensor_bytes, int64_t kernel_bytes) {
  if (limit_fraction_ <= 0 || step_ > 1) return;
  int64_t limit_bytes = limit_fraction_ * tensor_bytes;
  if (step_ == 0) {
    const int64_t needed_bytes = kernel_bytes + kernel_bytes / 4 +
                                 window_bytes() + unmanaged_reserve_bytes_ +
                                 blocks_.pinned_bytes();
    limit_bytes = std::max(limit_bytes, needed_bytes);
  }
  if (limit_bytes <= limit_bytes_) return;
  limit_bytes_ = RoundUpToPage(limit_bytes);
  FitArena();
  if (StreamWindow::BytesFor(limit_bytes_) >= 2 * window_bytes()) FitWindow();
}

void Job::ResolveLimit() {
  blocks_.NotePeaks();
  if (blocks_.peaks().tensor_bytes > tensor_peak_bytes_) {
    tensor_peak_bytes_ = blocks_.peaks().tensor_bytes;
    report()->tensor_peak_bytes.store(tensor_peak_bytes_);
  }
  if (step_ > 1) return;
  if (limit_fraction_ > 0) {
    limit_bytes_ = RoundUpToPage(limit_fraction_ * tensor_peak_bytes_);
  }
  FitWindow();
  FitArena();
  report()->limit_bytes.store(limit_bytes_);
}

int64_t Job::EffectiveLimitBytes() const {
  return limit_bytes_ > 0 ? limit_bytes_ : provisional_limit_bytes_;
}

// Gives the window the size that suits the limit; blocks in its way are
// evicted. Not after a profile: plans count on it.
void Job::FitWindow() {
  const int64_t old_bytes = window_block_.size_bytes;
  const int64_t new_bytes = StreamWindow::BytesFor(EffectiveLimitBytes());
  if (new_bytes == old_bytes || extension_block_.size_bytes > 0) return;
  mover_.FinishAhead(/*wait=*/true);
  const auto victims =
      LowestVictims(blocks_.fast(), new_bytes, [this](const Block& victim) {
        return &victim == &window_block_ || blocks_.Movable(victim);
      });
  if (!victims.has_value()) return;
  // The slow tier may be full: the window changes only after this.
  for (Block* block : victims->blocks) {
    if (block != &window_block_) evictor_.Evict(block);
  }
  mover_.window()->Use(0, 0);
  if (old_bytes > 0) blocks_.GiveBack(window_block_.place);
  const Place room{session::kFastTier, victims->offset_bytes};
  window_block_.size_bytes = new_bytes;
  if (blocks_.TakeRoomAt(room, &window_block_)) {
    window_block_.place = room;
  } else {
    window_block_.size_bytes = old_bytes;
    blocks_.TakeRoomAt(window_block_.place, &window_block_);
  }
  mover_.window()->Use(window_block_.place.offset_bytes, window_bytes());
}

// Lets the arena end where the limit does, less what is not in it, and evicts
// what no longer fits.
void Job::FitArena() {
  const Arena& fast = blocks_.fast();
  const MappedTier& tier = client_->tiers()[session::kFastTier];
  unmanaged_reserve_bytes_ = ReserveFor(blocks_.unmanaged_peak_bytes());
  const int64_t capacity_bytes =
      std::min(tier.info.capacity_bytes,
               std::max((EffectiveLimitBytes() - unmanaged_reserve_bytes_) /
                            session::kPageBytes * session::kPageBytes,
                        window_bytes() + kLeastArenaBytes));
  if (capacity_bytes == fast.capacity_bytes()) return;
  mover_.FinishAhead(/*wait=*/true);
  const bool shrinks = capacity_bytes < fast.capacity_bytes();
  blocks_.SetFastCapacity(capacity_bytes);
  if (!shrinks) return;

  std::vector<Block*> outside;
  bool empty_above = true;
  for (auto extent = fast.used().rbegin(); extent != fast.used().rend();
       ++extent) {
    if (extent->first + extent->second.size_bytes <= capacity_bytes) break;
    const bool movable = blocks_.Movable(*extent->second.block);
    if (movable) outside.push_back(extent->second.block);
    empty_above = empty_above && movable;
  }
  for (Block* block : outside) evictor_.Evict(block);
  if (empty_above) {
    fallocate(tier.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              capacity_bytes, tier.info.capacity_bytes - capacity_bytes);
  }
}

// What must fit: storages below the managed size, the window, pinned tensors
// and a little, and, where slow memory is not addressable, half of the largest
// tensor: kernels stream what does not fit, but with less they would do nothing
// else.
int64_t Job::LeastLimitBytes() const {
  const bool addressable = client_->tiers()[1].addressable();
  int64_t least_bytes = unmanaged_reserve_bytes_ +
                        std::max(blocks_.pinned_bytes() + kLeastArenaBytes,
                                 addressable ? 0 : largest_room_bytes_ / 2);
  least_bytes += StreamWindow::BytesFor(least_bytes + (least_bytes >> 6));
  constexpr int64_t kMiB = 1 << 20;
  return (least_bytes + kMiB - 1) / kMiB * kMiB;
}

// Before the first update of the parameters, when a forward and a backward pass
// have shown what the job needs. Before every one once it was refused: a script
// that goes on, or a thread that ended with its error, must not train.
void Job::BeforeUpdate() {
  Lock lock(this);
  if (refused_below_bytes_ > 0 || (step_ == 0 && limit_fraction_ <= 0)) {
    RefuseLimitThatIsTooSmall();
  }
}

void Job::RefuseLimitThatIsTooSmall() {
  if (limit_bytes_ == 0) return;
  const int64_t least_bytes = LeastLimitBytes();
  client_->segment()->report.least_limit_bytes.store(least_bytes);
  const int64_t refused_below_bytes = std::exchange(
      refused_below_bytes_, limit_bytes_ < least_bytes ? least_bytes : 0);
  if (refused_below_bytes_ == 0) return;
  if (refused_below_bytes_ != refused_below_bytes) {
    ReportEvent(report(), "limit-too-small",
                "the least limit that works is " + std::to_string(least_bytes));
  }
  const bool is_share = limit_fraction_ > 0;
  throw std::runtime_error(
      "stowage: the fast-memory limit of " + std::to_string(limit_bytes_) +
      " bytes" + (is_share ? ShareText() : "") +
      " is too small for this job; the least limit that works is " +
      std::to_string(least_bytes >> 20) + "MiB (" +
      std::to_string(least_bytes) + " bytes)" +
      (is_share ? OrShare(least_bytes, tensor_peak_bytes_) : ""));
}

// No peak is known before a second step, which is the first with all the state
// of an optimizer.
std::string Job::ShareText() const {
  return ", " + Percent(limit_fraction_) + " of the tensor peak of " +
         std::to_string(tensor_peak_bytes_) +
         " bytes that two steps have shown,";
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
      unmanaged_reserve_bytes_ + window_bytes() + TakeRoomAside();
  segment->profiles_written.fetch_add(1);
}

// Hands the profile of the step that has just ended to the agent, once per
// signature.
bool Job::PublishProfile() {
  const uint64_t signature = profile_.signature();
  if (step_ == 0 || plan_ != nullptr || !plans_.WantsProfile(signature) ||
      !CanWriteProfile()) {
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
  if (limit_bytes_ == 0) return;
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
