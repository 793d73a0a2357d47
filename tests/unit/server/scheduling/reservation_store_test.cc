#include "server/scheduling/reservation_store.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/storage/databases.h"

namespace stowage {
namespace {

v1::Reservation Wanted(const std::string& id, const std::string& request_id,
                       int64_t fast_bytes = 10) {
  v1::Reservation reservation;
  reservation.set_reservation_id(id);
  reservation.set_node("n");
  reservation.set_fast_bytes(fast_bytes);
  reservation.set_lease_ms(1000);
  reservation.set_renewals(1);
  reservation.set_request_id(request_id);
  return reservation;
}

absl::Status Fits(const std::vector<v1::Reservation>& /*others*/) {
  return absl::OkStatus();
}

class ReservationStoreTest : public EachDatabaseTest {
 protected:
  std::vector<v1::Reservation> All() { return *store_.List("", "", 100); }

  ReservationStore store_{database_};
};

TEST_P(ReservationStoreTest, AddsWhatFits) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  const absl::StatusOr<v1::Reservation> second = store_.Add(
      Wanted("b", "2"), [](const std::vector<v1::Reservation>& others) {
        EXPECT_EQ(others.size(), 1);
        return absl::ResourceExhaustedError("no room");
      });
  EXPECT_TRUE(absl::IsResourceExhausted(second.status()));
  EXPECT_EQ(All().size(), 1);
}

TEST_P(ReservationStoreTest, TheSameRequestReturnsWhatItHasReserved) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  const absl::StatusOr<v1::Reservation> again =
      store_.Add(Wanted("b", "1"), [](const std::vector<v1::Reservation>&) {
        return absl::ResourceExhaustedError("not asked");
      });
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->reservation_id(), "a");
  EXPECT_EQ(again->renewals(), 2);
  EXPECT_TRUE(absl::IsInvalidArgument(
      store_.Add(Wanted("c", "1", /*fast_bytes=*/11), Fits).status()));
}

TEST_P(ReservationStoreTest, HoldersDoNotShareTheirRequestIds) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  v1::Reservation other = Wanted("b", "1");
  other.set_holder("somebody");
  EXPECT_EQ(store_.Add(other, Fits)->reservation_id(), "b");
}

TEST_P(ReservationStoreTest, ARenewalCountsAndNamesTheJob) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  EXPECT_EQ(store_.Renew("a", "")->renewals(), 2);
  EXPECT_EQ(store_.Renew("a", "job")->job_id(), "job");
  EXPECT_EQ(store_.Renew("a", "")->job_id(), "job");
  EXPECT_EQ(store_.Get("a")->renewals(), 4);
  EXPECT_TRUE(absl::IsNotFound(store_.Renew("b", "").status()));
  EXPECT_TRUE(absl::IsNotFound(store_.Get("b").status()));
}

TEST_P(ReservationStoreTest, WhatWasRenewedMeanwhileStays) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  ASSERT_TRUE(store_.Renew("a", "").ok());
  EXPECT_FALSE(*store_.ReleaseUnlessRenewed("a", 1));
  EXPECT_TRUE(*store_.ReleaseUnlessRenewed("a", 2));
  EXPECT_TRUE(All().empty());
}

TEST_P(ReservationStoreTest, ReleasingTwiceSucceeds) {
  ASSERT_TRUE(store_.Add(Wanted("a", "1"), Fits).ok());
  EXPECT_TRUE(store_.Release("a").ok());
  EXPECT_TRUE(store_.Release("a").ok());
  EXPECT_TRUE(All().empty());
}

TEST_P(ReservationStoreTest, ListsByIdAndNode) {
  for (const char* id : {"c", "a", "b"}) {
    ASSERT_TRUE(store_.Add(Wanted(id, id), Fits).ok());
  }
  v1::Reservation elsewhere = Wanted("d", "d");
  elsewhere.set_node("m");
  ASSERT_TRUE(store_.Add(elsewhere, Fits).ok());
  EXPECT_EQ(store_.List("n", "a", 10)->size(), 2);
  EXPECT_EQ(store_.List("", "", 2)->at(1).reservation_id(), "b");
  EXPECT_EQ(store_.List("m", "", 10)->at(0).reservation_id(), "d");
}

STOWAGE_FOR_EACH_DATABASE(ReservationStoreTest);

}  // namespace
}  // namespace stowage
