#include "server/training/training_manager.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

// Returns a name that no other replica has, nor an earlier run of this one.
std::string NewHolder() {
  absl::BitGen random;
  return absl::StrFormat("%016x%016x", absl::Uniform<uint64_t>(random),
                         absl::Uniform<uint64_t>(random));
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
      options_(std::move(options)),
      holder_(NewHolder()) {
  for (int i = 0; i < options_.workers; ++i) {
    workers_.emplace_back([this] { Work(); });
  }
  renewer_ = std::thread([this] { RenewClaims(); });
}

TrainingManager::~TrainingManager() { Drain(); }

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

  if (draining()) {
    return absl::UnavailableError(
        "the server is shutting down; try again with back-off");
  }
  const absl::StatusOr<int64_t> queued = trainings_->CountQueued();
  if (!queued.ok()) return queued.status();
  if (*queued >= kMaxQueued) {
    return absl::ResourceExhaustedError(
        absl::StrCat(*queued, " trainings wait already; try later"));
  }
  absl::StatusOr<AddedTraining> added =
      trainings_->AddTraining(request, QueuedTraining(request, *job));
  if (!added.ok()) return added.status();
  changed_.Ring();
  return std::move(added->training);
}

absl::StatusOr<v1::Training> TrainingManager::Cancel(int64_t training_id) {
  absl::StatusOr<v1::Training> training =
      trainings_->Cancel(training_id, [](v1::Training* waiting) {
        End(v1::TRAINING_STATE_CANCELLED, "cancelled while it waited", waiting);
      });
  absl::MutexLock lock(&mutex_);
  const auto active = active_.find(training_id);
  if (training.ok() && active != active_.end()) {
    active->second->cancelled = true;
  }
  return training;
}

std::shared_ptr<TrainingChannel> TrainingManager::Channel(int64_t training_id) {
  absl::MutexLock lock(&mutex_);
  const auto active = active_.find(training_id);
  return active == active_.end() ? nullptr : active->second->channel;
}

bool TrainingManager::AwaitChange(absl::Duration time) {
  const uint64_t heard = changed_.rings();
  if (draining()) return false;
  changed_.AwaitFor(time, heard);
  return !draining();
}

void TrainingManager::BeginDrain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  for (const auto& [id, active] : active_) active->channel->Close();
  changed_.Ring();
}

void TrainingManager::Drain() {
  BeginDrain();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  ended_.Ring();
  if (renewer_.joinable()) renewer_.join();
}

bool TrainingManager::draining() const {
  absl::MutexLock lock(&mutex_);
  return draining_;
}

int64_t TrainingManager::CountRunning() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(active_.size());
}

std::optional<ClaimedTraining> TrainingManager::ClaimNext() {
  // If the database cannot be used now, somebody looks again soon.
  absl::StatusOr<std::optional<ClaimedTraining>> claimed =
      trainings_->Claim(holder_, options_.lease);
  if (!claimed.ok() || !claimed->has_value()) return std::nullopt;
  const int64_t id = (*claimed)->training.training_id();
  absl::MutexLock lock(&mutex_);
  // A claim of ours that ended while the database was away is still at work.
  const auto [active, inserted] = active_.try_emplace(
      id, std::make_shared<Active>(TrainingClaim{id, holder_}));
  return inserted ? *std::move(claimed) : std::nullopt;
}

void TrainingManager::Work() {
  for (;;) {
    const uint64_t heard = changed_.rings();
    if (draining()) return;
    std::optional<ClaimedTraining> claimed = ClaimNext();
    if (!claimed.has_value()) {
      changed_.AwaitFor(options_.look, heard);
      continue;
    }
    const int64_t id = claimed->training.training_id();
    std::shared_ptr<Active> active;
    {
      absl::MutexLock lock(&mutex_);
      active = active_.at(id);
      if (draining_) active->channel->Close();
    }
    changed_.Ring();
    Run(*std::move(claimed), active.get());
    trainings_->Release(active->claim).IgnoreError();
    {
      absl::MutexLock lock(&mutex_);
      active_.erase(id);
    }
    active->channel->End();
    changed_.Ring();
  }
}

