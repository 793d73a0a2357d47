#include "agents/telemetry/remote_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/hash.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

constexpr size_t kMostWaitingSteps = 1 << 16;
constexpr size_t kBatchSteps = 512;
constexpr size_t kMostNotices = 4096;
// The longest interval between heartbeats that a service may ask for. A service
// takes a node for dead long before.
constexpr absl::Duration kLongestHeartbeat = absl::Hours(1);
// How soon after a heartbeat to ask what became of orders that it brought. With
// the interval at which the thread looks, it is within the 500 ms of node.proto.
constexpr absl::Duration kAskAgain = absl::Milliseconds(400);

// Returns whether the service answered, although with an error.
bool IsAnswer(const absl::Status& status) {
  return !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status) &&
         !absl::IsCancelled(status);
}

// Returns `refusal` without the id of the call, which the service sends at the
// end of the message and which is another one each time.
absl::Status WithoutCallId(const absl::Status& refusal) {
  const absl::string_view message = refusal.message();
  return absl::Status(refusal.code(),
                      message.substr(0, message.find(" (x-request-id ")));
}

// Returns the request for a training that makes a policy for such plans. Every
// job asks with the same id, so that there is one training.
v1::StartTrainingRequest TrainingOf(const v1::MakePlanRequest& plan) {
  v1::StartTrainingRequest request;
  request.set_request_id(absl::StrCat(
      "auto-", plan.graph_id(), "-", plan.fast_limit_bytes(), "-",
      absl::Hex(session::HashString(plan.system().SerializeAsString()))));
  request.set_graph_id(plan.graph_id());
  *request.mutable_system() = plan.system();
  request.set_fast_limit_bytes(plan.fast_limit_bytes());
  return request;
}

class RemotePlacement : public PlacementStream {
 public:
  explicit RemotePlacement(std::unique_ptr<PlaceStream> stream)
      : stream_(std::move(stream)) {}

  absl::StatusOr<v1::PlaceResponse> Ask(
      const v1::PlaceRequest& request) override {
    return stream_->Send(request);
  }
  void Cancel() override { stream_->Cancel(); }

 private:
  const std::unique_ptr<PlaceStream> stream_;
};

ClientOptions TelemetryOptions(const RemoteServiceOptions& options) {
  return {.certificates = options.certificates,
          .server_name = options.server_name,
          .connect_timeout = options.call_deadline,
          .deadline = options.call_deadline,
          .max_attempts = 1};
}

}  // namespace

RemoteService::RemoteService(RemoteServiceOptions options)
    : options_(std::move(options)),
      steps_(kMostWaitingSteps, kBatchSteps),
      thread_([this] { Run(); }) {}

RemoteService::~RemoteService() { RemoteService::Close(); }

void RemoteService::Close() {
  if (stop_.HasRung()) return;
  stop_.Ring();
  if (!ended_.AwaitFor(options_.call_deadline)) {
    absl::MutexLock lock(&stream_mutex_);
    if (stream_ != nullptr) stream_->Cancel();  // the service hangs
  }
  thread_.join();
}

// Returns the client for plans. Waits for a service that is away as long as a
// call may take.
absl::StatusOr<Client*> RemoteService::PlanClient() {
  absl::MutexLock lock(&plan_mutex_);
  if (plan_client_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(
        options_.address, {.certificates = options_.certificates,
                           .server_name = options_.server_name,
                           .connect_timeout = options_.call_deadline,
                           .deadline = options_.call_deadline * 6,
                           .plan_deadline = options_.plan_deadline});
    if (!client.ok()) return client.status();
    plan_client_ = *std::move(client);
  }
  return plan_client_.get();
}

absl::Status RemoteService::KnowPolicies(Client& client) {
  const absl::StatusOr<std::vector<v1::PolicySummary>> policies =
      client.ListPolicies();
  if (!policies.ok()) return policies.status();
  absl::MutexLock lock(&policies_mutex_);
  capabilities_.clear();
  for (const v1::PolicySummary& policy : *policies) {
    capabilities_[policy.name()] = policy.capabilities();
  }
  return absl::OkStatus();
}

v1::PolicyCapabilities RemoteService::CapabilitiesOf(
    const std::string& policy) const {
  absl::MutexLock lock(&policies_mutex_);
  const auto known = capabilities_.find(policy);
  return known == capabilities_.end() ? v1::PolicyCapabilities()
                                      : known->second;
}

