#include "tests/bench/serving/simulated_agent.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/unit/server/testing.h"
#include "timing/steady_now.h"

namespace stowage {

SimulatedAgent::SimulatedAgent(std::string address, int number, int jobs)
    : address_(std::move(address)),
      node_(absl::StrCat("host-", number)),
      number_(number),
      jobs_(jobs) {}

SimulatedAgent::~SimulatedAgent() { Stop(); }

std::string SimulatedAgent::JobId(int job) const {
  return absl::StrCat(node_, "-job-", job);
}

absl::Status SimulatedAgent::Start() {
  absl::StatusOr<std::unique_ptr<Client>> client =
      Client::Connect(address_, {.max_attempts = 1});
  if (!client.ok()) return client.status();
  client_ = *std::move(client);
  v1::RegisterNodeRequest node;
  node.set_node(node_);
  *node.mutable_system() = TwoTiers();
  if (auto registered = client_->RegisterNode(node); !registered.ok()) {
    return registered.status();
  }
  for (int i = 0; i < jobs_; ++i) {
    v1::Job job;
    job.set_job_id(JobId(i));
    job.set_node(node_);
    job.set_command("python3 train.py");
    if (absl::Status started = client_->StartJob(job); !started.ok()) {
      return started;
    }
  }
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void SimulatedAgent::Stop() {
  stop_.Ring();
  if (thread_.joinable()) thread_.join();
  stream_.reset();
}

void SimulatedAgent::Run() {
  stream_ = client_->StreamTelemetry();
  // Hosts do not step together.
  const absl::Time begin = SteadyNow() + kStep * (number_ % 997) / 997;
  const int64_t steps_a_heartbeat = kHeartbeat / kStep;
  for (int64_t index = 0; !stop_.AwaitFor(begin + kStep * index - SteadyNow());
       ++index) {
    SendSteps(index);
    if ((index + number_) % steps_a_heartbeat != 0) continue;
    v1::HeartbeatRequest heartbeat;
    heartbeat.set_node(node_);
    heartbeat.set_active_jobs(jobs_);
    if (!client_->Heartbeat(heartbeat).ok()) ++failures_;
  }
}

void SimulatedAgent::SendSteps(int64_t index) {
  v1::TelemetryBatch batch;
  batch.set_node(node_);
  batch.set_sequence(index + 1);
  for (int i = 0; i < jobs_; ++i) {
    v1::StepTelemetry* step = batch.add_steps();
    step->set_job_id(JobId(i));
    step->set_index(index);
    step->set_mode(v1::STEP_MODE_PLAN);
    step->set_duration_ns(absl::ToInt64Nanoseconds(kStep));
    step->set_predicted_duration_ns(absl::ToInt64Nanoseconds(kStep));
    step->set_fast_peak_bytes(int64_t{1} << 30);
    step->set_moved_in_bytes(int64_t{1} << 28);
  }
  const absl::StatusOr<v1::TelemetryAck> ack = stream_->Send(batch);
  if (ack.ok() && ack->sequence() == batch.sequence()) {
    acknowledged_ += jobs_;
    return;
  }
  ++failures_;
  stream_ = client_->StreamTelemetry();
}

}  // namespace stowage
