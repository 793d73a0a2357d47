#include "agents/jobs/job_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/jobs/admission/job_socket.h"
#include "agents/jobs/admission/peer.h"
#include "agents/jobs/resizing.h"

namespace stowage::agent {
namespace {

constexpr absl::Duration kGreetingTimeout = absl::Seconds(5);
constexpr int kTickMs = 50;
// How long to wait when the process is out of descriptors.
constexpr int kAcceptBackoffMs = 100;

}  // namespace

absl::StatusOr<std::unique_ptr<JobServer>> JobServer::Start(
    const std::string& socket_path, const SocketAccess& access,
    JobDefaults defaults, SessionContext context, ClaimDesk* claims) {
  absl::StatusOr<OwnedFd> listener = ListenAt(socket_path, access);
  if (!listener.ok()) return listener.status();
  OwnedFd stop_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_event.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  return std::unique_ptr<JobServer>(
      new JobServer({.socket_path = socket_path,
                     .user = access.user,
                     .listener = *std::move(listener),
                     .stop_event = std::move(stop_event)},
                    std::move(defaults), std::move(context), claims));
}

JobServer::JobServer(Place place, JobDefaults defaults, SessionContext context,
                     ClaimDesk* claims)
    : place_(std::move(place)),
      claims_(claims),
      defaults_(std::move(defaults)),
      context_(std::move(context)),
      acceptor_([this] { Accept(); }) {}

JobServer::~JobServer() {
  Stop();
  absl::flat_hash_map<int64_t, std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    threads.swap(threads_);
  }
  for (auto& [number, thread] : threads) thread.join();
}

void JobServer::Change(JobDefaults defaults, JobDirectories directories) {
  absl::MutexLock lock(&mutex_);
  defaults_ = std::move(defaults);
  context_.directories = std::move(directories);
}

void JobServer::Stop(SocketFile file) {
  {
    absl::MutexLock lock(&mutex_);
    if (stopped_) return;
    stopped_ = true;
  }
  eventfd_write(place_.stop_event.get(), 1);
  acceptor_.join();
  if (file == SocketFile::kRemove) unlink(place_.socket_path.c_str());
  absl::MutexLock lock(&mutex_);
  const auto idle = [this]() {
    mutex_.AssertReaderHeld();
    return active_jobs_ == 0;
  };
  mutex_.Await(absl::Condition(&idle));
}

int JobServer::active_jobs() const {
  absl::MutexLock lock(&mutex_);
  return active_jobs_;
}

void JobServer::Accept() {
  pollfd events[] = {{place_.listener.get(), POLLIN, 0},
                     {place_.stop_event.get(), POLLIN, 0}};
  while (true) {
    poll(events, 2, -1);
    if (events[1].revents != 0) return;
    JoinEnded();
    OwnedFd socket(
        accept4(place_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.valid()) {
      Admit(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      poll(&events[1], 1, kAcceptBackoffMs);
    }
  }
}

void JobServer::Admit(OwnedFd socket) {
  const absl::StatusOr<Peer> peer = PeerOf(socket.get());
  absl::Status admitted = peer.ok() ? CheckMayJoin(peer->uid) : peer.status();
  absl::MutexLock lock(&mutex_);
  if (admitted.ok()) admitted = CheckRoomFor(peer->uid);
  if (!admitted.ok()) {
    context_.observer.on_refused(admitted);
    RefuseUnheard(socket.get(), admitted);
    return;
  }
  ++active_jobs_;
  ++jobs_of_[peer->uid];
  const int64_t number = next_number_++;
  threads_[number] = std::thread(
      [this, number, uid = peer->uid, socket = std::move(socket)]() mutable {
        Serve(number, uid, std::move(socket));
      });
}

absl::Status JobServer::CheckMayJoin(uid_t uid) const {
  if (!place_.user || uid == *place_.user || uid == 0 || uid == geteuid()) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      absl::StrCat("user ", uid, " may not connect to '", place_.socket_path,
                   "', where the jobs of user ", *place_.user,
                   " are served; have a claim opened for this user"));
}

absl::Status JobServer::CheckRoomFor(uid_t uid) const {
  if (active_jobs_ >= kMostJobs) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the agent serves ", kMostJobs, " jobs already; wait until one ends"));
  }
  const auto own = jobs_of_.find(uid);
  if (uid == geteuid() || own == jobs_of_.end() ||
      own->second < kMostJobsOfAUser) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("the agent serves ", kMostJobsOfAUser, " jobs of user ", uid,
                   " already; wait until one ends"));
}