void TrainingManager::RenewClaims() {
  while (!ended_.AwaitFor(options_.lease / 3)) {
    std::vector<std::shared_ptr<Active>> held;
    {
      absl::MutexLock lock(&mutex_);
      for (const auto& [id, active] : active_) held.push_back(active);
    }
    for (const std::shared_ptr<Active>& active : held) RenewClaim(active.get());
  }
}

void TrainingManager::RenewClaim(Active* active) {
  const absl::StatusOr<Lease> lease =
      trainings_->Renew(active->claim, options_.lease);
  // Without the database nobody else can claim the training either.
  if (!lease.ok()) return;
  if (*lease == Lease::kCancelled) active->cancelled = true;
  if (*lease == Lease::kLost) active->lost = true;
}

// Notes what storing something for the training has come to. If the database
// cannot be written, the state is lost but not the training, which goes on from
// its last checkpoint.
void TrainingManager::Note(const absl::Status& stored, Active* active) {
  if (absl::IsAborted(stored)) active->lost = true;
}

bool TrainingManager::Store(const v1::Training& training, Active* active) {
  const absl::Status stored =
      trainings_->UpdateTraining(active->claim, training);
  Note(stored, active);
  if (active->lost) return false;
  v1::TrainingEvent event;
  *event.mutable_training() = training;
  active->channel->Publish(std::move(event));
  return stored.ok();
}

void TrainingManager::Run(ClaimedTraining claimed, Active* active) {
  v1::Training& training = claimed.training;
  v1::StartTrainingRequest& request = claimed.request;
  const bool resumes = !claimed.checkpoint.empty();
  if (resumes) request.set_start_policy(std::move(claimed.checkpoint));
  training.set_state(v1::TRAINING_STATE_RUNNING);
  if (!training.has_started_at()) {
    *training.mutable_started_at() = TimestampFromTime(absl::Now());
  }
  Store(training, active);
  const absl::StatusOr<TrainingJob> job = MakeJob(request);
  const absl::StatusOr<policies::DqnPolicy> policy =
      !job.ok()                        ? job.status()
      : resumes && IsDone(*job->start) ? *job->start
                                       : Train(*job, active, &training);
  if (policy.ok()) {
    Conclude(*policy, *job, active, &training);
  } else {
    End(v1::TRAINING_STATE_FAILED, std::string(policy.status().message()),
        &training);
  }
  if (Store(training, active) && HasEnded(training)) {
    options_.on_end(training.state());
  }
}

absl::StatusOr<policies::DqnPolicy> TrainingManager::Train(
    const TrainingJob& job, Active* active, v1::Training* training) {
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
          Note(trainings_->PutCheckpoint(active->claim, checkpoint), active);
          Note(trainings_->UpdateTraining(active->claim, *training), active);
        }
        return !active->cancelled && !active->lost && !draining();
      });
  if (policy.ok() && !policy->fits) {
    checkpoint = policies::EncodeDqnPolicy(*policy);
  }
  if (!checkpoint.empty()) {
    Note(trainings_->PutCheckpoint(active->claim, checkpoint), active);
  }
  return policy;
}

void TrainingManager::Conclude(const policies::DqnPolicy& policy,
                               const TrainingJob& job, Active* active,
                               v1::Training* training) {
  if (policy.fits) {
    return End(v1::TRAINING_STATE_SUCCEEDED,
               "the graph fits the fast limit: there was nothing to learn, and "
               "plans of deeptm keep all of it fast",
               training);
  }
  if (!IsDone(policy)) {
    if (active->cancelled || !draining()) {
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
      versions_->Publish(policy, job.system, active->claim);
  Note(version.status(), active);
  if (absl::IsUnavailable(version.status())) {
    training->set_state(v1::TRAINING_STATE_QUEUED);
    training->set_message(
        absl::StrCat("trained, but not published: ", version.status().message(),
                     "; the service tries again"));
    return;
  }
  if (!version.ok()) {
    return End(v1::TRAINING_STATE_FAILED,
               absl::StrCat("trained, but its plan is of no use: ",
                            version.status().message()),
               training);
  }
  options_.on_version(*version);
  training->set_policy_id(version->policy_id());
  training->set_version(version->version());
  End(v1::TRAINING_STATE_SUCCEEDED, version->verdict(), training);
}

}  // namespace stowage
