// Serves the jobs of one claim at a socket of its own, which keeps them together
// within what the claim has, whatever they ask for.
//
//   absl::StatusOr<std::unique_ptr<ServedClaim>> served =
//       ServedClaim::Start(claim, socket_path, serving, is_over);
//   (*served)->Close(JobServer::SocketFile::kRemove);
#ifndef STOWAGE_AGENTS_CLAIMS_SERVED_CLAIM_H_
#define STOWAGE_AGENTS_CLAIMS_SERVED_CLAIM_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "agents/claims/memory_claim.h"
#include "agents/jobs/admission/allotment.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/job_server.h"
#include "agents/jobs/session.h"
#include "agents/sharing/fast_memory.h"

namespace stowage::agent {

// What all claims of a node share. What the context points to must outlive them.
struct ClaimServing {
  JobDefaults defaults;  // of the agent's own jobs
  // As for the agent's own jobs. Its `fast_memory` is the host's, of which each
  // claim has its part as long as it is served.
  SessionContext context;
};

// Thread-safe.
class ServedClaim {
 public:
  // Takes the claim's part of the host's fast memory, for which it waits for 30 s
  // at most, or until `is_over`; then listens. RESOURCE_EXHAUSTED: the host has
  // not so much left. Other errors are those of JobServer::Start().
  static absl::StatusOr<std::unique_ptr<ServedClaim>> Start(
      const MemoryClaim& claim, const std::string& socket_path,
      const ClaimServing& serving, absl::FunctionRef<bool()> is_over);
  // The same for a claim that an agent before this one has served: its jobs may
  // have their memory already, so nothing is asked for.
  static absl::StatusOr<std::unique_ptr<ServedClaim>> Restart(
      const MemoryClaim& claim, const std::string& socket_path,
      const ClaimServing& serving);
  // Waits for plans that are being made.
  ~ServedClaim() = default;

  const MemoryClaim& claim() const { return claim_; }

  // Returns how many jobs run in it.
  int jobs() const { return server_->active_jobs(); }

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories);

  // Stops listening, lets jobs go on alone, and gives the fast memory back. Call
  // it once. Blocks until no move is under way and each report is written. The
  // socket's file is left for the next agent, or removed.
  void Close(JobServer::SocketFile file);

 private:
  ServedClaim(const MemoryClaim& claim, std::unique_ptr<FastShare> share,
              const std::string& slow);

  static absl::StatusOr<std::unique_ptr<ServedClaim>> Listen(
      const MemoryClaim& claim, const std::string& socket_path,
      const ClaimServing& serving, std::unique_ptr<FastShare> share);

  const MemoryClaim claim_;
  std::unique_ptr<FastShare> share_;  // of the host's
  FastMemory fast_memory_;            // of the claim, for its jobs
  Allotment allotment_;
  std::unique_ptr<JobServer> server_;  // last: it uses the others
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_SERVED_CLAIM_H_
