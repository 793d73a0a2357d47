#include "server/training/training_manager.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "server/fleet/timestamp.h"
#include "server/graphs/stored_graph.h"
#include "server/training/episode_proto.h"

namespace stowage {
namespace {

// Replaces the name of a preset by the system that it means today.
absl::Status ResolveSystem(v1::StartTrainingRequest* request) {
  if (request->has_system()) return absl::OkStatus();
  if (!request->has_system_name()) {
    return absl::InvalidArgumentError(
        "the request has no memory system; set system_name or system");
  }
  absl::StatusOr<policies::MemorySystem> preset =
      policies::PresetMemorySystem(request->system_name());
  if (!preset.ok()) {
    return absl::InvalidArgumentError(preset.status().message());
  }
  *request->mutable_system() = policies::MemorySystemToProto(*preset);
  return absl::OkStatus();
}

v1::Training QueuedTraining(const v1::StartTrainingRequest& request,
                            const TrainingJob& job) {
  const policies::DqnPolicy* start =
      job.start.has_value() ? &*job.start : nullptr;
  v1::Training training;
  training.set_request_id(request.request_id());
  training.set_graph_id(request.graph_id());
  training.set_system(job.system.name);
  training.set_fast_limit_bytes(job.fast_limit_bytes);
  training.set_cost_priority(SettingsOf(job.options, start).cost_priority);
  training.set_seed(job.seed);
  training.set_state(v1::TRAINING_STATE_QUEUED);
  *training.mutable_created_at() = TimestampFromTime(absl::Now());
  return training;
}

bool HasEnded(const v1::Training& training) {
  return training.state() != v1::TRAINING_STATE_QUEUED &&
         training.state() != v1::TRAINING_STATE_RUNNING;
}

void End(v1::TrainingState state, const std::string& message,
         v1::Training* training) {
  training->set_state(state);
  training->set_message(message);
  *training->mutable_finished_at() = TimestampFromTime(absl::Now());
}

bool IsDone(const policies::DqnPolicy& policy) {
  return policy.fits || policy.episodes_done >= policy.settings.episodes;
}

}  // namespace

TrainingManager::TrainingManager(GraphStore* graphs, TrainingStore* trainings,
                                 PolicyVersions* versions, TrainFunction train,
                                 TrainingManagerOptions options)
    : graphs_(graphs),
      trainings_(trainings),
      versions_(versions),
      train_(std::move(train)),
      options_(std::move(options)) {
  for (int i = 0; i < options_.workers; ++i) {
    workers_.emplace_back([this] { Work(); });
  }
}

TrainingManager::~TrainingManager() { Drain(); }

absl::Status TrainingManager::Recover() {
  if (options_.workers == 0) return absl::OkStatus();
  absl::StatusOr<std::vector<v1::Training>> unfinished =
      trainings_->ListUnfinished();
  if (!unfinished.ok()) return unfinished.status();
  absl::MutexLock lock(&mutex_);
  for (const v1::Training& training : *unfinished) {
    Enqueue(training.training_id());
  }
  return absl::OkStatus();
}

void TrainingManager::Enqueue(int64_t training_id) {
  active_[training_id] = std::make_shared<Active>();
  queue_.push_back(training_id);
}

absl::Status TrainingManager::FillFromResumed(
    v1::StartTrainingRequest* request) {
  const int64_t resumed_id = request->resume_training_id();
  if (!request->start_policy().empty()) {
    return absl::InvalidArgumentError(
        "the request has start_policy and resume_training_id; give one");
  }
  absl::StatusOr<v1::Training> resumed = trainings_->GetTraining(resumed_id);
  if (!resumed.ok()) return resumed.status();
  if (!HasEnded(*resumed)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "training ", resumed_id, " has not ended; cancel it first, or watch"));
  }
  absl::StatusOr<std::string> checkpoint =
      trainings_->GetCheckpoint(resumed_id);
  if (!checkpoint.ok()) return checkpoint.status();
  if (checkpoint->empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("training ", resumed_id,
                     " ended before its first checkpoint; start another"));
  }
  absl::StatusOr<v1::StartTrainingRequest> original =
      trainings_->GetRequest(resumed_id);
  if (!original.ok()) return original.status();
  request->set_graph_id(original->graph_id());
  *request->mutable_system() = original->system();
  request->set_fast_limit_bytes(original->fast_limit_bytes());
  request->set_seed(original->seed());
  request->set_start_policy(*std::move(checkpoint));
  return absl::OkStatus();
}