void JobServer::JoinEnded() {
  std::vector<std::thread> ended;
  {
    absl::MutexLock lock(&mutex_);
    for (int64_t number : ended_) {
      ended.push_back(std::move(threads_.extract(number).mapped()));
    }
    ended_.clear();
  }
  for (std::thread& thread : ended) thread.join();
}

void JobServer::Serve(int64_t number, uid_t uid, OwnedFd socket) {
  absl::StatusOr<std::unique_ptr<Session>> session =
      Greet(number, socket.get());
  if (session.ok()) {
    Accompany(**session, socket.get());
    running_.Remove(number);
    (*session)->LetGo();
  }
  // Hang up last: to the job it means that nobody moves its tensors any more.
  socket = OwnedFd();
  {
    absl::MutexLock lock(&mutex_);
    --active_jobs_;
    if (--jobs_of_[uid] == 0) jobs_of_.erase(uid);
  }
  session = absl::CancelledError();  // waits for a plan that is being made
  absl::MutexLock lock(&mutex_);
  ended_.push_back(number);
}

absl::StatusOr<std::optional<std::string>> JobServer::AnswerOther(
    int socket, absl::string_view bytes) const {
  if (!IsResizeRequest(bytes) && !IsClaimRequest(bytes)) return std::nullopt;
  const absl::StatusOr<Peer> peer = PeerOf(socket);
  if (!peer.ok()) return peer.status();
  const auto is_over = [this, socket] { return IsOver(socket); };
  if (IsResizeRequest(bytes)) {
    const session::ResizeAnswer answer =
        Resize(bytes, *peer, running_, is_over);
    return std::string(reinterpret_cast<const char*>(&answer), sizeof(answer));
  }
  if (claims_ != nullptr) return claims_->Answer(bytes, *peer, is_over);
  return ClaimAnswerOf(
      absl::FailedPreconditionError("claims are opened at the agent's own "
                                    "socket, not at that of a claim"),
      {});
}

absl::StatusOr<std::unique_ptr<Session>> JobServer::Greet(int64_t number,
                                                          int socket) {
  absl::StatusOr<Greeting> greeting = ReceiveGreeting(socket, kGreetingTimeout);
  if (!greeting.ok()) return greeting.status();
  const auto other = AnswerOther(socket, greeting->bytes);
  if (!other.ok()) return other.status();
  if (other->has_value()) {
    send(socket, (*other)->data(), (*other)->size(), MSG_NOSIGNAL);
    return absl::CancelledError("it was no job that called");
  }
  absl::StatusOr<std::unique_ptr<Session>> session =
      MakeSession(socket, *std::move(greeting));
  if (!session.ok()) {
    NoteRefusal(session.status());
    SendWelcome(socket, Refusal(session.status()), {}).IgnoreError();
    return session;
  }
  const JobRequest& request = (*session)->request();
  running_.Add(number, {.job_id = (*session)->job_id(),
                        .run_id = request.run_id,
                        .pid = request.peer.pid,
                        .uid = request.peer.uid,
                        .limits = (*session)->limits()});
  const absl::Status sent =
      SendWelcome(socket, (*session)->welcome(), (*session)->descriptors());
  // If the job has gone already, HasHungUp() says so at once.
  sent.IgnoreError();
  return session;
}

void JobServer::NoteRefusal(const absl::Status& why) const {
  absl::MutexLock lock(&mutex_);
  context_.observer.on_refused(why);
}

absl::StatusOr<std::unique_ptr<Session>> JobServer::MakeSession(
    int socket, Greeting greeting) const {
  absl::StatusOr<Peer> peer = PeerOf(socket);
  if (!peer.ok()) return peer.status();
  JobDefaults defaults;
  SessionContext context;
  {
    absl::MutexLock lock(&mutex_);
    defaults = defaults_;
    context = context_;
  }
  defaults.fast_total_bytes = context.fast_memory->total_bytes();
  const absl::StatusOr<JobRequest> request =
      ParseHello(greeting.bytes, *std::move(peer), defaults);
  if (!request.ok()) return request.status();
  return Session::Create(*request, std::move(greeting.descriptors), context,
                         [this, socket] { return IsOver(socket); });
}

bool JobServer::IsOver(int socket) const {
  pollfd stop{place_.stop_event.get(), POLLIN, 0};
  return poll(&stop, 1, 0) > 0 || HasHungUp(socket);
}

void JobServer::Accompany(Session& session, int socket) const {
  pollfd events[] = {{socket, POLLIN, 0}, {place_.stop_event.get(), POLLIN, 0}};
  while (true) {
    poll(events, 2, kTickMs);
    if (events[1].revents != 0) return;
    if (events[0].revents != 0 && HasHungUp(socket)) return;
    session.Tick();
  }
}

}  // namespace stowage::agent
