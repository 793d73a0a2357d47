#include "server/scheduling/reservation_book.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "server/fleet/timestamp.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

constexpr int64_t kUsualLeaseMs = 60'000;
// The most that a look counts of the time since the one before, in periods: in
// what is beyond, nobody could renew.
constexpr int kMostPeriods = 2;

std::string NewId() {
  absl::BitGen random;
  return absl::StrFormat("%016x%016x", absl::Uniform<uint64_t>(random),
                         absl::Uniform<uint64_t>(random));
}

// Sums up what reservations take of their nodes, and running jobs that have
// none. What is added must outlive it.
class TakenMemory {
 public:
  void Add(const v1::Reservation& reservation) {
    bytes_[reservation.node()] += reservation.fast_bytes();
    covered_.insert(reservation.job_id());
  }
  BytesByNode With(const std::vector<JobRoom>& jobs) && {
    for (const JobRoom& job : jobs) {
      if (!covered_.contains(job.job_id)) bytes_[job.node] += job.fast_bytes;
    }
    return std::move(bytes_);
  }

 private:
  BytesByNode bytes_;
  absl::flat_hash_set<absl::string_view> covered_;  // jobs
};

}  // namespace

ReservationBook::ReservationBook(ReservationStore* store,
                                 const NodeRegistry* nodes,
                                 const JobRegistry* jobs,
                                 ReservationBookOptions options)
    : store_(store), nodes_(nodes), jobs_(jobs), options_(options) {}

ReservationBook::~ReservationBook() { Stop(); }

void ReservationBook::Start() {
  thread_ = std::thread([this] {
    do {
      Look(SteadyNow()).IgnoreError();  // it looks again in a moment
    } while (!stopped_.AwaitFor(options_.period));
  });
}

void ReservationBook::Stop() {
  stopped_.Ring();
  if (thread_.joinable()) thread_.join();
}

