#include "server/scheduling/reservation_book.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kTotalBytes = 100;
constexpr absl::Duration kPeriod = absl::Seconds(1);

v1::ReserveRequest Request(const std::string& id, int64_t fast_bytes) {
  v1::ReserveRequest request;
  request.set_request_id(id);
  request.set_node("n");
  request.set_fast_bytes(fast_bytes);
  request.set_lease_ms(10'000);
  return request;
}

class ReservationBookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        nodes_.Register("n", TwoTiers(), absl::Now(), kTotalBytes).ok());
    Look(absl::ZeroDuration());
  }

  // Lets this much time pass and looks.
  void Look(absl::Duration passed) {
    now_ += passed;
    ASSERT_TRUE(book_.Look(now_).ok());
  }
  // Lets time pass in which the book looks every period.
  void Pass(absl::Duration time) {
    for (absl::Duration t; t < time; t += kPeriod) Look(kPeriod);
  }

  void StartJob(const std::string& id, int64_t limit_bytes) {
    v1::Job job;
    job.set_job_id(id);
    job.set_node("n");
    job.set_fast_limit_bytes(limit_bytes);
    ASSERT_TRUE(jobs_.Start(job, absl::Now()).ok());
  }

  int64_t Taken() { return book_.TakenByNode()["n"]; }

  NodeRegistry nodes_{absl::Hours(1)};
  JobRegistry jobs_{&nodes_};
  std::shared_ptr<SqlDatabase> database_ = *OpenDatabase(":memory:");
  ReservationStore store_{database_};
  ReservationBook book_{&store_, &nodes_, &jobs_, {.period = kPeriod}};
  absl::Time now_ = kStart;
};

TEST_F(ReservationBookTest, ANodeIsNeverPromisedTwice) {
  ASSERT_TRUE(book_.Reserve(Request("a", 60), "").ok());
  const auto second = book_.Reserve(Request("b", 41), "");
  EXPECT_TRUE(absl::IsResourceExhausted(second.status()));
  EXPECT_THAT(second.status().message(), HasSubstr("40 of 100"));
  EXPECT_TRUE(book_.Reserve(Request("c", 40), "").ok());
  Look(kPeriod);
  EXPECT_EQ(Taken(), 100);
  EXPECT_EQ(book_.Totals().count, 2);
  EXPECT_EQ(book_.Totals().fast_bytes, 100);
}

TEST_F(ReservationBookTest, JobsWithoutAReservationCountToo) {
  StartJob("j", 70);
  EXPECT_TRUE(
      absl::IsResourceExhausted(book_.Reserve(Request("a", 31), "").status()));
  EXPECT_TRUE(book_.Reserve(Request("b", 30), "").ok());
  EXPECT_EQ(Taken(), 70);
  Look(kPeriod);
  EXPECT_EQ(Taken(), 100);
}

TEST_F(ReservationBookTest, ALeaseEndsUnlessItIsRenewed) {
  const v1::Reservation kept = *book_.Reserve(Request("a", 60), "");
  const v1::Reservation lost = *book_.Reserve(Request("b", 40), "");
  Look(kPeriod);
  Pass(absl::Seconds(8));
  ASSERT_TRUE(book_.Renew(kept.reservation_id(), "").ok());
  Pass(absl::Seconds(4));
  EXPECT_EQ(Taken(), 60);
  const auto late = book_.Renew(lost.reservation_id(), "");
  EXPECT_TRUE(absl::IsNotFound(late.status()));
  EXPECT_THAT(late.status().message(), HasSubstr("reserve again"));
}

TEST_F(ReservationBookTest, APauseOfTheServiceEndsNoLease) {
  const v1::Reservation held = *book_.Reserve(Request("a", 60), "");
  Look(kPeriod);
  Look(absl::Hours(3));
  EXPECT_TRUE(book_.Renew(held.reservation_id(), "").ok());
}

