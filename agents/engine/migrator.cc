#include "agents/engine/migrator.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/lane_time.h"

namespace stowage::agent {
namespace {

// The latency that a job costs itself if it rings no bell, or overwrites it.
constexpr int64_t kLongestSleepNs = 100'000'000;

// Returns whether a request waits. A lane never has more requests under way
// than entries; if the counts say otherwise, the job is broken and they mean
// nothing.
bool HasRequest(uint64_t issued, uint64_t completed) {
  const uint64_t ahead = issued - completed;
  return ahead > 0 && ahead <= session::kLaneEntries;
}

session::MoveRequest& EntryOf(session::MoveLane& lane, uint64_t number) {
  return lane.entries[number % session::kLaneEntries];
}

MoveOrder ReadOrder(const session::MoveRequest& request) {
  return {.from_tier = request.from_tier,
          .to_tier = request.to_tier,
          .from_offset_bytes = request.from_offset_bytes,
          .to_offset_bytes = request.to_offset_bytes,
          .size_bytes = request.size_bytes,
          .deadline_ns = request.deadline_ns};
}

// Returns when the first of the requests from `first` on is needed, of which
// each waits for those before it. A lane rarely holds more than it looks at.
int64_t EarliestDeadlineNs(session::MoveLane& lane, uint64_t first,
                           uint64_t issued) {
  constexpr uint64_t kLooksAt = 256;
  int64_t earliest_ns = session::kNoDeadline;
  const uint64_t end = first + std::min(issued - first, kLooksAt);
  for (uint64_t next = first; next != end; ++next) {
    earliest_ns = std::min(earliest_ns, EntryOf(lane, next).deadline_ns);
  }
  return earliest_ns;
}

}  // namespace

Migrator::Migrator(session::MoveLane* lanes, std::vector<TierRoom> rooms,
                   OnFailure on_failure, OnCopied on_copied, JobUsage* usage)
    : lanes_(lanes),
      rooms_(std::move(rooms)),
      on_failure_(std::move(on_failure)),
      on_copied_(std::move(on_copied)),
      usage_(usage),
      mover_(&rooms_, &stop_) {
  for (int i = 0; i < session::kLaneCount; ++i) {
    threads_.emplace_back([this, i] { Serve(i); });
  }
}

Migrator::~Migrator() {
  stop_.Ring();
  for (int i = 0; i < session::kLaneCount; ++i) {
    session::FutexRing(lanes_[i].issue_bell);
  }
  for (std::thread& thread : threads_) thread.join();
}

void Migrator::Serve(int lane_index) {
  session::MoveLane& lane = lanes_[lane_index];
  ThreadUsage usage(usage_);
  // The agent before this one may have served the lane.
  uint64_t completed = lane.completed.load(std::memory_order_relaxed);
  while (!stop_.HasRung()) {
    const uint64_t issued = lane.issued.load(std::memory_order_acquire);
    if (!HasRequest(issued, completed)) {
      WaitForRequests(lane, completed);
      continue;
    }
    completed = ServeRun(lane_index, completed, issued);
    usage.Count();
    // Sequentially consistent with the process, which sets `process_sleeps` and
    // then reads `completed`: one of the two sees the other.
    lane.completed.store(completed, std::memory_order_seq_cst);
    if (lane.process_sleeps.load(std::memory_order_seq_cst) != 0) {
      session::FutexRing(lane.done_bell);
    } else {
      lane.done_bell.fetch_add(1, std::memory_order_release);
    }
  }
}

// Serves request `first` and those after it that are one copy with it. Returns
// the number of the first one that is left.
uint64_t Migrator::ServeRun(int lane_index, uint64_t first, uint64_t issued) {
  session::MoveLane& lane = lanes_[lane_index];
  const int64_t begin_ns = session::NowNs();
  std::vector<MoveOrder> orders;
  std::optional<MoveOrder> joined;
  for (uint64_t next = first; next != issued; ++next) {
    session::MoveRequest& request = EntryOf(lane, next);
    const MoveOrder order = ReadOrder(request);
    const std::optional<MoveOrder> longer =
        joined.has_value() ? Join(*joined, order) : order;
    if (!longer.has_value()) break;
    joined = longer;
    orders.push_back(order);
    request.begin_ns = begin_ns;
  }
  joined->deadline_ns = EarliestDeadlineNs(lane, first, issued);
  const int error = Copy(lane_index, *joined, begin_ns);
  // What failed together may succeed in part, as on a disk that is almost full.
  const bool one_by_one = error != 0 && orders.size() > 1;
  for (const MoveOrder& order : orders) {
    Answer(order, one_by_one ? mover_.Move(order) : error,
           EntryOf(lane, first++));
  }
  return first;
}

int Migrator::Copy(int lane_index, const MoveOrder& order, int64_t begin_ns) {
  static_assert(session::kLaneCount == 2);
  session::MoveLane& lane = lanes_[lane_index];
  LaneTime& time = times_[lane_index];
  const LaneTime& other = times_[1 - lane_index];
  const int64_t other_before_ns = session::CopiedNs(other, begin_ns);
  session::BeginCopying(lane, begin_ns);
  session::BeginCopying(time, begin_ns);
  const int error = mover_.Move(order);
  const int64_t end_ns = session::NowNs();
  session::EndCopying(time, end_ns);
  session::EndCopying(lane, end_ns);
  if (error == 0 && on_copied_) {
    on_copied_(order, end_ns - begin_ns,
               session::CopiedNs(other, end_ns) - other_before_ns);
  }
  return error;
}

void Migrator::Answer(const MoveOrder& order, int error,
                      session::MoveRequest& request) const {
  request.end_ns = session::NowNs();
  request.error_number = error;
  request.status.store(error == 0 ? session::kMoveDone : session::kMoveFailed,
                       std::memory_order_release);
  if (error != 0 && on_failure_) on_failure_(order, error);
}

void Migrator::WaitForRequests(session::MoveLane& lane,
                               uint64_t completed) const {
  const uint32_t bell = lane.issue_bell.load(std::memory_order_acquire);
  lane.agent_sleeps.store(1, std::memory_order_seq_cst);
  if (!HasRequest(lane.issued.load(std::memory_order_seq_cst), completed) &&
      !stop_.HasRung()) {
    session::FutexWait(lane.issue_bell, bell, kLongestSleepNs);
  }
  lane.agent_sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace stowage::agent
