// Reserves fast memory of nodes, under leases that end unless they are renewed.
//
//   ReservationBook book(&store, &nodes, &jobs, {});
//   book.Start();
//   absl::StatusOr<v1::Reservation> mine = book.Reserve(request, "slurm");
//   absl::StatusOr<v1::Reservation> still =
//       book.Renew(mine->reservation_id(), /*job_id=*/"");
//
// A lease ends when the book has seen no renewal for as long as it lasts. It
// counts the time in which it looks at the database: clocks that are set, and a
// service or a database that is away, end none. Each replica counts for itself,
// and deletes a reservation only if nobody has renewed it since it looked.
#ifndef STOWAGE_SERVER_SCHEDULING_RESERVATION_BOOK_H_
#define STOWAGE_SERVER_SCHEDULING_RESERVATION_BOOK_H_

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "server/scheduling/reservation_store.h"
#include "stowage/v1/scheduling.pb.h"
#include "timing/bell.h"

namespace stowage {

using BytesByNode = absl::flat_hash_map<std::string, int64_t>;

// Of all nodes.
struct ReservationTotals {
  int64_t count = 0;
  int64_t fast_bytes = 0;
};

struct ReservationBookOptions {
  absl::Duration period = absl::Milliseconds(500);  // between looks
};

// Thread-safe; calls block on the database. Owns none of the pointers; all must
// outlive it.
class ReservationBook {
 public:
  ReservationBook(ReservationStore* store, const NodeRegistry* nodes,
                  const JobRegistry* jobs, ReservationBookOptions options);
  // Calls Stop().
  ~ReservationBook();

  // Begins to look. Call it once.
  void Start();
  void Stop();

  // scheduling.proto has the errors of these.
  absl::StatusOr<v1::Reservation> Reserve(const v1::ReserveRequest& request,
                                          const std::string& holder);
  absl::StatusOr<v1::Reservation> Renew(const std::string& reservation_id,
                                        const std::string& job_id);

  // Returns what reservations and jobs take of each node, as the last look saw
  // reservations. Nodes that have none stand not in it.
  BytesByNode TakenByNode() const;

  // Returns what reservations there are, as the last look saw them.
  ReservationTotals Totals() const;

  // Looks once, at a time of SteadyNow(): ends leases that are over, and
  // reservations whose job has finished. Start() calls it again and again.
  absl::Status Look(absl::Time now);

 private:
  struct Seen {
    v1::Reservation reservation;
    // Time of the book's own clock at which its renewals were seen first.
    absl::Duration since;
  };

  absl::Status CheckNode(const v1::ReserveRequest& request) const;
  absl::Status CheckJob(const v1::Reservation& reservation,
                        const std::string& job_id) const;
  // Returns whether the reservation is over, and notes what was seen of it.
  bool IsOver(const v1::Reservation& reservation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ReservationStore* const store_;
  const NodeRegistry* const nodes_;
  const JobRegistry* const jobs_;
  const ReservationBookOptions options_;
  mutable absl::Mutex mutex_;
  // How long the book has looked, pauses left out.
  absl::Duration looked_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_look_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::flat_hash_map<std::string, Seen> seen_ ABSL_GUARDED_BY(mutex_);
  Bell stopped_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_RESERVATION_BOOK_H_