TEST_F(ReservationBookTest, AReservationOfAJobLastsAsLongAsTheJob) {
  const v1::Reservation held = *book_.Reserve(Request("a", 60), "");
  StartJob("j", 60);
  EXPECT_TRUE(book_.Renew(held.reservation_id(), "j").ok());
  Look(kPeriod);
  EXPECT_EQ(Taken(), 60);  // once
  EXPECT_THAT(book_.Reserve(Request("b", 41), "").status().message(),
              HasSubstr("40 of 100"));
  Pass(absl::Seconds(60));
  EXPECT_EQ(Taken(), 60);
  ASSERT_TRUE(jobs_.Finish("j", absl::Now()).ok());
  Look(kPeriod);
  EXPECT_EQ(Taken(), 0);
  EXPECT_TRUE(store_.List("", "", 10)->empty());
}

TEST_F(ReservationBookTest, AJobThatDoesNotRunThereGetsNone) {
  const v1::Reservation held = *book_.Reserve(Request("a", 60), "");
  EXPECT_TRUE(absl::IsFailedPrecondition(
      book_.Renew(held.reservation_id(), "nobody").status()));
  StartJob("j", 60);
  ASSERT_TRUE(jobs_.Finish("j", absl::Now()).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(
      book_.Renew(held.reservation_id(), "j").status()));
}

TEST_F(ReservationBookTest, AJobThatVanishedHoldsItsMemoryForOneLeaseAlone) {
  const v1::Reservation held = *book_.Reserve(Request("a", 60), "");
  StartJob("j", 60);
  ASSERT_TRUE(book_.Renew(held.reservation_id(), "j").ok());
  Look(kPeriod);
  JobRegistry others(&nodes_);  // knows nothing of the job
  ReservationBook book(&store_, &nodes_, &others, {.period = kPeriod});
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(book.Look(now_ += kPeriod).ok());
  EXPECT_EQ(store_.List("", "", 10)->size(), 1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(book.Look(now_ += kPeriod).ok());
  EXPECT_TRUE(store_.List("", "", 10)->empty());
}

TEST_F(ReservationBookTest, SaysWhyANodeDoesNotSuit) {
  v1::ReserveRequest request = Request("a", 10);
  request.set_node("m");
  EXPECT_TRUE(absl::IsNotFound(book_.Reserve(request, "").status()));
  const auto large = book_.Reserve(Request("b", 101), "");
  EXPECT_TRUE(absl::IsFailedPrecondition(large.status()));
  EXPECT_THAT(large.status().message(), HasSubstr("larger node"));
  NodeRegistry dead(absl::ZeroDuration());
  ASSERT_TRUE(dead.Register("n", TwoTiers(), absl::UnixEpoch(), 100).ok());
  ReservationBook book(&store_, &dead, &jobs_, {});
  EXPECT_TRUE(
      absl::IsFailedPrecondition(book.Reserve(Request("c", 10), "").status()));
}

TEST_F(ReservationBookTest, ManyHoldersAtOnceNeverGetMoreThanThereIs) {
  std::vector<std::thread> holders;
  for (int i = 0; i < 8; ++i) {
    holders.emplace_back([this, i] {
      for (int k = 0; k < 40; ++k) {
        const auto got = book_.Reserve(
            Request(absl::StrCat(i, "-", k), 7 + (i * k) % 23), "");
        if (got.ok() && k % 3 != 0) {
          store_.Release(got->reservation_id()).IgnoreError();
        }
        int64_t sum = 0;
        for (const v1::Reservation& r : *store_.List("n", "", 1000)) {
          sum += r.fast_bytes();
        }
        EXPECT_LE(sum, kTotalBytes);
      }
    });
  }
  for (std::thread& holder : holders) holder.join();
  Pass(absl::Seconds(14));
  EXPECT_EQ(Taken(), 0);
}

TEST_F(ReservationBookTest, LooksByItselfOnceStarted) {
  ReservationBook book(&store_, &nodes_, &jobs_,
                       {.period = absl::Milliseconds(5)});
  v1::ReserveRequest request = Request("a", 10);
  request.set_lease_ms(1);
  ASSERT_TRUE(book.Reserve(request, "").ok());
  book.Start();
  while (!store_.List("", "", 10)->empty()) std::this_thread::yield();
  book.Stop();
}

}  // namespace
}  // namespace stowage
