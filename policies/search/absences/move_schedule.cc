#include "policies/search/absences/move_schedule.h"

#include <algorithm>
#include <utility>

#include "policies/model/groups.h"
#include "policies/search/absences/drop_index.h"
#include "policies/search/absences/occupancy.h"

namespace stowage::policies {
namespace {

// Copies out may take this many times their duration before a kernel waits for
// them, if nothing else needs their room so soon.
constexpr double kOutMargin = 1.5;

// A copy in is issued earlier than it has to begin by this many times its
// duration, if there is room: kernels may turn out to be faster.
constexpr double kLead = 1.0;

// The number of copies in that are looked at when the first of their lane
// cannot begin.
constexpr int kLookahead = 4;

// Says how far one transfer has got in the simulation.
struct Progress {
  KernelIndex held_until = 0;  // the copy out is expected to hold room to here
  bool leaving = false;        // the copy out is under way
  bool gone = false;           // the copy in may be issued
  bool fetched = false;
  int fetch_before = -1;  // the transfer after which it is dropped, if any
  bool stays = false;     // there is room after all
  int next_held =
      -1;  // of those that are expected to hold room to one boundary
  int64_t out_begin_ns = 0;
  int64_t out_end_ns = 0;
  int64_t in_end_ns = 0;
  // When the copy in has to begin so that it, and those that are needed after
  // it, are in time; on the clock of a step without waiting.
  int64_t latest_ns = 0;
  KernelIndex left = 0;
  KernelIndex fetch = 0;
};

// Holds the copies of one slower tier.
struct Lanes {
  std::vector<int> outs;  // issued, first come first served
  size_t next_out = 0;    // all before are complete
  int64_t out_free_ns = 0;
  std::vector<int> fetches;  // by the boundary that needs them
  size_t next_fetch = 0;     // all before are issued
  int64_t in_free_ns = 0;

  bool HasLeaving() const { return next_out < outs.size(); }
  int FirstLeaving() const { return outs[next_out]; }
};

// Lists transfers that are expected to hold room to one boundary, by next_held.
struct HeldList {
  int first = -1;
  int last = -1;
};

class Scheduler {
 public:
  Scheduler(const CostModel& costs, const std::vector<PlacedAbsence>& absences,
            const std::vector<int64_t>& allowed_bytes)
      : costs_(costs),
        step_(costs.graph().kernel_count() + 1),
        excess_(ExcessBytes(costs, allowed_bytes)),
        held_to_(step_ + 1),
        lanes_(costs.system().tier_count()),
        kernel_ns_(KernelTimesNs(costs, absences)) {
    boundary_ns_.reserve(step_);
    boundary_ns_ = {0};
    for (const int64_t ns : kernel_ns_) {
      boundary_ns_.push_back(boundary_ns_.back() + ns);
    }
    schedule_.room_wait_ns.resize(step_);
    schedule_.operand_wait_ns.resize(step_);
    transfers_.reserve(absences.size());
    for (const PlacedAbsence& placed : absences) {
      transfers_.push_back(MakeTransfer(costs, placed));
    }
    progress_.resize(transfers_.size());
    FindDrops();
    TakeAbsences();
    IndexTransfers();
    ExpectOuts();
    CountUnderWay();
  }

  MoveSchedule Run() {
    for (KernelIndex b = 0; b < step_; ++b) {
      const int64_t before_ns = now_ns_;
      for (Lanes& lanes : lanes_) {
        while (lanes.HasLeaving() &&
               progress_[lanes.FirstLeaving()].out_end_ns <= now_ns_) {
          CompleteFirst(lanes, b);
        }
      }
      for (const int i : gone_by_[b]) CompleteUpTo(i, b);
      for (const int i : leaving_at_[b]) IssueOut(i, b);
      WaitForRoom(b);
      schedule_.room_wait_ns[b] = now_ns_ - before_ns;
      WaitForOperands(b);
      schedule_.operand_wait_ns[b] =
          now_ns_ - before_ns - schedule_.room_wait_ns[b];
      if (b + 1 == step_) break;
      Prefetch(b);
      now_ns_ += kernel_ns_[b];
    }
    schedule_.step_ns = now_ns_;
    schedule_.kernel_ns = kernel_ns_;
    for (size_t i = 0; i < transfers_.size(); ++i) Write(i);
    return std::move(schedule_);
  }

 private:
  const InactivePeriod& PeriodOf(int i) const {
    return transfers_[i].placed.absence.period;
  }
  int64_t BytesOf(int i) const {
    return transfers_[i].placed.absence.size_bytes;
  }
  Lanes& LanesOf(int i) {
    return lanes_[lanes_.size() - 1 - transfers_[i].placed.tier];
  }

