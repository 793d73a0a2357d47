// Stores reservations of fast memory.
//
//   ReservationStore store(database);
//   absl::StatusOr<v1::Reservation> added = store.Add(wanted, fits);
//   absl::StatusOr<v1::Reservation> renewed =
//       store.Renew(added->reservation_id(), /*job_id=*/"");
#ifndef STOWAGE_SERVER_SCHEDULING_RESERVATION_STORE_H_
#define STOWAGE_SERVER_SCHEDULING_RESERVATION_STORE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/storage/sql_database.h"
#include "stowage/v1/scheduling.pb.h"

namespace stowage {

// Thread-safe; calls block on the database. Every method may fail with
// UNAVAILABLE or DATA_LOSS.
class ReservationStore {
 public:
  static constexpr int64_t kMostReservations = 100'000;

  // Says whether there is room beside those that the node has.
  using Fits =
      absl::FunctionRef<absl::Status(const std::vector<v1::Reservation>&)>;

  explicit ReservationStore(std::shared_ptr<SqlDatabase> database)
      : database_(std::move(database)) {}

  // Adds a reservation if `fits` allows it; no other is added meanwhile, by
  // whichever replica. If its holder has one of the same request id, renews and
  // returns that one. INVALID_ARGUMENT: that one is of another node or size.
  // RESOURCE_EXHAUSTED: there are too many.
  absl::StatusOr<v1::Reservation> Add(const v1::Reservation& reservation,
                                      Fits fits);

  // Counts a renewal, and notes the job unless `job_id` is empty. NOT_FOUND: no
  // such reservation.
  absl::StatusOr<v1::Reservation> Renew(absl::string_view reservation_id,
                                        absl::string_view job_id);

  // NOT_FOUND: no such reservation.
  absl::StatusOr<v1::Reservation> Get(absl::string_view reservation_id);

  // Deletes it. Succeeds if there is none.
  absl::Status Release(absl::string_view reservation_id);

  // Deletes it if it has had no renewal beyond these. Returns whether it was
  // there and is gone.
  absl::StatusOr<bool> ReleaseUnlessRenewed(absl::string_view reservation_id,
                                            int64_t renewals);

  // Returns up to `limit` reservations after `after_id`, by id; an empty `node`
  // means every node.
  absl::StatusOr<std::vector<v1::Reservation>> List(absl::string_view node,
                                                    absl::string_view after_id,
                                                    int64_t limit);

 private:
  const std::shared_ptr<SqlDatabase> database_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_SCHEDULING_RESERVATION_STORE_H_
