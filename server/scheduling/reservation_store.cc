#include "server/scheduling/reservation_store.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/storage/stored_message.h"

namespace stowage {
namespace {

// Names the call that made a reservation, among all holders.
std::string RequestKey(const v1::Reservation& reservation) {
  return absl::StrCat(reservation.holder(), "\n", reservation.request_id());
}

absl::Status Write(const v1::Reservation& reservation,
                   SqlConnection& connection) {
  const std::string state = reservation.SerializeAsString();
  return connection
      .Run(
          "UPDATE reservations SET renewals = $2, state = $3"
          " WHERE reservation_id = $1",
          {reservation.reservation_id(), reservation.renewals(),
           SqlBlob{state}})
      .status();
}

absl::Status Insert(const v1::Reservation& reservation,
                    SqlConnection& connection) {
  const std::string key = RequestKey(reservation);
  const std::string state = reservation.SerializeAsString();
  return connection
      .Run(
          "INSERT INTO reservations"
          " (reservation_id, node, request_key, renewals, state)"
          " VALUES ($1, $2, $3, $4, $5)",
          {reservation.reservation_id(), reservation.node(), key,
           reservation.renewals(), SqlBlob{state}})
      .status();
}

absl::StatusOr<std::vector<v1::Reservation>> Select(
    absl::string_view condition, const SqlParameters& parameters,
    SqlConnection& connection) {
  return FromRows(
      connection.Run(absl::StrCat("SELECT state FROM reservations ", condition),
                     parameters),
      &MessageFromRow<v1::Reservation>);
}

absl::Status NoSuchReservation(absl::string_view reservation_id) {
  return absl::NotFoundError(absl::StrCat(
      "no reservation '", reservation_id,
      "': it was released, or its lease has ended; reserve again"));
}

// Says whether a repeated call asks for what the first one got.
absl::Status CheckSame(const v1::Reservation& known,
                       const v1::Reservation& wanted) {
  if (known.node() == wanted.node() &&
      known.fast_bytes() == wanted.fast_bytes()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "request_id '", wanted.request_id(), "' has reserved ",
      known.fast_bytes(), " bytes of node '", known.node(),
      "' and now asks for ", wanted.fast_bytes(), " of '", wanted.node(),
      "'; choose another request_id, or release that reservation first"));
}

absl::Status CheckCount(SqlConnection& connection) {
  const absl::StatusOr<SqlResult> count =
      connection.Run("SELECT count(*) FROM reservations");
  if (!count.ok()) return count.status();
  if (count->rows.at(0).Int(0) < ReservationStore::kMostReservations) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("there are ", ReservationStore::kMostReservations,
                   " reservations; release some"));
}

}  // namespace

absl::StatusOr<v1::Reservation> ReservationStore::Add(
    const v1::Reservation& reservation, Fits fits) {
  v1::Reservation added = reservation;
  absl::Status status =
      database_->Transact([&](SqlConnection& connection) -> absl::Status {
        const auto known = Select("WHERE request_key = $1",
                                  {RequestKey(reservation)}, connection);
        if (!known.ok()) return known.status();
        if (!known->empty()) {
          added = known->front();
          absl::Status same = CheckSame(added, reservation);
          if (!same.ok()) return same;
          added.set_renewals(added.renewals() + 1);
          return Write(added, connection);
        }
        const auto of_node =
            Select("WHERE node = $1", {reservation.node()}, connection);
        absl::Status allowed = of_node.status();
        if (allowed.ok()) allowed = CheckCount(connection);
        if (allowed.ok()) allowed = fits(*of_node);
        return allowed.ok() ? Insert(reservation, connection) : allowed;
      });
  if (!status.ok()) return status;
  return added;
}

absl::StatusOr<v1::Reservation> ReservationStore::Renew(
    absl::string_view reservation_id, absl::string_view job_id) {
  v1::Reservation renewed;
  absl::Status status =
      database_->Transact([&](SqlConnection& connection) -> absl::Status {
        const auto found =
            Select("WHERE reservation_id = $1", {reservation_id}, connection);
        if (!found.ok()) return found.status();
        if (found->empty()) return NoSuchReservation(reservation_id);
        renewed = found->front();
        renewed.set_renewals(renewed.renewals() + 1);
        if (!job_id.empty()) renewed.set_job_id(std::string(job_id));
        return Write(renewed, connection);
      });
  if (!status.ok()) return status;
  return renewed;
}

absl::StatusOr<v1::Reservation> ReservationStore::Get(
    absl::string_view reservation_id) {
  const absl::StatusOr<SqlResult> found =
      database_->Run("SELECT state FROM reservations WHERE reservation_id = $1",
                     {reservation_id});
  if (!found.ok()) return found.status();
  if (found->rows.empty()) return NoSuchReservation(reservation_id);
  return MessageFromRow<v1::Reservation>(found->rows.front());
}

absl::Status ReservationStore::Release(absl::string_view reservation_id) {
  return database_
      ->Run("DELETE FROM reservations WHERE reservation_id = $1",
            {reservation_id})
      .status();
}

absl::StatusOr<bool> ReservationStore::ReleaseUnlessRenewed(
    absl::string_view reservation_id, int64_t renewals) {
  const absl::StatusOr<SqlResult> deleted = database_->Run(
      "DELETE FROM reservations WHERE reservation_id = $1 AND renewals = $2",
      {reservation_id, renewals});
  if (!deleted.ok()) return deleted.status();
  return deleted->changed > 0;
}

absl::StatusOr<std::vector<v1::Reservation>> ReservationStore::List(
    absl::string_view node, absl::string_view after_id, int64_t limit) {
  return FromRows(
      database_->Run("SELECT state FROM reservations"
                     " WHERE ($1 = '' OR node = $1) AND reservation_id > $2"
                     " ORDER BY reservation_id LIMIT $3",
                     {node, after_id, limit}),
      &MessageFromRow<v1::Reservation>);
}

}  // namespace stowage
