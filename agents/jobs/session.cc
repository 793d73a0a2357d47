#include "agents/jobs/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agents/jobs/fixed_text.h"
#include "agents/jobs/whole_file.h"
#include "client_sdk/session/packed_report.h"

namespace stowage::agent {
namespace {

session::TierInfo ToTierInfo(const TierRoom& room) {
  const TierTraits& traits = room.traits;
  session::TierInfo info{};
  SetText(info.name, traits.name);
  if (traits.addressable) info.flags |= session::kTierAddressable;
  if (traits.file) info.flags |= session::kTierFile;
  info.capacity_bytes = room.arena->capacity_bytes();
  info.kernel_read_ps_per_byte = traits.kernel_read_ps_per_byte;
  info.kernel_write_ps_per_byte = traits.kernel_write_ps_per_byte;
  info.copy_from_ps_per_byte = traits.copy_from_ps_per_byte;
  info.copy_to_ps_per_byte = traits.copy_to_ps_per_byte;
  return info;
}

std::string FileStem(const JobRequest& request) {
  const std::string& run_id = request.run_id;
  return absl::StrCat(run_id.empty() ? "job" : run_id, "-", request.peer.pid);
}

absl::Status Annotate(const absl::Status& status, absl::string_view what) {
  return absl::Status(status.code(),
                      absl::StrCat(what, ": ", status.message()));
}

PlanWorkerOptions PlannerOptions(const JobRequest& request,
                                 const SessionContext& context,
                                 const std::vector<TierRoom>& rooms) {
  PlanWorkerOptions options{.policy = request.policy,
                            .slowdown = request.fast_limit.slowdown,
                            .refresh_interval = context.plan_refresh_interval};
  for (const TierRoom& room : rooms) {
    options.capacity_bytes.push_back(room.arena->capacity_bytes());
  }
  if (!context.graph_dir.empty()) {
    options.graph_path_stem =
        absl::StrCat(context.graph_dir, "/", FileStem(request));
  }
  return options;
}

// Gives an arena to the job's user, so that quotas count it. If the agent may
// not do so it keeps the arena, and the job uses it all the same.
void GiveTo(const Peer& peer, int arena) {
  if (fchown(arena, peer.uid, peer.gid) != 0) return;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Create(
    const JobRequest& request, const SessionContext& context) {
  const auto fast = context.catalog->Fast();
  if (!fast.ok()) return Annotate(fast.status(), "fast tier");
  const absl::StatusOr<std::string> slow_spec =
      context.slow_directories.TierFor(request.slow, request.peer);
  if (!slow_spec.ok()) return Annotate(slow_spec.status(), "slow tier");
  const auto slow = context.catalog->Slow(*slow_spec);
  if (!slow.ok()) return Annotate(slow.status(), "slow tier");
  // A limit in bytes bounds the arena, too. What a share comes to is not known
  // yet.
  absl::StatusOr<TierRoom> fast_room =
      (*fast)->MakeRoom(request.fast_limit.bytes);
  if (!fast_room.ok()) return Annotate(fast_room.status(), "fast tier");
  absl::StatusOr<TierRoom> slow_room = (*slow)->MakeRoom(0);
  if (!slow_room.ok()) return Annotate(slow_room.status(), "slow tier");
  std::vector<TierRoom> rooms;
  rooms.push_back(*std::move(fast_room));
  rooms.push_back(*std::move(slow_room));
  for (const TierRoom& room : rooms) GiveTo(request.peer, room.arena->fd());

  std::string job_id = absl::StrCat(context.node, "-", request.peer.pid, "-",
                                    absl::ToUnixMillis(absl::Now()));
  absl::StatusOr<SessionSegment> segment =
      SessionSegment::Create({.job_id = job_id,
                              .pid = request.peer.pid,
                              .command = request.command,
                              .policy = request.policy,
                              .slow = request.slow});
  if (!segment.ok()) return segment.status();
  std::unique_ptr<Session> session(
      new Session(request, context, std::move(job_id), *std::move(segment),
                  std::move(rooms), (*slow)->system));
  return session;
}

Session::Session(const JobRequest& request, const SessionContext& context,
                 std::string job_id, SessionSegment segment,
                 std::vector<TierRoom> rooms, v1::MemorySystem system)
    : request_(request),
      context_(context),
      job_id_(std::move(job_id)),
      segment_(std::move(segment)),
      usage_(context_.usage, &segment_.get()->agent_processor_ns),
      thread_usage_(&usage_),
      events_(&segment_.get()->report),
      steps_(&segment_.get()->report.steps, job_id_),
      copy_times_(std::move(system)) {
  descriptors_.push_back(segment_.fd());
  for (const TierRoom& room : rooms) {
    tiers_.push_back(ToTierInfo(room));
    descriptors_.push_back(room.arena->fd());
  }
  v1::Job job;
  job.set_job_id(job_id_);
  job.set_node(context_.node);
  job.set_command(request_.command);
  job.set_policy(request_.policy);
  job.set_fast_limit_bytes(request_.fast_limit.bytes);
  context_.service->StartJob(job);
  PlanWorkerOptions options = PlannerOptions(request_, context_, rooms);
  // The default policy does not answer online.
  if (request_.wants_hints && !request_.policy.empty()) {
    hinter_.emplace(segment_.get(), &delivered_, context_.service,
                    HintWorkerOptions{.policy = request_.policy,
                                      .capacity_bytes = options.capacity_bytes},
                    &usage_);
  }
  planner_.emplace(segment_.get(), &events_, &delivered_, context_.service,
                   &copy_times_, &usage_, job, std::move(options));
  migrator_.emplace(
      segment_.get()->lanes, std::move(rooms),
      [this](const MoveOrder& order, int error) { NoteFailure(order, error); },
      [this](const MoveOrder& order, int64_t duration_ns) {
        copy_times_.Note(order, duration_ns);
      },
      &usage_);
}

session::Welcome Session::welcome() const {
  session::Welcome welcome{};
  welcome.magic = session::kMagic;
  welcome.version = session::kVersion;
  welcome.accepted = 1;
  SetText(welcome.job_id, job_id_);
  welcome.segment_bytes = sizeof(session::Segment);
  welcome.limit_bytes = request_.fast_limit.bytes;
  welcome.limit_fraction = request_.fast_limit.fraction;
  welcome.finds_limit = request_.fast_limit.slowdown > 0 ? 1 : 0;
  welcome.tier_count = static_cast<uint32_t>(tiers_.size());
  std::copy(tiers_.begin(), tiers_.end(), welcome.tiers);
  return welcome;
}

std::vector<int> Session::descriptors() const { return descriptors_; }

void Session::Tick() {
  usage_.Count();
  std::vector<v1::StepTelemetry> steps = steps_.Read();
  if (!steps.empty()) context_.service->ReportSteps(std::move(steps));
  NoteService();
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
  absl::MutexLock lock(&mutex_);
  if (!told_errors_.insert(error).second) return;
  events_.Append("move-failed",
                 absl::StrCat(std::strerror(error), " (errno ", error,
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
  if (fstat(descriptors_.back(), &status) != 0 ||
      status.st_size >= slow.capacity_bytes) {
    return "";
  }
  return absl::StrCat(", whose arena the job cut to ", status.st_size, " of ",
                      slow.capacity_bytes, " bytes");
}

void Session::LetGo() {
  migrator_.reset();
  planner_->RequestStop();
  if (hinter_.has_value()) hinter_->RequestStop();
  Tick();
  if (absl::Status s = WriteReport(); !s.ok()) {
    events_.Append("report-not-written", s.message());
  }
  context_.service->FinishJob(job_id_);
}

absl::Status Session::WriteReport() const {
  if (context_.report_dir.empty()) return absl::OkStatus();
  const std::string path =
      absl::StrCat(context_.report_dir, "/", FileStem(request_), ".session");
  absl::Status written;
  // The planner may be at its last step, and have something to tell.
  events_.Read([&](const session::Report& report) {
    written = WriteWholeFile(path, session::PackReport(report));
  });
  return written;
}

}  // namespace stowage::agent