  void TakeAbsences() {
    for (size_t i = 0; i < transfers_.size(); ++i) {
      excess_.Add(transfers_[i].absent_from(), transfers_[i].absent_to(),
                  -BytesOf(i));
    }
  }

  void FindDrops() {
    DropIndex index(costs_);
    for (size_t i = 0; i < transfers_.size(); ++i) {
      if (!PeriodOf(i).moves_in) continue;
      index.Add(PeriodOf(i).tensor, transfers_[i].due, static_cast<int>(i));
    }
    for (size_t i = 0; i < transfers_.size(); ++i) {
      if (!PeriodOf(i).moves_out) continue;
      progress_[i].fetch_before =
          index.FetchBefore(PeriodOf(i).tensor, transfers_[i].leave);
    }
  }

  // Returns whether the tensor was fetched and not written since.
  bool IsDrop(int i) const {
    const int fetch = progress_[i].fetch_before;
    return fetch >= 0 && !progress_[fetch].stays;
  }

  void IndexTransfers() {
    const int count = static_cast<int>(transfers_.size());
    leaving_at_ = Groups(step_, [&](auto add) {
      for (int i = 0; i < count; ++i) {
        if (PeriodOf(i).moves_out) add(transfers_[i].leave, i);
      }
    });
    gone_by_ = Groups(step_, [&](auto add) {
      for (int i = 0; i < count; ++i) {
        if (PeriodOf(i).moves_out) add(transfers_[i].out_by, i);
      }
    });
    due_at_ = Groups(step_, [&](auto add) {
      for (int i = 0; i < count; ++i) {
        if (PeriodOf(i).moves_in) add(transfers_[i].due, i);
      }
    });
    for (int i = 0; i < count; ++i) {
      progress_[i].gone = !PeriodOf(i).moves_out ||
                          transfers_[i].in_turn > transfers_[i].out_turn;
    }
    for (KernelIndex b = 0; b < step_; ++b) {
      for (const int i : due_at_[b]) LanesOf(i).fetches.push_back(i);
    }
  }

  // Says where copies out will hold room if nothing is ever waited for.
  void ExpectOuts() {
    std::vector<int64_t> free_ns(lanes_.size());  // by tier
    for (KernelIndex b = 0; b < step_; ++b) {
      for (const int i : leaving_at_[b]) {
        progress_[i].held_until = b;
        if (IsDrop(i)) continue;
        int64_t& lane_ns = free_ns[transfers_[i].placed.tier];
        lane_ns = std::max(lane_ns, boundary_ns_[b]) +
                  transfers_[i].placed.absence.out_ns;
        progress_[i].held_until = std::min(
            BoundaryAt(lane_ns, b, boundary_ns_[b]), transfers_[i].out_by);
        excess_.Add(b, progress_[i].held_until, BytesOf(i));
      }
    }
  }

  // Counts the room for copies in that begin as late as they can on the clock
  // of a step that is stretched until lanes have time for them all, and for
  // copies out as expected.
  void CountUnderWay() {
    std::vector<int64_t> change(step_ + 1);
    const auto hold = [&](KernelIndex begin, KernelIndex end, int64_t bytes) {
      if (begin >= end) return;
      change[begin] += bytes;
      change[end] -= bytes;
    };
    for (const Lanes& lanes : lanes_) {
      double stretch = 1;
      double sum_ns = 0;
      for (const int i : lanes.fetches) {
        sum_ns += transfers_[i].placed.absence.in_ns;
        stretch = std::max(
            stretch,
            sum_ns / std::max<int64_t>(1, boundary_ns_[transfers_[i].due]));
      }
      double next_ns = stretch * boundary_ns_.back();
      for (auto i = lanes.fetches.rbegin(); i != lanes.fetches.rend(); ++i) {
        const KernelIndex due = transfers_[*i].due;
        next_ns = std::min(next_ns, stretch * boundary_ns_[due]) -
                  transfers_[*i].placed.absence.in_ns;
        const auto begin =
            std::upper_bound(boundary_ns_.begin(), boundary_ns_.begin() + due,
                             static_cast<int64_t>(next_ns / stretch));
        hold(std::max<KernelIndex>(0, begin - boundary_ns_.begin() - 1), due,
             BytesOf(*i));
      }
    }
    for (size_t i = 0; i < transfers_.size(); ++i) {
      if (!PeriodOf(i).moves_out) continue;
      hold(transfers_[i].leave, progress_[i].held_until, BytesOf(i));
    }
    int64_t bytes = 0;
    for (KernelIndex b = 0; b < step_; ++b) {
      bytes += change[b];
      schedule_.under_way_bytes.push_back(bytes);
    }
  }

