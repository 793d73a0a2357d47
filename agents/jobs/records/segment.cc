#include "agents/jobs/records/segment.h"

#include "absl/status/status.h"
#include "agents/jobs/records/fixed_text.h"

namespace stowage::agent {

absl::StatusOr<SessionSegment> SessionSegment::Create(
    const JobIdentity& identity) {
  absl::StatusOr<SharedMemory> memory =
      SharedMemory::Create("stowage-session", sizeof(session::Segment));
  if (!memory.ok()) return memory.status();
  SessionSegment segment(*std::move(memory));
  segment.Identify(identity);
  return segment;
}

absl::StatusOr<SessionSegment> SessionSegment::Adopt(
    OwnedFd fd, const JobIdentity& identity) {
  absl::StatusOr<SharedMemory> memory = SharedMemory::Adopt(std::move(fd));
  if (!memory.ok()) return memory.status();
  if (memory->size_bytes() < static_cast<int64_t>(sizeof(session::Segment))) {
    return absl::InvalidArgumentError(
        "the session segment is too small; install the same release of agent "
        "and plug-in");
  }
  SessionSegment segment(*std::move(memory));
  segment.Identify(identity);
  return segment;
}

void SessionSegment::Identify(const JobIdentity& identity) {
  session::Segment* shared = get();
  shared->magic = session::kMagic;
  shared->version = session::kVersion;
  session::Report& report = shared->report;
  report.magic = session::kMagic;
  report.version = session::kVersion;
  report.pid = identity.pid;
  SetText(report.job_id, identity.job_id);
  SetText(report.command, identity.command);
  SetText(report.policy, identity.policy);
  SetText(report.slow, identity.slow);
}

}  // namespace stowage::agent
