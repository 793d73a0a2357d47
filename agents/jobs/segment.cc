#include "agents/jobs/segment.h"

#include "agents/jobs/fixed_text.h"

namespace stowage::agent {

absl::StatusOr<SessionSegment> SessionSegment::Create(
    const JobIdentity& identity) {
  absl::StatusOr<SharedMemory> memory =
      SharedMemory::Create("stowage-session", sizeof(session::Segment));
  if (!memory.ok()) return memory.status();
  SessionSegment segment(*std::move(memory));
  session::Segment* shared = segment.get();
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
  return segment;
}

}  // namespace stowage::agent
