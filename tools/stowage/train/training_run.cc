#include "tools/stowage/train/training_run.h"

#include <signal.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client_sdk/cpp/client.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "server/training/episode_proto.h"
#include "server/training/trainer_process.h"
#include "tools/stowage/inputs/service_client.h"

namespace stowage::cli {
namespace {

volatile sig_atomic_t interrupted = 0;

// While it lives, Ctrl-C is noted and not obeyed.
class InterruptNote {
 public:
  InterruptNote() {
    interrupted = 0;
    struct sigaction note = {};
    note.sa_handler = [](int) { interrupted = 1; };
    note.sa_flags = SA_RESTART;
    sigaction(SIGINT, &note, &before_);
  }
  ~InterruptNote() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
};

// Returns a unique id, so that two runs of one command are two trainings.
std::string NewRequestId() {
  return absl::StrCat("train-", getpid(), "-", absl::ToUnixNanos(absl::Now()));
}

absl::StatusOr<v1::Training> StartAt(Client* client, const TrainingJob& job) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = policies::GraphToProto(job.graph);
  absl::StatusOr<v1::RegisterGraphResponse> registered =
      client->RegisterGraph(registration);
  if (!registered.ok()) return registered.status();
  v1::StartTrainingRequest request;
  request.set_request_id(NewRequestId());
  request.set_graph_id(registered->graph_id());
  *request.mutable_system() = policies::MemorySystemToProto(job.system);
  request.set_fast_limit_bytes(job.fast_limit_bytes);
  *request.mutable_options() = job.options;
  request.set_seed(job.seed);
  if (job.start.has_value()) {
    request.set_start_policy(policies::EncodeDqnPolicy(*job.start));
  }
  return client->StartTraining(request);
}

// Returns the policy that a training has made, which has ended.
absl::StatusOr<policies::DqnPolicy> PolicyOf(Client* client,
                                             const TrainingJob& job,
                                             const v1::Training& training) {
  if (training.state() != v1::TRAINING_STATE_SUCCEEDED) {
    return absl::FailedPreconditionError(
        absl::StrCat("training ", training.training_id(),
                     " of the service: ", training.message()));
  }
  if (training.version() == 0) {  // it fits
    return policies::DqnPolicy{
        .graph_id = training.graph_id(),
        .system = job.system.name,
        .system_digest = policies::MemorySystemDigest(job.system),
        .fast_limit_bytes = job.fast_limit_bytes,
        .seed = job.seed,
        .fits = true};
  }
  absl::StatusOr<v1::GetVersionResponse> version =
      client->GetVersion(training.policy_id(), training.version());
  if (!version.ok()) return version.status();
  return policies::DecodeDqnPolicy(version->policy());
}

}  // namespace

absl::StatusOr<TrainingResult> TrainHere(const TrainingJob& job,
                                         const std::string& trainer_path,
                                         ShowEpisode show) {
  const InterruptNote note;
  EpisodeTimer timer;
  TrainingResult result;
  absl::StatusOr<policies::DqnPolicy> policy = TrainerProcess(
      {.path = trainer_path})(job, [&](const policies::EpisodeReport& report) {
    result.episodes.push_back(timer.Stamp(report));
    show(result.episodes.back());
    return interrupted == 0;
  });
  if (!policy.ok()) return policy.status();
  result.policy = *std::move(policy);
  return result;
}

absl::StatusOr<TrainingResult> TrainAt(const std::string& address,
                                       const TrainingJob& job,
                                       ShowEpisode show) {
  absl::StatusOr<std::unique_ptr<Client>> client = ConnectToService(address);
  if (!client.ok()) return client.status();
  absl::StatusOr<v1::Training> training = StartAt(client->get(), job);
  if (!training.ok()) return training.status();
  const InterruptNote note;
  TrainingResult result;
  const absl::Status watched = (*client)->WatchTraining(
      training->training_id(), [&](const v1::TrainingEvent& event) {
        if (event.has_training()) *training = event.training();
        if (event.has_episode()) {
          result.episodes.push_back(event.episode());
          show(event.episode());
        }
        return interrupted == 0;
      });
  if (!watched.ok()) {
    return absl::Status(
        watched.code(),
        absl::StrCat("training ", training->training_id(), " goes on at ",
                     address,
                     ", but is not watched any more: ", watched.message()));
  }
  absl::StatusOr<policies::DqnPolicy> policy =
      PolicyOf(client->get(), job, *training);
  if (!policy.ok()) return policy.status();
  result.policy = *std::move(policy);
  result.verdict = training->message();
  return result;
}

}  // namespace stowage::cli