absl::StatusOr<TrainingJob> TrainingManager::MakeJob(
    const v1::StartTrainingRequest& request) {
  if (request.graph_id().empty()) {
    return absl::InvalidArgumentError(
        "graph_id is not set; name the graph to train for, or the training to "
        "resume");
  }
  absl::StatusOr<policies::MemorySystem> system =
      policies::MemorySystemFromProto(request.system());
  if (!system.ok()) return system.status();
  absl::StatusOr<policies::Graph> graph =
      LoadGraph(graphs_, request.graph_id());
  if (!graph.ok()) return graph.status();
  TrainingJob job = {.graph = *std::move(graph),
                     .system = *std::move(system),
                     .fast_limit_bytes = request.fast_limit_bytes(),
                     .options = request.options(),
                     .seed = request.seed(),
                     .start = std::nullopt};
  if (!request.start_policy().empty()) {
    absl::StatusOr<policies::DqnPolicy> start =
        policies::DecodeDqnPolicy(request.start_policy());
    if (!start.ok()) return start.status();
    job.start = *std::move(start);
  }
  if (absl::Status valid = CheckTrainingJob(job); !valid.ok()) return valid;
  return job;
}

absl::StatusOr<v1::Training> TrainingManager::Start(
    v1::StartTrainingRequest request) {
  if (options_.workers == 0) {
    return absl::FailedPreconditionError(
        "this stowaged does not train; start it with --training-cores=1 or "
        "more");
  }
  absl::Status status;
  if (request.resume_training_id() != 0) status = FillFromResumed(&request);
  if (status.ok()) status = ResolveSystem(&request);
  if (!status.ok()) return status;
  absl::StatusOr<TrainingJob> job = MakeJob(request);
  if (!job.ok()) return job.status();

  absl::MutexLock lock(&mutex_);
  if (draining_) {
    return absl::UnavailableError(
        "the server is shutting down; try again with back-off");
  }
  if (queue_.size() >= kMaxQueued) {
    return absl::ResourceExhaustedError(
        absl::StrCat(queue_.size(), " trainings wait already; try later"));
  }
  absl::StatusOr<AddedTraining> added =
      trainings_->AddTraining(request, QueuedTraining(request, *job));
  if (!added.ok()) return added.status();
  if (added->created) Enqueue(added->training.training_id());
  return std::move(added->training);
}

absl::StatusOr<v1::Training> TrainingManager::Cancel(int64_t training_id) {
  absl::MutexLock lock(&mutex_);
  absl::StatusOr<v1::Training> training = trainings_->GetTraining(training_id);
  const auto active = active_.find(training_id);
  if (!training.ok() || active == active_.end()) return training;
  active->second->cancelled = true;
  if (active->second->running) return training;
  std::erase(queue_, training_id);
  End(v1::TRAINING_STATE_CANCELLED, "cancelled while it waited", &*training);
  Store(*training, active->second.get());
  active->second->channel->End();
  active_.erase(active);
  return training;
}

std::shared_ptr<TrainingChannel> TrainingManager::Channel(int64_t training_id) {
  absl::MutexLock lock(&mutex_);
  const auto active = active_.find(training_id);
  return active == active_.end() ? nullptr : active->second->channel;
}

void TrainingManager::BeginDrain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  for (const auto& [id, active] : active_) active->channel->Close();
}

void TrainingManager::Drain() {
  BeginDrain();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

bool TrainingManager::draining() const {
  absl::MutexLock lock(&mutex_);
  return draining_;
}

int64_t TrainingManager::CountQueued() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(queue_.size());
}

int64_t TrainingManager::CountRunning() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(active_.size() - queue_.size());
}

void TrainingManager::Work() {
  for (;;) {
    int64_t training_id = 0;
    std::shared_ptr<Active> active;
    {
      absl::MutexLock lock(&mutex_);
      const auto due = [this] {
        mutex_.AssertReaderHeld();
        return draining_ || !queue_.empty();
      };
      mutex_.Await(absl::Condition(&due));
      if (draining_) return;
      training_id = queue_.front();
      queue_.pop_front();
      active = active_.at(training_id);
      active->running = true;
    }
    Run(training_id, active.get());
    absl::MutexLock lock(&mutex_);
    active_.erase(training_id);
  }
}