absl::Status ReservationBook::CheckNode(
    const v1::ReserveRequest& request) const {
  const std::shared_ptr<const NodeMemory> memory =
      nodes_->MemoryOf(request.node());
  if (memory == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("no node '", request.node(), "' has registered"));
  }
  if (!nodes_->IsAlive(request.node(), absl::Now())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node '", request.node(), "' has not been heard of for a while"));
  }
  if (memory->fast_bytes < request.fast_bytes()) {
    return absl::FailedPreconditionError(
        absl::StrCat("node '", request.node(), "' has ", memory->fast_bytes,
                     " bytes of fast memory in all, and the request is for ",
                     request.fast_bytes(), "; choose a larger node"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Reservation> ReservationBook::Reserve(
    const v1::ReserveRequest& request, const std::string& holder) {
  absl::Status suits = CheckNode(request);
  if (!suits.ok()) return suits;
  v1::Reservation wanted;
  wanted.set_reservation_id(NewId());
  wanted.set_node(request.node());
  wanted.set_fast_bytes(request.fast_bytes());
  wanted.set_lease_ms(request.lease_ms() > 0 ? request.lease_ms()
                                             : kUsualLeaseMs);
  wanted.set_holder(holder);
  wanted.set_purpose(request.purpose());
  *wanted.mutable_reserved_at() = TimestampFromTime(absl::Now());
  wanted.set_renewals(1);
  wanted.set_request_id(request.request_id());
  const std::shared_ptr<const NodeMemory> memory =
      nodes_->MemoryOf(request.node());
  return store_->Add(
      wanted, [&](const std::vector<v1::Reservation>& reservations) {
        TakenMemory taken;
        for (const v1::Reservation& each : reservations) taken.Add(each);
        const int64_t free_bytes =
            memory->fast_bytes -
            std::move(taken).With(jobs_->RoomOfRunning(
                request.node(), absl::Now()))[request.node()];
        if (request.fast_bytes() <= free_bytes) return absl::OkStatus();
        return absl::ResourceExhaustedError(absl::StrCat(
            "node '", request.node(), "' has ",
            std::max<int64_t>(0, free_bytes), " of ", memory->fast_bytes,
            " bytes of fast memory left, and the request is for ",
            request.fast_bytes(), "; choose another node, or wait"));
      });
}

absl::Status ReservationBook::CheckJob(const v1::Reservation& reservation,
                                       const std::string& job_id) const {
  const absl::StatusOr<v1::Job> job = jobs_->Get(job_id, absl::Now());
  if (job.ok() && job->node() == reservation.node() &&
      job->state() == v1::JOB_STATE_RUNNING) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no job '", job_id, "' runs on node '", reservation.node(),
                   "'; name the job once it has started there"));
}

absl::StatusOr<v1::Reservation> ReservationBook::Renew(
    const std::string& reservation_id, const std::string& job_id) {
  if (!job_id.empty()) {
    const absl::StatusOr<v1::Reservation> known = store_->Get(reservation_id);
    if (!known.ok()) return known.status();
    absl::Status runs = CheckJob(*known, job_id);
    if (!runs.ok()) return runs;
  }
  return store_->Renew(reservation_id, job_id);
}

bool ReservationBook::IsOver(const v1::Reservation& reservation) {
  Seen& seen = seen_[reservation.reservation_id()];
  bool is_renewed = seen.reservation.renewals() != reservation.renewals();
  if (!reservation.job_id().empty()) {
    const absl::StatusOr<v1::Job> job =
        jobs_->Get(reservation.job_id(), absl::Now());
    if (job.ok() && job->state() == v1::JOB_STATE_FINISHED) return true;
    // A job that is lost, or not known yet, has the time of the lease.
    if (job.ok() && job->state() == v1::JOB_STATE_RUNNING) is_renewed = true;
  }
  if (is_renewed) seen.since = looked_;
  seen.reservation = reservation;
  return looked_ - seen.since >= absl::Milliseconds(reservation.lease_ms());
}

absl::Status ReservationBook::Look(absl::Time now) {
  const absl::StatusOr<std::vector<v1::Reservation>> all = store_->List(
      /*node=*/"", /*after_id=*/"", ReservationStore::kMostReservations);
  if (!all.ok()) return all.status();
  std::vector<const v1::Reservation*> over;
  {
    absl::MutexLock lock(&mutex_);
    looked_ += std::clamp(now - last_look_, absl::ZeroDuration(),
                          kMostPeriods * options_.period);
    last_look_ = now;
    absl::flat_hash_set<absl::string_view> present;
    for (const v1::Reservation& reservation : *all) {
      present.insert(reservation.reservation_id());
      if (IsOver(reservation)) over.push_back(&reservation);
    }
    absl::erase_if(seen_, [&](const auto& entry) {
      return !present.contains(entry.first);
    });
  }
  for (const v1::Reservation* reservation : over) {
    const absl::StatusOr<bool> gone = store_->ReleaseUnlessRenewed(
        reservation->reservation_id(), reservation->renewals());
    if (!gone.ok()) return gone.status();
    if (!*gone) continue;
    absl::MutexLock lock(&mutex_);
    seen_.erase(reservation->reservation_id());
  }
  return absl::OkStatus();
}

ReservationTotals ReservationBook::Totals() const {
  absl::MutexLock lock(&mutex_);
  ReservationTotals totals = {.count = static_cast<int64_t>(seen_.size())};
  for (const auto& [id, seen] : seen_) {
    totals.fast_bytes += seen.reservation.fast_bytes();
  }
  return totals;
}

BytesByNode ReservationBook::TakenByNode() const {
  const std::vector<JobRoom> jobs = jobs_->RoomOfRunning(absl::Now());
  TakenMemory taken;
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, seen] : seen_) taken.Add(seen.reservation);
  return std::move(taken).With(jobs);
}

}  // namespace stowage