absl::StatusOr<v1::MakePlanResponse> RemoteService::MakePlan(
    const PlanQuery& query) {
  absl::StatusOr<Client*> client = PlanClient();
  if (!client.ok()) return client.status();
  v1::MakePlanRequest request;
  request.set_graph_id(query.graph_id);
  if (query.graph_id.empty()) {
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = query.graph;
    const absl::StatusOr<v1::RegisterGraphResponse> registered =
        (*client)->RegisterGraph(registration, query.canceller);
    if (!registered.ok()) return registered.status();
    request.set_graph_id(registered->graph_id());
  }
  *request.mutable_system() = query.system;
  request.set_fast_limit_bytes(query.fast_limit_bytes);
  request.set_policy(query.policy);
  request.set_replan(query.replan);
  request.set_think_ms(absl::ToInt64Milliseconds(query.think_time));
  request.set_background(query.background);
  request.set_brief(query.brief);
  absl::StatusOr<v1::MakePlanResponse> made =
      (*client)->MakePlan(request, query.canceller);
  if (absl::IsFailedPrecondition(made.status()) && !query.policy.empty() &&
      KnowPolicies(**client).ok() &&
      CapabilitiesOf(query.policy).needs_training()) {
    // A service that does not train still has other policies.
    (*client)->StartTraining(TrainingOf(request)).status().IgnoreError();
    request.clear_policy();
    made = (*client)->MakePlan(request, query.canceller);
  }
  if (!made.ok()) return made.status();
  connected_ = true;
  return made;
}

absl::StatusOr<std::unique_ptr<PlacementStream>>
RemoteService::OpenPlacement() {
  absl::StatusOr<Client*> client = PlanClient();
  if (!client.ok()) return client.status();
  return std::make_unique<RemotePlacement>((*client)->Place());
}

void RemoteService::StartJob(const v1::Job& job) {
  absl::MutexLock lock(&jobs_mutex_);
  active_jobs_[job.job_id()] = job;
  if (notices_.size() < kMostNotices) notices_.push_back({job.job_id(), false});
}

void RemoteService::FinishJob(const std::string& job_id) {
  absl::MutexLock lock(&jobs_mutex_);
  if (notices_.size() < kMostNotices) notices_.push_back({job_id, true});
}

void RemoteService::ReportSteps(std::vector<v1::StepTelemetry> steps) {
  steps_.Push(std::move(steps));
}

std::optional<v1::ResizeOrder> RemoteService::OrderOf(
    const std::string& job_id) const {
  return resizes_.OrderOf(job_id);
}

void RemoteService::ReportOutcome(const v1::ResizeOutcome& outcome) {
  const auto order = resizes_.OrderOf(outcome.job_id());
  if (order && outcome.state() == v1::RESIZE_STATE_OBEYED) {
    absl::MutexLock lock(&jobs_mutex_);
    const auto job = active_jobs_.find(outcome.job_id());
    if (job != active_jobs_.end()) {
      job->second.set_fast_limit_bytes(order->fast_limit_bytes());
    }
  }
  resizes_.Report(outcome);
}

void RemoteService::Run() {
  absl::Duration pause = absl::ZeroDuration();
  while (!stop_.AwaitFor(pause)) {
    const absl::Status status = Exchange();
    NoteOutcome(status);
    pause = status.ok() ? options_.poll_interval : options_.retry_interval;
  }
  // Sends the last steps and the ends of jobs. A service that is away misses
  // them.
  if (connected_) NoteOutcome(Exchange());
  ended_.Ring();
}

void RemoteService::NoteOutcome(const absl::Status& status) {
  connected_ = status.ok() || IsAnswer(status);
  if (status.ok()) return;
  registered_ = false;
  absl::MutexLock lock(&stream_mutex_);
  stream_.reset();
}

// Says once why the service does not register this node. One that is away, or
// has too much to do, is no news: it will be back.
void RemoteService::TellOfRefusal(const absl::Status& status) {
  if (!IsAnswer(status) || absl::IsResourceExhausted(status)) return;
  const absl::Status refusal = WithoutCallId(status);
  if (std::exchange(told_refusal_, refusal) == refusal) return;
  Log(LogLevel::kError, "the placement service refuses this agent",
      {{"code", absl::StatusCodeToString(status.code())},
       {"reason", status.message()}});
}