  // Returns the first boundary from `b`, reached at `now_ns`, on that is
  // reached at `ns` or later if nothing is waited for in between.
  KernelIndex BoundaryAt(int64_t ns, KernelIndex b, int64_t now_ns) const {
    const auto at =
        std::lower_bound(boundary_ns_.begin() + b, boundary_ns_.end(),
                         boundary_ns_[b] + ns - now_ns);
    return std::min<KernelIndex>(at - boundary_ns_.begin(), step_ - 1);
  }

  void HoldUntil(int i, KernelIndex from, KernelIndex until) {
    excess_.Add(from, progress_[i].held_until, -BytesOf(i));
    excess_.Add(from, until, BytesOf(i));
    progress_[i].held_until = std::max(from, until);
  }

  void IssueOut(int i, KernelIndex b) {
    Progress& progress = progress_[i];
    HoldUntil(i, b, b);
    if (MayStay(i)) {
      excess_.Add(transfers_[i].absent_from(), transfers_[i].absent_to(),
                  BytesOf(i));
      progress.stays = true;
      return;
    }
    if (IsDrop(i)) {
      progress.left = b;
      progress.gone = true;
      return;
    }
    Lanes& lanes = LanesOf(i);
    progress.out_begin_ns = std::max(lanes.out_free_ns, now_ns_);
    progress.out_end_ns =
        progress.out_begin_ns + transfers_[i].placed.absence.out_ns;
    lanes.out_free_ns = progress.out_end_ns;
    lanes.outs.push_back(i);
    progress.leaving = true;
    HoldWhileLeaving(i, b);
    if (transfers_[i].out_by == b) CompleteUpTo(i, b);
  }

  // Holds room until the tensor will be gone if nothing is waited for until
  // then.
  void HoldWhileLeaving(int i, KernelIndex b) {
    const KernelIndex gone = BoundaryAt(progress_[i].out_end_ns, b, now_ns_);
    HoldUntil(i, b, std::min(std::max(b + 1, gone), transfers_[i].out_by));
    HeldList& list = held_to_[progress_[i].held_until];
    (list.first < 0 ? list.first : progress_[list.last].next_held) = i;
    list.last = i;
    progress_[i].next_held = -1;
  }

  // Returns whether there is room for the tensor after all, and no kernel
  // expects it slow.
  bool MayStay(int i) const {
    const Transfer& transfer = transfers_[i];
    if (transfer.placed.required || PeriodOf(i).mandatory()) return false;
    if (PeriodOf(i).to >= step_) return false;
    return excess_.Highest(transfer.absent_from(), transfer.absent_to()) <=
           -BytesOf(i);
  }

  void CompleteFirst(Lanes& lanes, KernelIndex b) {
    const int i = lanes.FirstLeaving();
    ++lanes.next_out;
    progress_[i].leaving = false;
    now_ns_ = std::max(now_ns_, progress_[i].out_end_ns);
    HoldUntil(i, b, b);
    progress_[i].left = b;
    progress_[i].gone = true;
  }

  void CompleteUpTo(int i, KernelIndex b) {
    while (progress_[i].leaving) CompleteFirst(LanesOf(i), b);
  }

  // Waits for room at a boundary. Copies out that were expected to be complete
  // hold room for longer; those that end first are waited for until the rest
  // has room.
  void WaitForRoom(KernelIndex b) {
    for (int i = std::exchange(held_to_[b], {}).first; i >= 0;) {
      const int next = progress_[i].next_held;
      if (progress_[i].leaving) HoldWhileLeaving(i, b);
      i = next;
    }
    while (excess_.At(b) > 0) {
      Lanes* first = nullptr;
      for (Lanes& lanes : lanes_) {
        if (!lanes.HasLeaving()) continue;
        if (first == nullptr ||
            progress_[lanes.FirstLeaving()].out_end_ns <
                progress_[first->FirstLeaving()].out_end_ns) {
          first = &lanes;
        }
      }
      if (first == nullptr) return;  // more was chosen than fits
      CompleteFirst(*first, b);
    }
  }

  void WaitForOperands(KernelIndex b) {
    for (const int i : due_at_[b]) {
      if (progress_[i].stays || progress_[i].fetched) continue;
      CompleteUpTo(i, b);
      IssueIn(i, b);
    }
    for (const int i : due_at_[b]) {
      if (progress_[i].stays || progress_[i].in_end_ns <= now_ns_) continue;
      now_ns_ = progress_[i].in_end_ns;
    }
  }

