// Owns the session segment of one job, on the agent's side.
//
//   absl::StatusOr<SessionSegment> segment = SessionSegment::Create(identity);
//   segment->get()->plans_written.load();
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_SEGMENT_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_SEGMENT_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "agents/tiers/owned_fd.h"
#include "agents/tiers/shared_memory.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// The job that the report is about.
struct JobIdentity {
  std::string job_id;
  int32_t pid = 0;
  std::string command;
  std::string policy;
  std::string slow;
};

// Owns the memory, which it shares with the job. Movable.
class SessionSegment {
 public:
  // Makes a segment of zeros, with what the agent writes into its head and its
  // report.
  static absl::StatusOr<SessionSegment> Create(const JobIdentity& identity);

  // Takes over the segment of a job that another agent has left. Its counters
  // are what they were. INVALID_ARGUMENT if `fd` is none.
  static absl::StatusOr<SessionSegment> Adopt(OwnedFd fd,
                                              const JobIdentity& identity);

  int fd() const { return memory_.fd(); }
  session::Segment* get() const {
    return reinterpret_cast<session::Segment*>(memory_.data());
  }

 private:
  void Identify(const JobIdentity& identity);

  explicit SessionSegment(SharedMemory memory) : memory_(std::move(memory)) {}

  SharedMemory memory_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_SEGMENT_H_
