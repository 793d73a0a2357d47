// Chooses whether the steps of one kind follow their plan or go without it: the
// way that was measured to be faster.
//
//   ModeChoice choice;
//   choice.Note(Driver::kDemand, duration_ns);  // before there is a plan
//   choice.BeginPlan();
//   choice.NoteAlone(alone_ns);  // what the plan says that training alone takes
//   const Driver driver = choice.next();        // of the step that begins
//   choice.Note(driver, duration_ns);           // or choice.NoteDisturbed()
//
// A plan is made with a model of time, and the model may be wrong: where copies
// take the processors that kernels need, a plan that moves more to wait less
// loses. So steps are timed. One driver is settled, the plan at first, and the
// other one is tried now and then:
//
//  * The first step after a change of drivers brings tensors to other places.
//    Later ones are typical, and the last nine of each driver are remembered.
//  * A trial takes three typical steps, or two where these agree. The other
//    driver takes over if their median is shorter by 5 % or more than that of
//    the settled one, and so is the shortest of them: of two that are about
//    equal, the settled one stays, also where planning beside the job disturbed
//    most of its steps.
//  * The first trial comes after 8 steps, and each one that changes nothing
//    makes the next one four times as rare, up to 1024 steps. After one that
//    changes the driver, 8 steps it is again: noise may have decided it.
//  * Where settled steps take longer than the last ones of the other driver
//    did, the trial comes in a quarter of that time.
//  * Two settled steps in succession that take three times as long as the other
//    driver's last ones begin a trial at once. A step of a trial that takes three
//    times as long as settled ones ends it, and so does the first one with ten
//    times: what streams badly under one driver can take hundreds of times as
//    long as under the other.
//  * Where planned steps take no longer than training alone would, demand mode
//    cannot win. Then a trial is 16 times as rare: training alone was measured
//    in few steps, too. Where they take hardly longer, it can win little, and a
//    trial is four times as rare.
//  * A trial waits until it is cheap: by the shortest of the other driver's
//    last steps, it may cost 2 % of the time since the last trial. Where demand
//    mode takes ten times as long, that is every 1800 steps. A single step
//    counts a third: the one that was profiled, often the only one, is far
//    slower.
//
// So what trials cost is 2 % of the time by what is known when they begin, and
// one step in 256 at most is a trial in the long run.
//
// Pure: it reads no clock. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MODE_CHOICE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MODE_CHOICE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace stowage::runtime {

// What places the tensors of a step that has a plan: the plan, or demand mode,
// with such hints as there are.
enum class Driver { kPlan, kDemand };

class ModeChoice {
 public:
  // Begins anew with another plan, which drives first. Keeps what is known of
  // demand mode.
  void BeginPlan();
  // Notes how long the plan's kernels and the gaps between them take without
  // copies beside them, and without waiting; 0: not known.
  void NoteAlone(int64_t alone_ns) { alone_ns_ = alone_ns; }

  // Takes in a step that did nothing but train and took `duration_ns`.
  void Note(Driver driver, int64_t duration_ns);
  // Takes in a step that left its plan, or for which it could not begin.
  void NoteDisturbed();

  // Returns what should drive the next step.
  Driver next() const { return trying_ ? Other(settled_) : settled_; }
  // Returns whether the next step is part of a trial.
  bool trying() const { return trying_; }

  // Returns the median duration of the driver's last typical steps; 0: it had
  // none.
  int64_t MedianNs(Driver driver) const;
  // Returns the shortest of them, which all together are hardly disturbed by
  // planning or by other jobs; 0: it had less than nine.
  int64_t ShortestNs(Driver driver) const;

 private:
  static constexpr int64_t kFirstGapSteps = 8;

  static Driver Other(Driver driver) {
    return driver == Driver::kPlan ? Driver::kDemand : Driver::kPlan;
  }
  const std::vector<int64_t>& typical(Driver driver) const {
    return typical_ns_[static_cast<int>(driver)];
  }
  std::vector<int64_t>& typical(Driver driver) {
    return typical_ns_[static_cast<int>(driver)];
  }
  void AddTypical(Driver driver, int64_t duration_ns);
  bool TrialIsDue() const;
  int64_t StepsToTrial() const;
  int64_t RarerBy(int64_t settled_ns) const;
  bool TrialIsCheap() const;
  bool IsHopeless(int64_t duration_ns) const;
  void BeginTrial();
  void GiveUpTrial(int64_t duration_ns);
  void JudgeTrial();
  void EndTrial(bool won);

  Driver settled_ = Driver::kPlan;
  // Of the last step; none if that was disturbed. A job begins in demand mode.
  std::optional<Driver> last_ = Driver::kDemand;
  std::array<std::vector<int64_t>, 2> typical_ns_;  // by driver; oldest first
  int64_t alone_ns_ = 0;                // of a planned step; 0: not known
  int64_t gap_steps_ = kFirstGapSteps;  // from trial to trial
  int64_t settled_steps_ = 0;           // since the last trial
  int64_t settled_ns_ = 0;              // that these took
  int far_longer_steps_ = 0;            // the last of these, in succession
  bool trying_ = false;
  int trial_steps_ = 0;    // of the trial under way
  int trial_typical_ = 0;  // typical ones among these
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MODE_CHOICE_H_
