#include "server/fleet/job_registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/fleet/fleet_merge.h"
#include "server/fleet/job_resize.h"
#include "server/fleet/timestamp.h"

namespace stowage {
namespace {

absl::Status NoSuchJob(absl::string_view job_id) {
  return absl::NotFoundError(
      absl::StrCat("no job '", job_id, "'; list the jobs there are"));
}

absl::Status DoesNotRun(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_FINISHED) {
    return absl::FailedPreconditionError(absl::StrCat(
        "job '", job.job_id(), "' has finished; list the jobs that run"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "job '", job.job_id(), "' is lost: nothing is heard of its node '",
      job.node(), "'; ask again when it is back"));
}

// Updates the fields that are set in `news`; the others keep what is known.
void Update(const v1::Job& news, v1::Job* job) {
  if (!news.command().empty()) job->set_command(news.command());
  if (!news.policy().empty()) job->set_policy(news.policy());
  if (!news.graph_id().empty()) job->set_graph_id(news.graph_id());
  if (news.fast_limit_bytes() > 0) {
    job->set_fast_limit_bytes(news.fast_limit_bytes());
  }
}

void Add(const v1::StepTelemetry& step, v1::Job* job) {
  job->set_steps(job->steps() + 1);
  job->set_last_step_duration_ns(step.duration_ns());
  job->set_last_predicted_duration_ns(step.predicted_duration_ns());
  job->set_fast_peak_bytes(
      std::max(job->fast_peak_bytes(), step.fast_peak_bytes()));
  job->set_fallbacks(job->fallbacks() + step.fallbacks());
}

}  // namespace

JobRegistry::JobRegistry(const NodeRegistry* nodes) : nodes_(nodes) {}

v1::JobState JobRegistry::StateAt(const Entry& entry, absl::Time now) const {
  if (entry.job.state() == v1::JOB_STATE_FINISHED) return entry.job.state();
  const bool heard = now - entry.last_heard <= nodes_->lease() ||
                     nodes_->IsAlive(entry.job.node(), now);
  return heard ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_LOST;
}

v1::Job JobRegistry::JobAt(const Entry& entry, absl::Time now) const {
  v1::Job job = entry.job;
  job.set_state(StateAt(entry, now));
  return job;
}

const JobRegistry::Entry* JobRegistry::Find(absl::string_view job_id) const {
  const auto number = numbers_.find(job_id);
  return number == numbers_.end() ? nullptr : &jobs_.at(number->second);
}

void JobRegistry::MakeRoom(absl::Time now) {
  if (jobs_.size() < kMaxJobs) return;
  auto victim = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& it) {
    return StateAt(it.second, now) != v1::JOB_STATE_RUNNING;
  });
  if (victim == jobs_.end()) victim = jobs_.begin();
  forgotten_.push_back(victim->second.job.job_id());
  numbers_.erase(victim->second.job.job_id());
  for (std::set<JobNumber>* set : {&resized_, &changed_, &stepped_}) {
    set->erase(victim->first);
  }
  jobs_.erase(victim);
}

JobRegistry::Entry& JobRegistry::FindOrAdd(absl::string_view job_id,
                                           absl::string_view node,
                                           absl::Time now) {
  if (const auto it = numbers_.find(job_id); it != numbers_.end()) {
    return jobs_.at(it->second);
  }
  MakeRoom(now);
  const JobNumber number = std::max(next_number_, absl::ToUnixNanos(now));
  next_number_ = number + 1;
  changed_.insert(number);
  numbers_.emplace(job_id, number);
  Entry& entry = jobs_[number];
  entry.job.set_job_id(std::string(job_id));
  entry.job.set_node(std::string(node));
  entry.job.set_state(v1::JOB_STATE_RUNNING);
  *entry.job.mutable_started_at() = TimestampFromTime(now);
  return entry;
}

absl::Status JobRegistry::Start(const v1::Job& job, absl::Time now) {
  if (!nodes_->Knows(job.node())) {
    return absl::NotFoundError(
        absl::StrCat("no node '", job.node(), "'; register it first"));
  }
  absl::MutexLock lock(&mutex_);
  Entry& entry = FindOrAdd(job.job_id(), job.node(), now);
  if (entry.job.node() != job.node()) {
    return absl::AlreadyExistsError(
        absl::StrCat("job '", job.job_id(), "' is one of node '",
                     entry.job.node(), "'; choose another id"));
  }
  Update(job, &entry.job);
  entry.last_heard = now;
  changed_.insert(numbers_.at(job.job_id()));
  return absl::OkStatus();
}

