#include "agents/jobs/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agents/engine/tier_use.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/jobs/records/whole_file.h"
#include "client_sdk/session/error_text.h"
#include "client_sdk/session/packed_report.h"
#include "timing/steady_now.h"

namespace stowage::agent {
namespace {

// Of the segment and the two tiers; checksums have one more.
constexpr size_t kDescriptors = 3;

constexpr absl::Duration kUseInterval = absl::Seconds(1);

std::string FileStem(const JobRequest& request) {
  const std::string& run_id = request.run_id;
  return absl::StrCat(run_id.empty() ? "job" : run_id, "-", request.peer.pid);
}

PlanWorkerOptions PlannerOptions(const JobRequest& request,
                                 const SessionContext& context,
                                 const std::vector<TierRoom>& rooms) {
  PlanWorkerOptions options{.policy = request.policy,
                            .slowdown = request.fast_limit.slowdown,
                            .refresh_interval = context.plan_refresh_interval,
                            .retry_interval = context.plan_retry_interval};
  for (const TierRoom& room : rooms) {
    options.capacity_bytes.push_back(room.arena->capacity_bytes());
  }
  if (!context.directories.graph_dir.empty()) {
    options.graph_path_stem =
        absl::StrCat(context.directories.graph_dir, "/", FileStem(request));
  }
  return options;
}

// Returns the id of a job. One that comes back keeps the id that it had, if
// that is one that its process may have.
std::string JobIdOf(const JobRequest& request, const std::string& node) {
  const std::string prefix = absl::StrCat(node, "-", request.peer.pid, "-");
  if (request.comes_back && absl::StartsWith(request.job_id, prefix)) {
    return request.job_id;
  }
  return absl::StrCat(prefix, absl::ToUnixMillis(absl::Now()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Create(
    const JobRequest& request, std::vector<OwnedFd> left,
    const SessionContext& context, absl::FunctionRef<bool()> is_over) {
  if (request.comes_back &&
      (left.size() < kDescriptors || left.size() > kDescriptors + 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the job that comes back has sent ", left.size(),
        " descriptors; install the same release of agent and plug-in"));
  }
  OwnedFd left_segment;
  if (request.comes_back) {
    left_segment = std::move(left.front());
    left.erase(left.begin());
  } else {
    left.clear();
  }
  if (context.allotment != nullptr) {
    const absl::Status fits = context.allotment->CheckFast(request.fast_limit);
    if (!fits.ok()) return fits;
  }
  absl::StatusOr<JobRooms> rooms =
      MakeRooms(request, std::move(left), context.directories.slow,
                context.catalog, context.allotment);
  if (!rooms.ok()) return rooms.status();
  const JobIdentity identity{.job_id = JobIdOf(request, context.node),
                             .pid = request.peer.pid,
                             .command = request.command,
                             .policy = request.policy,
                             .slow = request.slow};
  absl::StatusOr<SessionSegment> segment =
      request.comes_back
          ? SessionSegment::Adopt(std::move(left_segment), identity)
          : SessionSegment::Create(identity);
  if (!segment.ok()) return segment.status();
  absl::StatusOr<std::unique_ptr<JobShare>> share = JobShare::Join(
      request, &segment->get()->report, UseOf(rooms->rooms.front()).used_bytes,
      context.fast_memory, is_over);
  if (!share.ok()) return share.status();
  return std::unique_ptr<Session>(
      new Session(request, context, identity.job_id, *std::move(segment),
                  *std::move(rooms), *std::move(share)));
}

Session::Session(const JobRequest& request, const SessionContext& context,
                 std::string job_id, SessionSegment segment, JobRooms rooms,
                 std::unique_ptr<JobShare> share)
    : request_(request),
      context_(context),
      job_id_(std::move(job_id)),
      segment_(std::move(segment)),
      usage_(context_.usage, &segment_.get()->agent_processor_ns),
      thread_usage_(&usage_),
      events_(&segment_.get()->report),
      steps_(&segment_.get()->report.steps, job_id_),
      first_limit_(OrderOf(request.fast_limit, share->first_most_bytes())),
      limits_(
          std::make_shared<LimitOrders>(&segment_.get()->limits, first_limit_)),
      service_orders_(job_id_),
      share_(std::move(share)),
      slow_part_(std::move(rooms.slow_part)),
      copy_times_(std::move(rooms.system), request.local_ranks) {
  if (!request_.comes_back) descriptors_.push_back(segment_.fd());
  for (const TierRoom& room : rooms.rooms) {
    tiers_.push_back(TierInfoOf(room));
    slow_fd_ = room.arena->fd();
    sums_fd_ = room.arena->sums_fd();
    if (!request_.comes_back) descriptors_.push_back(room.arena->fd());
  }
  if (!request_.comes_back && sums_fd_ >= 0) descriptors_.push_back(sums_fd_);
  v1::Job job;
  job.set_job_id(job_id_);
  job.set_node(context_.node);
  job.set_command(request_.command);
  job.set_policy(request_.policy);
  job.set_fast_limit_bytes(request_.fast_limit.bytes);
  context_.service->StartJob(job);
  PlanWorkerOptions options = PlannerOptions(request_, context_, rooms.rooms);
  // The default policy does not answer online.
  if (request_.wants_hints && !request_.policy.empty()) {
    hinter_.emplace(segment_.get(), &delivered_, context_.service,
                    HintWorkerOptions{.policy = request_.policy,
                                      .capacity_bytes = options.capacity_bytes},
                    &usage_);
  }
  planner_.emplace(segment_.get(), &events_, limits_.get(), &asked_curve_,
                   &delivered_, context_.service, &copy_times_, &usage_, job,
                   std::move(options));
  migrator_.emplace(
      segment_.get()->lanes, std::move(rooms.rooms),
      [this](const MoveOrder& order, int error) { NoteFailure(order, error); },
      [this](const MoveOrder& order, int64_t duration_ns, int64_t beside_ns) {
        copy_times_.Note(order, duration_ns, beside_ns);
      },
      &usage_);
  NoteUse();
}

session::Welcome Session::welcome() const {
  session::Welcome welcome{};
  welcome.magic = session::kMagic;
  welcome.version = session::kVersion;
  welcome.accepted = 1;
  SetText(welcome.job_id, job_id_);
  welcome.segment_bytes = sizeof(session::Segment);
  welcome.limit = first_limit_;
  welcome.has_sums = sums_fd_ >= 0 ? 1 : 0;
  welcome.tier_count = static_cast<uint32_t>(tiers_.size());
  std::copy(tiers_.begin(), tiers_.end(), welcome.tiers);
  return welcome;
}

std::vector<int> Session::descriptors() const { return descriptors_; }

void Session::Tick() {
  usage_.Count();
  planner_->GiveWay();
  service_orders_.Follow(*limits_, *context_.service);
  limits_->Poll();
  share_->Follow(*limits_, asked_curve_);
  ReportSteps();
  NoteService();
  NoteUse();
}

void Session::ReportSteps() {
  std::vector<v1::StepTelemetry> steps = steps_.Read();
  if (!steps.empty()) context_.service->ReportSteps(std::move(steps));
}

void Session::NoteUse() {
  const absl::Time now = SteadyNow();
  if (now < next_use_) return;
  next_use_ = now + kUseInterval;
  std::vector<TierUse> tiers;
  for (const TierRoom& room : migrator_->rooms()) tiers.push_back(UseOf(room));
  context_.observer.on_use(job_id_, tiers);
}

// Notes whether the service is there. A job without a plan learns that it is
// lost when its profile is refused.
void Session::NoteService() {
  if (segment_.get()->plans_written.load(std::memory_order_relaxed) == 0) {
    return;
  }
  const bool lost = !context_.service->connected();
  if (lost == service_lost_) return;
  service_lost_ = lost;
  if (lost) {
    events_.Append("service-lost",
                   "the placement service does not answer; the job goes on "
                   "with the plan it has");
  } else {
    events_.Append("service-found", "the placement service is back");
  }
}

void Session::NoteFailure(const MoveOrder& order, int error) {
  context_.observer.on_failed_move(error);
  absl::MutexLock lock(&mutex_);
  if (!told_errors_.insert(error).second) return;
  events_.Append("move-failed",
                 absl::StrCat(session::ErrorText(error), " (errno ", error,
                              "): ", order.size_bytes, " bytes from tier ",
                              order.from_tier, " offset ",
                              order.from_offset_bytes, " to tier ",
                              order.to_tier, " offset ", order.to_offset_bytes,
                              "; slow tier ", request_.slow, MissingBytes()));
}

// Returns the part of a message that says how much of the slow arena is
// missing; empty: nothing. The job holds the arena's descriptor, and nothing
// keeps it from truncating a file.
std::string Session::MissingBytes() const {
  const session::TierInfo& slow = tiers_.back();
  struct stat status;
  if (fstat(slow_fd_, &status) != 0 || status.st_size >= slow.capacity_bytes) {
    return "";
  }
  return absl::StrCat(", whose arena the job cut to ", status.st_size, " of ",
                      slow.capacity_bytes, " bytes");
}

void Session::LetGo() {
  limits_->End();
  service_orders_.Follow(*limits_, *context_.service);
  migrator_.reset();
  // Last: the arenas are gone before others may have as much.
  share_.reset();
  slow_part_.reset();
  planner_->RequestStop();
  if (hinter_.has_value()) hinter_->RequestStop();
  ReportSteps();
  if (absl::Status s = WriteReport(); !s.ok()) {
    events_.Append("report-not-written", s.message());
  }
  context_.service->FinishJob(job_id_);
}

absl::Status Session::WriteReport() const {
  if (context_.directories.report_dir.empty()) return absl::OkStatus();
  const std::string path = absl::StrCat(context_.directories.report_dir, "/",
                                        FileStem(request_), ".session");
  absl::Status written;
  // The planner may be at its last step, and have something to tell.
  events_.Read([&](const session::Report& report) {
    written = WriteWholeFile(path, session::PackReport(report));
  });
  return written;
}

}  // namespace stowage::agent
