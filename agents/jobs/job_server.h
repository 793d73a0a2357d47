// Accepts jobs at a Unix socket and serves each on a thread of its own. Whoever
// changes the limit of a job, or wants a claim, connects there, too.
//
//   absl::StatusOr<std::unique_ptr<JobServer>> server =
//       JobServer::Start("/run/stowage/agent.sock", {}, defaults, context);
//   WaitForTermination();
//   (*server)->Stop();
#ifndef STOWAGE_AGENTS_JOBS_JOB_SERVER_H_
#define STOWAGE_AGENTS_JOBS_JOB_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "agents/jobs/admission/claim_desk.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/admission/job_socket.h"
#include "agents/jobs/admission/socket_access.h"
#include "agents/jobs/running_jobs.h"
#include "agents/jobs/session.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Thread-safe.
class JobServer {
 public:
  // The most jobs at a time, in all and of one user other than the agent's own;
  // the server refuses others. So nobody keeps other users out. A connection
  // counts before it has said anything.
  static constexpr int kMostJobs = 256;
  static constexpr int kMostJobsOfAUser = 64;

  // Listens when it returns; errors are those of ListenAt. `claims` answers those
  // who want a claim; null: they are refused. It, and what `context` points to,
  // must outlive the server.
  static absl::StatusOr<std::unique_ptr<JobServer>> Start(
      const std::string& socket_path, const SocketAccess& access,
      JobDefaults defaults, SessionContext context,
      ClaimDesk* claims = nullptr);
  // Stops, and blocks until every thread has ended and every plan that is being
  // made has come.
  ~JobServer();

  // Serves jobs that begin from now on with these defaults and directories.
  void Change(JobDefaults defaults, JobDirectories directories);

  // What becomes of the socket's file: jobs that begin wait for an agent if they
  // find one at which nobody listens, and fail if there is none.
  enum class SocketFile { kRemove, kLeave };

  // Accepts no more jobs and lets those that there are go on alone. Blocks
  // until no move is under way and each report is written.
  void Stop(SocketFile file = SocketFile::kRemove);

  int active_jobs() const;

 private:
  // Where the server listens, and for whom.
  struct Place {
    std::string socket_path;
    std::optional<uid_t> user;  // SocketAccess::user
    OwnedFd listener;
    OwnedFd stop_event;  // readable once the server stops
  };

  JobServer(Place place, JobDefaults defaults, SessionContext context,
            ClaimDesk* claims);

  void Accept();
  void Admit(OwnedFd socket);
  absl::Status CheckMayJoin(uid_t uid) const;
  absl::Status CheckRoomFor(uid_t uid) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Serve(int64_t number, uid_t uid, OwnedFd socket);
  // Returns the answer to a first message that is no job's; nullopt: it is one's.
  absl::StatusOr<std::optional<std::string>> AnswerOther(
      int socket, absl::string_view bytes) const;
  // Reads the greeting of connection `number` and answers it. Returns CANCELLED
  // if there is no job to serve.
  absl::StatusOr<std::unique_ptr<Session>> Greet(int64_t number, int socket);
  absl::StatusOr<std::unique_ptr<Session>> MakeSession(int socket,
                                                       Greeting greeting) const;
  void NoteRefusal(const absl::Status& why) const;
  // Returns whether the peer has hung up or the server stops.
  bool IsOver(int socket) const;
  // Serves the session until the job hangs up or the server stops.
  void Accompany(Session& session, int socket) const;
  void JoinEnded();

  const Place place_;
  ClaimDesk* const claims_;
  RunningJobs running_;
  mutable absl::Mutex mutex_;
  JobDefaults defaults_ ABSL_GUARDED_BY(mutex_);
  SessionContext context_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int active_jobs_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uid_t, int> jobs_of_ ABSL_GUARDED_BY(mutex_);
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  // Numbers of threads that are about to return.
  std::vector<int64_t> ended_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_JOB_SERVER_H_
