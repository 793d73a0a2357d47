// Runs stowage-trainer, which trains one DQN policy. stowaged and the command
// line start it and speak with it over its standard input and output, as
// proto/stowage/v1/training.proto says. People need not start it.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/util/delimited_message_util.h"
#include "policies/deeptm/dqn/dqn_training.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "server/training/background.h"
#include "server/training/episode_proto.h"
#include "server/training/training_job.h"

namespace stowage {
namespace {

volatile sig_atomic_t cancelled = 0;

void Write(const v1::TrainerOutput& output) {
  // If the reader has gone, SIGPIPE ends this process.
  google::protobuf::util::SerializeDelimitedToFileDescriptor(output,
                                                             STDOUT_FILENO);
}

absl::StatusOr<TrainingJob> ReadJob() {
  google::protobuf::io::FileInputStream stream(STDIN_FILENO);
  v1::TrainerJob proto;
  if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(
          &proto, &stream, /*clean_eof=*/nullptr)) {
    return absl::InvalidArgumentError(
        "the trainer's standard input holds no job; it is started by stowaged "
        "and by `stowage train`");
  }
  absl::StatusOr<policies::Graph> graph =
      policies::GraphFromProto(proto.graph());
  if (!graph.ok()) return graph.status();
  absl::StatusOr<policies::MemorySystem> system =
      policies::MemorySystemFromProto(proto.system());
  if (!system.ok()) return system.status();
  std::optional<policies::DqnPolicy> start;
  if (!proto.start_policy().empty()) {
    absl::StatusOr<policies::DqnPolicy> policy =
        policies::DecodeDqnPolicy(proto.start_policy());
    if (!policy.ok()) return policy.status();
    start = *std::move(policy);
  }
  return TrainingJob{.graph = *std::move(graph),
                     .system = *std::move(system),
                     .fast_limit_bytes = proto.fast_limit_bytes(),
                     .options = proto.options(),
                     .seed = proto.seed(),
                     .start = std::move(start)};
}

bool TellEpisode(const policies::EpisodeReport& report) {
  v1::TrainerOutput output;
  *output.mutable_episode()->mutable_episode() = EpisodeToProto(report);
  output.mutable_episode()->set_checkpoint(
      policies::EncodeDqnPolicy(*report.checkpoint));
  Write(output);
  return cancelled == 0;
}

absl::StatusOr<policies::DqnPolicy> Train() {
  const absl::StatusOr<TrainingJob> job = ReadJob();
  if (!job.ok()) return job.status();
  const policies::DqnPolicy* start =
      job->start.has_value() ? &*job->start : nullptr;
  return policies::TrainDqn(job->graph, job->system, job->fast_limit_bytes,
                            SettingsOf(job->options, start), job->seed, start,
                            &TellEpisode);
}

void TellResult(const absl::StatusOr<policies::DqnPolicy>& policy) {
  v1::TrainerOutput output;
  v1::TrainerResult* result = output.mutable_result();
  result->set_code(static_cast<int>(policy.status().code()));
  result->set_message(std::string(policy.status().message()));
  if (policy.ok()) result->set_policy(policies::EncodeDqnPolicy(*policy));
  Write(output);
}

int Main(int argc, char** argv) {
  int niceness = 0;
  int parent_pid = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[1], &niceness) ||
      !absl::SimpleAtoi(argv[2], &parent_pid)) {
    std::cerr << "stowage-trainer: started by stowaged and by `stowage train`; "
                 "use one of them\n";
    return 2;
  }
  signal(SIGTERM, [](int) { cancelled = 1; });
  if (!EndWithParent(parent_pid)) return 1;
  if (niceness > 0) GoToBackground(niceness);
  TellResult(Train());
  return 0;
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) { return stowage::Main(argc, argv); }