void TrainingManager::Store(const v1::Training& training, Active* active) {
  // If the database cannot be written, this state is lost but not the training,
  // which runs again after a restart.
  trainings_->UpdateTraining(training).IgnoreError();
  v1::TrainingEvent event;
  *event.mutable_training() = training;
  active->channel->Publish(std::move(event));
}

void TrainingManager::Run(int64_t training_id, Active* active) {
  absl::StatusOr<v1::Training> training = trainings_->GetTraining(training_id);
  absl::StatusOr<v1::StartTrainingRequest> request =
      trainings_->GetRequest(training_id);
  absl::StatusOr<std::string> checkpoint =
      trainings_->GetCheckpoint(training_id);
  if (!training.ok() || !request.ok() || !checkpoint.ok()) {
    active->channel->End();  // its graph was deleted, and it with it
    return;
  }
  const bool resumes = !checkpoint->empty();
  if (resumes) request->set_start_policy(*std::move(checkpoint));
  training->set_state(v1::TRAINING_STATE_RUNNING);
  if (!training->has_started_at()) {
    *training->mutable_started_at() = TimestampFromTime(absl::Now());
  }
  Store(*training, active);
  const absl::StatusOr<TrainingJob> job = MakeJob(*request);
  const absl::StatusOr<policies::DqnPolicy> policy =
      !job.ok()                        ? job.status()
      : resumes && IsDone(*job->start) ? *job->start
                                       : Train(*job, active, &*training);
  if (policy.ok()) {
    Conclude(*policy, *job, *active, &*training);
  } else {
    End(v1::TRAINING_STATE_FAILED, std::string(policy.status().message()),
        &*training);
  }
  Store(*training, active);
  if (!HasEnded(*training)) return;
  options_.on_end(training->state());
  active->channel->End();
}

absl::StatusOr<policies::DqnPolicy> TrainingManager::Train(
    const TrainingJob& job, Active* active, v1::Training* training) {
  const int64_t id = training->training_id();
  EpisodeTimer timer;
  std::string checkpoint;
  absl::StatusOr<policies::DqnPolicy> policy =
      train_(job, [&](const policies::EpisodeReport& report) {
        v1::TrainingEvent event;
        *event.mutable_episode() = timer.Stamp(report);
        *training->mutable_last_episode() = event.episode();
        options_.on_episode(event.episode());
        active->channel->Publish(std::move(event));
        checkpoint = policies::EncodeDqnPolicy(*report.checkpoint);
        if (report.episode % kCheckpointEpisodes == 0) {
          trainings_->PutCheckpoint(id, checkpoint).IgnoreError();
          trainings_->UpdateTraining(*training).IgnoreError();
        }
        return !active->cancelled && !draining();
      });
  if (policy.ok() && !policy->fits) {
    checkpoint = policies::EncodeDqnPolicy(*policy);
  }
  if (!checkpoint.empty()) {
    trainings_->PutCheckpoint(id, checkpoint).IgnoreError();
  }
  return policy;
}

void TrainingManager::Conclude(const policies::DqnPolicy& policy,
                               const TrainingJob& job, const Active& active,
                               v1::Training* training) {
  if (policy.fits) {
    return End(v1::TRAINING_STATE_SUCCEEDED,
               "the graph fits the fast limit: there was nothing to learn, and "
               "plans of deeptm keep all of it fast",
               training);
  }
  if (!IsDone(policy)) {
    if (active.cancelled || !draining()) {
      return End(v1::TRAINING_STATE_CANCELLED,
                 absl::StrCat("cancelled after episode ", policy.episodes_done,
                              "; resume it with resume_training_id ",
                              training->training_id()),
                 training);
    }
    training->set_state(v1::TRAINING_STATE_QUEUED);
    training->set_message(absl::StrCat(
        "interrupted after episode ", policy.episodes_done,
        " because the service ended; it goes on when the service runs again"));
    return;
  }
  absl::StatusOr<v1::PolicyVersion> version =
      versions_->Publish(policy, job.system, training->training_id());
  if (!version.ok()) {
    return End(v1::TRAINING_STATE_FAILED,
               absl::StrCat("trained, but its plan is of no use: ",
                            version.status().message()),
               training);
  }
  training->set_policy_id(version->policy_id());
  training->set_version(version->version());
  End(v1::TRAINING_STATE_SUCCEEDED, version->verdict(), training);
}

}  // namespace stowage