absl::Status JobRegistry::Finish(absl::string_view job_id, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto number = numbers_.find(job_id);
  if (number == numbers_.end()) return NoSuchJob(job_id);
  v1::Job& job = jobs_.at(number->second).job;
  if (job.state() == v1::JOB_STATE_FINISHED) return absl::OkStatus();
  job.set_state(v1::JOB_STATE_FINISHED);
  *job.mutable_finished_at() = TimestampFromTime(now);
  RefuseResize("the job ended before it obeyed", &job);
  resized_.erase(number->second);
  changed_.insert(number->second);
  return absl::OkStatus();
}

absl::StatusOr<v1::Job> JobRegistry::Get(absl::string_view job_id,
                                         absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  const Entry* entry = Find(job_id);
  if (entry == nullptr) return NoSuchJob(job_id);
  return JobAt(*entry, now);
}

std::vector<NumberedJob> JobRegistry::List(absl::string_view node,
                                           std::optional<JobNumber> before,
                                           int limit, absl::Time now) const {
  std::vector<NumberedJob> page;
  absl::MutexLock lock(&mutex_);
  auto end = before.has_value() ? jobs_.lower_bound(*before) : jobs_.end();
  for (auto it = std::make_reverse_iterator(end);
       it != jobs_.rend() && static_cast<int>(page.size()) < limit; ++it) {
    if (!node.empty() && it->second.job.node() != node) continue;
    page.push_back({.number = it->first, .job = JobAt(it->second, now)});
  }
  return page;
}

bool JobRegistry::IsJobOf(absl::string_view node,
                          absl::string_view job_id) const {
  absl::MutexLock lock(&mutex_);
  const Entry* entry = Find(job_id);
  return entry == nullptr || entry->job.node() == node;
}

StepOutcome JobRegistry::RecordStep(absl::string_view node,
                                    const v1::StepTelemetry& step,
                                    absl::Time now) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = FindOrAdd(step.job_id(), node, now);
  entry.last_heard = now;
  if (step.index() <= entry.last_step) return StepOutcome::kRepeated;
  entry.last_step = step.index();
  stepped_.insert(numbers_.at(step.job_id()));
  Add(step, &entry.job);
  return StepOutcome::kTaken;
}

absl::StatusOr<v1::Job> JobRegistry::Resize(const v1::ResizeJobRequest& request,
                                            absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto number = numbers_.find(request.job_id());
  if (number == numbers_.end()) return NoSuchJob(request.job_id());
  Entry& entry = jobs_.at(number->second);
  const bool is_same =
      entry.job.has_resize() && HasLimit(entry.job.resize(), request);
  if (is_same && !request.request_id().empty() &&
      request.request_id() == entry.resize_request_id) {
    return JobAt(entry, now);
  }
  if (StateAt(entry, now) != v1::JOB_STATE_RUNNING) {
    return DoesNotRun(entry.job);
  }
  if (is_same && IsPending(entry.job)) return JobAt(entry, now);
  *entry.job.mutable_resize() =
      NewResize(request, entry.job.resize().number(), now);
  entry.resize_request_id = request.request_id();
  resized_.insert(number->second);
  changed_.insert(number->second);
  return JobAt(entry, now);
}

void JobRegistry::TakeOutcome(absl::string_view node,
                              const v1::ResizeOutcome& outcome) {
  absl::MutexLock lock(&mutex_);
  const auto number = numbers_.find(outcome.job_id());
  if (number == numbers_.end()) return;
  v1::Job& job = jobs_.at(number->second).job;
  if (job.node() != node) return;
  if (!IsPending(job)) return;
  SettleResize(outcome, &job);
  if (IsPending(job)) return;
  resized_.erase(number->second);
  changed_.insert(number->second);
}

