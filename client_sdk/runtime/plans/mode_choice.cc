#include "client_sdk/runtime/plans/mode_choice.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace stowage::runtime {
namespace {

constexpr size_t kTypicalSteps = 9;
constexpr size_t kLeastTypicalSteps = 3;  // of what is settled, for a trial

constexpr int64_t kMostGapSteps = 1024;
constexpr int64_t kRarer = 4;
constexpr int64_t kRarerIfHopeless = 16;
constexpr int64_t kNearAlonePercent = 85;  // of a planned step is alone

constexpr int kTrialSteps = 4;      // with the first one, which is not typical
constexpr int kMostTrialSteps = 8;  // where some are disturbed
constexpr int kMajority = 2;        // of three

constexpr int64_t kFarLonger = 3;
constexpr int64_t kFarLongerAtFirst = 10;
constexpr int kFarLongerSteps = 2;

constexpr int64_t kOneStepFactor = 3;  // that one step may be too slow by
constexpr int64_t kGainPercent = 5;
constexpr int64_t kCostPercent = 2;

bool IsShorter(int64_t duration_ns, int64_t than_ns) {
  return duration_ns < than_ns * (100 - kGainPercent) / 100;
}

bool IsLongerBy(int64_t factor, int64_t duration_ns, int64_t known_ns) {
  return known_ns > 0 && duration_ns / factor > known_ns;
}

int64_t Shortest(const std::vector<int64_t>& durations_ns) {
  return *std::min_element(durations_ns.begin(), durations_ns.end());
}

int64_t Median(std::vector<int64_t> durations_ns) {
  const auto middle = durations_ns.begin() + durations_ns.size() / 2;
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  return *middle;
}

}  // namespace

int64_t ModeChoice::MedianNs(Driver driver) const {
  return typical(driver).empty() ? 0 : Median(typical(driver));
}

int64_t ModeChoice::ShortestNs(Driver driver) const {
  const std::vector<int64_t>& all_ns = typical(driver);
  if (all_ns.size() < kTypicalSteps) return 0;
  return Shortest(all_ns);
}

void ModeChoice::BeginPlan() {
  settled_ = Driver::kPlan;
  typical(Driver::kPlan).clear();
  last_.reset();
  gap_steps_ = kFirstGapSteps;
  settled_steps_ = settled_ns_ = 0;
  far_longer_steps_ = 0;
  trying_ = false;
}

void ModeChoice::Note(Driver driver, int64_t duration_ns) {
  const bool is_next = driver == next();
  const bool is_typical = driver == last_;
  last_ = driver;
  if (is_typical) AddTypical(driver, duration_ns);
  if (trying_) {
    ++trial_steps_;
    if (is_next && is_typical) ++trial_typical_;
    if (is_next && IsHopeless(duration_ns)) return GiveUpTrial(duration_ns);
    JudgeTrial();
  } else if (is_next) {
    ++settled_steps_;
    settled_ns_ += duration_ns;
    const bool far_longer =
        IsLongerBy(kFarLonger, duration_ns, MedianNs(Other(settled_)));
    far_longer_steps_ = far_longer ? far_longer_steps_ + 1 : 0;
    const bool fails =
        far_longer_steps_ >= kFarLongerSteps && !typical(settled_).empty();
    if (fails || (TrialIsDue() && TrialIsCheap())) BeginTrial();
  }
}

void ModeChoice::NoteDisturbed() {
  last_.reset();
  far_longer_steps_ = 0;
  if (trying_ && ++trial_steps_ >= kMostTrialSteps) EndTrial(/*won=*/false);
}

// A trial is judged by its own steps alone.
void ModeChoice::AddTypical(Driver driver, int64_t duration_ns) {
  std::vector<int64_t>& durations_ns = typical(driver);
  if (trying_ && driver == next() && trial_typical_ == 0) durations_ns.clear();
  if (durations_ns.size() == kTypicalSteps) {
    durations_ns.erase(durations_ns.begin());
  }
  durations_ns.push_back(duration_ns);
}

bool ModeChoice::TrialIsDue() const {
  return typical(settled_).size() >= kLeastTypicalSteps &&
         settled_steps_ >= StepsToTrial();
}

int64_t ModeChoice::StepsToTrial() const {
  const int64_t settled_ns = MedianNs(settled_);
  const bool looks_slower = !typical(Other(settled_)).empty() &&
                            IsShorter(MedianNs(Other(settled_)), settled_ns);
  if (looks_slower) return gap_steps_ / kRarer;
  return std::min(gap_steps_ * RarerBy(settled_ns), kMostGapSteps);
}

int64_t ModeChoice::RarerBy(int64_t settled_ns) const {
  if (settled_ != Driver::kPlan) return 1;
  if (!IsShorter(alone_ns_, settled_ns)) return kRarerIfHopeless;
  return alone_ns_ >= settled_ns * kNearAlonePercent / 100 ? kRarer : 1;
}

bool ModeChoice::TrialIsCheap() const {
  const std::vector<int64_t>& others_ns = typical(Other(settled_));
  if (others_ns.empty()) return true;
  int64_t shortest_ns = Shortest(others_ns);
  // It may be the profiled step, which touches pages for the first time.
  if (std::ssize(others_ns) < kMajority) shortest_ns /= kOneStepFactor;
  const int64_t cost_ns = kTrialSteps * (shortest_ns - MedianNs(settled_));
  return cost_ns <= settled_ns_ * kCostPercent / 100;
}

// The first step of a trial also brings tensors to other places.
bool ModeChoice::IsHopeless(int64_t duration_ns) const {
  return IsLongerBy(trial_typical_ == 0 ? kFarLongerAtFirst : kFarLonger,
                    duration_ns, MedianNs(settled_));
}

void ModeChoice::BeginTrial() {
  trying_ = true;
  trial_steps_ = trial_typical_ = far_longer_steps_ = 0;
}

// Says how much the next trial costs: in full, unlike one profiled step.
void ModeChoice::GiveUpTrial(int64_t duration_ns) {
  typical(next()).assign(kMajority, duration_ns);
  EndTrial(/*won=*/false);
}

void ModeChoice::JudgeTrial() {
  const std::vector<int64_t>& tried_ns = typical(next());
  const int64_t settled_ns = MedianNs(settled_);
  const auto shorter = std::count_if(
      tried_ns.end() - trial_typical_, tried_ns.end(),
      [=](int64_t duration_ns) { return IsShorter(duration_ns, settled_ns); });
  const bool most_shorter = shorter >= kMajority;
  const bool lost = trial_typical_ - shorter >= kMajority;
  if (!most_shorter && !lost && trial_steps_ < kMostTrialSteps) return;
  EndTrial(most_shorter &&
           IsShorter(Shortest(tried_ns), Shortest(typical(settled_))));
}

void ModeChoice::EndTrial(bool won) {
  trying_ = false;
  settled_steps_ = settled_ns_ = 0;
  if (won) settled_ = Other(settled_);
  gap_steps_ =
      won ? kFirstGapSteps : std::min(gap_steps_ * kRarer, kMostGapSteps);
}

}  // namespace stowage::runtime
