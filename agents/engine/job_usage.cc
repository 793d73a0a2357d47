#include "agents/engine/job_usage.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "client_sdk/session/clock.h"

namespace stowage::agent {
namespace {

int64_t ReadNs(clockid_t clock) {
  timespec used = {};
  clock_gettime(clock, &used);
  return used.tv_sec * int64_t{1'000'000'000} + used.tv_nsec;
}

}  // namespace

int64_t AgentUsage::RestNs(int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  if (now_ns < next_read_ns_) return rest_ns_;
  next_read_ns_ = now_ns + kGoodForNs;
  const int64_t all_ns = ReadNs(CLOCK_PROCESS_CPUTIME_ID);
  rest_ns_ = std::max(rest_ns_, all_ns - counted_ns());
  return rest_ns_;
}

JobUsage::JobUsage(std::shared_ptr<AgentUsage> agent,
                   std::atomic<int64_t>* total_ns)
    : agent_(std::move(agent)),
      total_ns_(total_ns),
      seen_counted_ns_(agent_->counted_ns()),
      seen_rest_ns_(agent_->RestNs(session::NowNs())) {}

void JobUsage::Count() {
  absl::MutexLock lock(&mutex_);
  for (ThreadUsage* thread : threads_) CountThread(thread);
  CountShare();
}

// While no job's thread has used anything, the rest waits for one that does.
void JobUsage::CountShare() {
  const int64_t counted_ns = agent_->counted_ns();
  const int64_t rest_ns = agent_->RestNs(session::NowNs());
  if (counted_ns == seen_counted_ns_) return;
  const double part = static_cast<double>(own_ns_ - seen_own_ns_) /
                      static_cast<double>(counted_ns - seen_counted_ns_);
  total_ns_->fetch_add(
      static_cast<int64_t>(part * static_cast<double>(rest_ns - seen_rest_ns_)),
      std::memory_order_relaxed);
  seen_own_ns_ = own_ns_;
  seen_counted_ns_ = counted_ns;
  seen_rest_ns_ = rest_ns;
}

void JobUsage::CountThread(ThreadUsage* thread) {
  const int64_t used_ns = ReadNs(thread->clock_);
  const int64_t more_ns = used_ns - std::exchange(thread->counted_ns_, used_ns);
  own_ns_ += more_ns;
  agent_->Count(more_ns);
  total_ns_->fetch_add(more_ns, std::memory_order_relaxed);
}

void JobUsage::Begin(ThreadUsage* thread) {
  absl::MutexLock lock(&mutex_);
  threads_.push_back(thread);
}

void JobUsage::Count(ThreadUsage* thread) {
  absl::MutexLock lock(&mutex_);
  CountThread(thread);
}

void JobUsage::End(ThreadUsage* thread) {
  absl::MutexLock lock(&mutex_);
  CountThread(thread);
  threads_.erase(std::find(threads_.begin(), threads_.end(), thread));
}

ThreadUsage::ThreadUsage(JobUsage* job) : job_(job) {
  if (job_ == nullptr) return;
  // Another name of the clock, by which other threads may read it.
  pthread_getcpuclockid(pthread_self(), &clock_);
  counted_ns_ = ReadNs(clock_);
  job_->Begin(this);
}

ThreadUsage::~ThreadUsage() {
  if (job_ != nullptr) job_->End(this);
}

void ThreadUsage::Count() {
  if (job_ != nullptr) job_->Count(this);
}

}  // namespace stowage::agent