std::vector<v1::ResizeOrder> JobRegistry::PendingOrders(
    absl::string_view node) const {
  std::vector<v1::ResizeOrder> orders;
  absl::MutexLock lock(&mutex_);
  for (const JobNumber number : resized_) {
    const v1::Job& job = jobs_.at(number).job;
    if (job.node() == node) orders.push_back(OrderOf(job));
  }
  return orders;
}

int64_t JobRegistry::CountRunning(absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  return std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return StateAt(entry.second, now) == v1::JOB_STATE_RUNNING;
  });
}

std::vector<JobRoom> JobRegistry::RoomOfRunning(absl::Time now) const {
  return RoomOfRunning("", now);
}

std::vector<JobRoom> JobRegistry::RoomOfRunning(absl::string_view node,
                                                absl::Time now) const {
  std::vector<JobRoom> rooms;
  absl::MutexLock lock(&mutex_);
  for (const auto& [number, entry] : jobs_) {
    const v1::Job& job = entry.job;
    if (!node.empty() && job.node() != node) continue;
    if (StateAt(entry, now) != v1::JOB_STATE_RUNNING) continue;
    rooms.push_back({job.job_id(), job.node(),
                     job.fast_limit_bytes() > 0 ? job.fast_limit_bytes()
                                                : job.fast_peak_bytes()});
  }
  return rooms;
}

std::vector<std::string> JobRegistry::GraphsInUse(absl::Time now) const {
  std::vector<std::string> graphs;
  absl::MutexLock lock(&mutex_);
  for (const auto& [number, entry] : jobs_) {
    if (entry.job.graph_id().empty()) continue;
    if (StateAt(entry, now) != v1::JOB_STATE_RUNNING) continue;
    graphs.push_back(entry.job.graph_id());
  }
  return graphs;
}

v1::StoredJob JobRegistry::ToStored(JobNumber number, const Entry& entry) {
  v1::StoredJob stored;
  *stored.mutable_job() = entry.job;
  stored.set_number(number);
  stored.set_last_heard_ns(absl::ToUnixNanos(entry.last_heard));
  stored.set_last_step(entry.last_step);
  stored.set_resize_request_id(entry.resize_request_id);
  return stored;
}

std::vector<v1::StoredJob> JobRegistry::TakeChanged(bool steps) {
  absl::MutexLock lock(&mutex_);
  std::set<JobNumber> numbers = std::exchange(changed_, {});
  if (steps) numbers.merge(std::exchange(stepped_, {}));
  std::vector<v1::StoredJob> jobs;
  jobs.reserve(numbers.size());
  for (const JobNumber number : numbers) {
    jobs.push_back(ToStored(number, jobs_.at(number)));
  }
  return jobs;
}

void JobRegistry::PutBackChanged(const std::vector<v1::StoredJob>& jobs) {
  absl::MutexLock lock(&mutex_);
  for (const v1::StoredJob& job : jobs) {
    const auto number = numbers_.find(job.job().job_id());
    if (number != numbers_.end()) changed_.insert(number->second);
  }
}

std::vector<std::string> JobRegistry::TakeForgotten() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(forgotten_, {});
}

std::optional<v1::StoredJob> JobRegistry::Stored(
    absl::string_view job_id) const {
  absl::MutexLock lock(&mutex_);
  const auto number = numbers_.find(job_id);
  if (number == numbers_.end()) return std::nullopt;
  return ToStored(number->second, jobs_.at(number->second));
}

void JobRegistry::Merge(const v1::StoredJob& theirs, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  auto known = numbers_.find(theirs.job().job_id());
  v1::StoredJob joined = theirs;
  if (known == numbers_.end()) {
    MakeRoom(now);
    JobNumber number = theirs.number();
    while (jobs_.contains(number)) ++number;
    known = numbers_.emplace(theirs.job().job_id(), number).first;
  } else {
    joined = ToStored(known->second, jobs_.at(known->second));
    MergeJob(theirs, &joined);
  }
  Entry& entry = jobs_[known->second];
  entry.last_heard = absl::FromUnixNanos(joined.last_heard_ns());
  entry.last_step = joined.last_step();
  entry.resize_request_id = joined.resize_request_id();
  entry.job = std::move(*joined.mutable_job());
  if (IsPending(entry.job)) {
    resized_.insert(known->second);
  } else {
    resized_.erase(known->second);
  }
}

}  // namespace stowage
