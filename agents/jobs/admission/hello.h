// Checks the first message of a job.
//
//   absl::StatusOr<JobRequest> job = ParseHello(bytes, peer, defaults);
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_HELLO_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_HELLO_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/jobs/admission/peer.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {

// Holds the agent's flags, which jobs get that ask for nothing else.
struct JobDefaults {
  std::string fast = "unlimited";
  std::string slow;
  std::string policy;
  int64_t fast_total_bytes = 0;  // for all jobs together; 0: no bound
};

struct JobRequest {
  Peer peer;           // whoever sent the hello
  std::string run_id;  // empty, or letters, digits, '.', '_', '-'
  std::string command;
  session::Limit fast_limit;
  int64_t floor_bytes = 0;  // of fast memory, that it is sure of; 0: not stated
  std::string slow;
  std::string policy;
  // Processes of its training on this host, which do the same at the same time.
  int32_t local_ranks = 1;
  int64_t address_bytes = 0;  // that it may still map; 0: any number
  bool wants_hints = false;   // of the policy, for steps that leave their plan
  bool wants_sums = false;    // of what is in a file
  // Whether another agent has left the job, and the id that it had there.
  bool comes_back = false;
  std::string job_id;
};

// Checks `bytes`, which came from the socket. INVALID_ARGUMENT, with what to
// do, if they are no Hello of this version, or if a string has no end, the run
// id is no file name, or the limit or the floor makes no sense. Pure.
absl::StatusOr<JobRequest> ParseHello(absl::string_view bytes, Peer peer,
                                      const JobDefaults& defaults);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_HELLO_H_
