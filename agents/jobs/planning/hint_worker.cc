#include "agents/jobs/planning/hint_worker.h"

#include <atomic>
#include <utility>

#include "absl/time/time.h"
#include "agents/jobs/planning/situation.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::agent {
namespace {

// The longest that a job waits for an answer if it rings no bell.
constexpr int64_t kLongestSleepNs = 1'000'000'000;

// How often to look whether the service has said what the policy can do.
constexpr absl::Duration kLookAgain = absl::Milliseconds(100);

}  // namespace

HintWorker::HintWorker(session::Segment* segment, const DeliveredPlans* plans,
                       ServiceLink* service, HintWorkerOptions options,
                       JobUsage* usage)
    : segment_(segment),
      plans_(plans),
      service_(service),
      options_(std::move(options)),
      usage_(usage),
      answered_(segment->situations_answered.load()),
      thread_([this] { Run(); }) {}

HintWorker::~HintWorker() {
  RequestStop();
  thread_.join();
}

void HintWorker::RequestStop() {
  absl::MutexLock lock(&mutex_);
  if (stop_.HasRung()) return;
  stop_.Ring();
  if (stream_ != nullptr) stream_->Cancel();
  session::FutexRing(segment_->situation_bell);
}

void HintWorker::Run() {
  const ThreadUsage usage(usage_);
  WaitForPolicy();
  while (!stop_.HasRung()) {
    WaitForSituation();
    const uint64_t stated =
        segment_->situations_stated.load(std::memory_order_acquire);
    if (stated == answered_) continue;
    Answer();
    answered_ = stated;
    segment_->situations_answered.store(stated, std::memory_order_release);
  }
  DropStream();
}

// Returns when the service says that the policy answers online. Another policy
// has no answer to a situation.
void HintWorker::WaitForPolicy() const {
  while (!service_->CapabilitiesOf(options_.policy).answers_online() &&
         !stop_.AwaitFor(kLookAgain)) {
  }
}

void HintWorker::WaitForSituation() const {
  const uint32_t bell =
      segment_->situation_bell.load(std::memory_order_acquire);
  if (segment_->situations_stated.load(std::memory_order_acquire) ==
          answered_ &&
      !stop_.HasRung()) {
    session::FutexWait(segment_->situation_bell, bell, kLongestSleepNs);
  }
}

void HintWorker::Answer() {
  segment_->hints.hint_count = 0;
  if (session::NowNs() < next_try_ns_) return;
  const Situation situation = CopySituation(segment_->situation);
  const std::shared_ptr<const DeliveredPlan> plan =
      plans_->Find(situation.plan);
  if (plan == nullptr) return;
  const absl::StatusOr<v1::PlaceRequest> request =
      PlaceRequestFor(situation, *plan, options_.capacity_bytes);
  if (!request.ok()) return;  // the job's own mistake
  const absl::StatusOr<v1::PlaceResponse> response =
      Ask(situation.plan, *request);
  absl::Status status = response.status();
  if (status.ok()) {
    const auto tier_count =
        static_cast<int32_t>(options_.capacity_bytes.size());
    status = FillHints(*response, *plan, tier_count, &segment_->hints);
  }
  if (status.ok()) return;
  DropStream();
  next_try_ns_ =
      session::NowNs() + absl::ToInt64Nanoseconds(options_.retry_interval);
}

absl::StatusOr<v1::PlaceResponse> HintWorker::Ask(
    uint64_t plan, const v1::PlaceRequest& request) {
  absl::StatusOr<PlacementStream*> stream = StreamFor(plan);
  if (!stream.ok()) return stream.status();
  return (*stream)->Ask(request);
}

// Returns the stream for a plan. A stream answers for one plan, by the DQN
// policy that served when it was first asked.
absl::StatusOr<PlacementStream*> HintWorker::StreamFor(uint64_t plan) {
  if (plan != stream_plan_) DropStream();
  {
    absl::MutexLock lock(&mutex_);
    if (stream_ != nullptr) return stream_.get();
  }
  absl::StatusOr<std::unique_ptr<PlacementStream>> opened =
      service_->OpenPlacement();
  if (!opened.ok()) return opened.status();
  absl::MutexLock lock(&mutex_);
  if (stop_.HasRung()) return absl::CancelledError("the job is over");
  stream_ = *std::move(opened);
  stream_plan_ = plan;
  return stream_.get();
}

void HintWorker::DropStream() {
  absl::MutexLock lock(&mutex_);
  stream_.reset();
}

}  // namespace stowage::agent