absl::Status RemoteService::Exchange() {
  if (!registered_) {
    if (absl::Status s = Register(); !s.ok()) return s;
  }
  if (session::NowNs() >= HeartbeatDueNs()) {
    if (absl::Status s = SendHeartbeat(); !s.ok()) return s;
  }
  if (absl::Status s = SendNotices(); !s.ok()) return s;
  return SendSteps();
}

absl::Status RemoteService::Register() {
  if (client_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Client>> client =
        Client::Connect(options_.address, TelemetryOptions(options_));
    if (!client.ok()) return client.status();
    client_ = *std::move(client);
  }
  v1::RegisterNodeRequest request;
  request.set_node(options_.node);
  *request.mutable_system() = options_.system;
  request.set_agent_version(options_.agent_version);
  request.set_fast_total_bytes(options_.fast_total_bytes);
  const absl::StatusOr<v1::RegisterNodeResponse> response =
      client_->RegisterNode(request);
  if (!response.ok()) {
    TellOfRefusal(response.status());
    return response.status();
  }
  told_refusal_ = absl::OkStatus();
  absl::Status known = KnowPolicies(*client_);
  if (!known.ok() && !IsAnswer(known)) return known;
  heartbeat_interval_ =
      std::clamp(absl::Milliseconds(response->heartbeat_interval_ms()),
                 options_.poll_interval, kLongestHeartbeat);
  last_heartbeat_ns_ = session::NowNs();
  registered_ = true;
  // A service that has restarted knows none of the jobs, so tell it of each
  // once.
  absl::MutexLock lock(&jobs_mutex_);
  std::erase_if(notices_, [](const Notice& n) { return !n.finished; });
  for (const auto& [job_id, job] : active_jobs_) {
    notices_.push_front({job_id, false});
  }
  return absl::OkStatus();
}

int64_t RemoteService::HeartbeatDueNs() const {
  if (resizes_.has_outcomes()) return 0;
  return last_heartbeat_ns_ +
         absl::ToInt64Nanoseconds(resizes_.has_orders()
                                      ? std::min(heartbeat_interval_, kAskAgain)
                                      : heartbeat_interval_);
}

absl::Status RemoteService::SendHeartbeat() {
  v1::HeartbeatRequest request;
  request.set_node(options_.node);
  {
    absl::MutexLock lock(&jobs_mutex_);
    request.set_active_jobs(static_cast<int32_t>(active_jobs_.size()));
  }
  resizes_.AddOutcomes(&request);
  last_heartbeat_ns_ = session::NowNs();
  const absl::StatusOr<v1::HeartbeatResponse> response =
      client_->Heartbeat(request);
  // Outcomes that the service finds malformed would be so the next time.
  if (response.ok() || absl::IsInvalidArgument(response.status())) {
    resizes_.NoteSent(request);
  }
  if (!response.ok()) return response.status();
  resizes_.TakeOrders(*response);
  return absl::OkStatus();
}

absl::Status RemoteService::SendNotices() {
  while (true) {
    Notice notice;
    v1::Job job;
    {
      absl::MutexLock lock(&jobs_mutex_);
      if (notices_.empty()) return absl::OkStatus();
      notice = notices_.front();
      const auto active = active_jobs_.find(notice.job_id);
      if (active == active_jobs_.end()) {
        notices_.pop_front();
        continue;
      }
      job = active->second;
    }
    absl::Status status = notice.finished ? client_->FinishJob(notice.job_id)
                                          : client_->StartJob(job);
    if (!status.ok() && !IsAnswer(status)) return status;
    absl::MutexLock lock(&jobs_mutex_);
    notices_.pop_front();
    if (notice.finished) active_jobs_.erase(notice.job_id);
  }
}

absl::Status RemoteService::SendSteps() {
  while (std::optional<v1::TelemetryBatch> batch = steps_.Peek()) {
    absl::Status status = SendBatch(*std::move(batch));
    // A batch that the service finds malformed would be so the next time.
    if (status.ok() || absl::IsInvalidArgument(status)) steps_.Acknowledge();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RemoteService::SendBatch(v1::TelemetryBatch batch) {
  TelemetryStream* stream = nullptr;
  {
    absl::MutexLock lock(&stream_mutex_);
    if (stream_ == nullptr) {
      stream_ = client_->StreamTelemetry();
      sequence_ = 0;
    }
    stream = stream_.get();
  }
  batch.set_node(options_.node);
  batch.set_sequence(++sequence_);
  return stream->Send(batch).status();
}

}  // namespace stowage::agent