  void IssueIn(int i, KernelIndex b) {
    Lanes& lanes = LanesOf(i);
    lanes.in_free_ns = std::max(lanes.in_free_ns, now_ns_) +
                       transfers_[i].placed.absence.in_ns;
    progress_[i].in_end_ns = lanes.in_free_ns;
    progress_[i].fetch = b;
    progress_[i].fetched = true;
  }

  // Issues copies that could begin before the next boundary. Slower tiers go
  // first: their copies hold room for longer and cannot catch up.
  void Prefetch(KernelIndex b) {
    for (Lanes& lanes : lanes_) {
      while (lanes.in_free_ns < now_ns_ + kernel_ns_[b]) {
        const int i = NextFetch(lanes, b);
        if (i < 0) break;
        excess_.Add(b, transfers_[i].due, BytesOf(i));
        IssueIn(i, b);
      }
    }
  }

  int64_t EarliestFetchNs(int i) const {
    return progress_[i].latest_ns -
           static_cast<int64_t>(
               kLead * static_cast<double>(transfers_[i].placed.absence.in_ns));
  }

  int NextFetch(Lanes& lanes, KernelIndex b) const {
    const auto past = [&](int i) {
      return progress_[i].fetched || progress_[i].stays;
    };
    while (lanes.next_fetch < lanes.fetches.size() &&
           past(lanes.fetches[lanes.next_fetch])) {
      ++lanes.next_fetch;
    }
    int looked_at = 0;
    for (size_t n = lanes.next_fetch;
         n < lanes.fetches.size() && looked_at < kLookahead; ++n) {
      const int i = lanes.fetches[n];
      if (past(i)) continue;
      ++looked_at;
      const Transfer& transfer = transfers_[i];
      if (boundary_ns_[b] < EarliestFetchNs(i)) break;
      if (!progress_[i].gone || transfer.fetch_from > b) continue;
      if (excess_.Highest(b, transfer.due) <= -BytesOf(i)) return i;
    }
    return -1;
  }

  // Returns a later boundary at which to wait for a copy out, if its room stays
  // free anyway.
  KernelIndex LeftWithMargin(int i) {
    const Transfer& transfer = transfers_[i];
    const Progress& progress = progress_[i];
    KernelIndex last = transfer.out_by;
    if (progress.fetched && transfer.in_turn == transfer.out_turn) {
      last = std::min(last, progress.fetch);
    }
    KernelIndex left = progress.left;
    const auto wanted_ns = static_cast<int64_t>(
        kOutMargin *
        static_cast<double>(progress.out_end_ns - progress.out_begin_ns));
    while (left < last &&
           boundary_ns_[left] - boundary_ns_[progress.left] < wanted_ns &&
           excess_.At(left) <= -BytesOf(i)) {
      excess_.Add(left, left + 1, BytesOf(i));
      ++left;
    }
    return left;
  }

  void Write(int i) {
    const Transfer& transfer = transfers_[i];
    if (progress_[i].stays) return;
    TakenPeriod taken{.period = PeriodOf(i)};
    const KernelIndex turn = transfer.placed.absence.turn;
    taken.period.from += turn;
    taken.period.to += turn;
    taken.leave = taken.left = transfer.absent_from() + turn;
    taken.fetch = taken.back = transfer.absent_to() + turn;
    if (taken.period.moves_out) {
      taken.left = LeftWithMargin(i) + transfer.out_turn + turn;
    }
    if (taken.period.moves_in) {
      taken.fetch = progress_[i].fetch + transfer.in_turn + turn;
    }
    schedule_.taken.push_back(taken);
  }

  const CostModel& costs_;
  const KernelIndex step_;
  std::vector<Transfer> transfers_;
  std::vector<Progress> progress_;  // parallel to `transfers_`
  // Bytes held, or promised to be, less those allowed.
  Occupancy excess_;
  Groups leaving_at_;  // by boundary
  Groups gone_by_;
  Groups due_at_;
  std::vector<HeldList> held_to_;  // copies out under way, by boundary
  std::vector<Lanes> lanes_;       // slowest tier first
  std::vector<int64_t> kernel_ns_;
  std::vector<int64_t> boundary_ns_;
  int64_t now_ns_ = 0;
  MoveSchedule schedule_;
};

}  // namespace

MoveSchedule ScheduleMoves(const CostModel& costs,
                           const std::vector<PlacedAbsence>& absences,
                           const std::vector<int64_t>& allowed_bytes) {
  return Scheduler(costs, absences, allowed_bytes).Run();
}

}  // namespace stowage::policies
