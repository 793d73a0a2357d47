#include "client_sdk/runtime/plans/mode_choice.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kMs = 1'000'000;

// What steps of each driver take, in milliseconds.
struct Speeds {
  double plan_ms;
  double demand_ms;
};

// A job whose first profile was answered by a plan.
class TimedSteps {
 public:
  explicit TimedSteps(Speeds speeds) : speeds_(speeds) {
    choice_.Note(Driver::kDemand, InNs(speeds.demand_ms));
    choice_.BeginPlan();
  }

  // Steps take what `noise` makes of their typical duration.
  void SetNoise(std::function<double()> noise) { noise_ = std::move(noise); }
  void SetSpeeds(Speeds speeds) { speeds_ = speeds; }

  Driver Step() {
    const Driver driver = choice_.next();
    trials_ += choice_.trying();
    demand_steps_ += driver == Driver::kDemand;
    const double noise = noise_();
    total_ms_ += Typical(driver) * noise;
    ideal_ms_ += std::min(speeds_.plan_ms, speeds_.demand_ms) * noise;
    choice_.Note(driver, InNs(Typical(driver) * noise));
    return driver;
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) Step();
  }
  // Steps until the driver is settled. Returns how many it took, or `most`.
  int StepsUntil(Driver settled, int most) {
    int steps = 0;
    while (steps < most && (choice_.trying() || choice_.next() != settled)) {
      Step();
      ++steps;
    }
    return steps;
  }

  ModeChoice& choice() { return choice_; }
  int trials() const { return trials_; }  // steps of trials
  int demand_steps() const { return demand_steps_; }
  double total_ms() const { return total_ms_; }
  // What the same steps take that all have the faster driver.
  double ideal_ms() const { return ideal_ms_; }

 private:
  static int64_t InNs(double ms) { return static_cast<int64_t>(ms * kMs); }
  double Typical(Driver driver) const {
    return driver == Driver::kPlan ? speeds_.plan_ms : speeds_.demand_ms;
  }

  ModeChoice choice_;
  Speeds speeds_;
  std::function<double()> noise_ = [] { return 1.0; };
  int trials_ = 0;
  int demand_steps_ = 0;
  double total_ms_ = 0;
  double ideal_ms_ = 0;
};

// Other jobs take up to `share` of the time, and a step in `every` stalls.
std::function<double()> Noise(double share, int every, uint32_t seed) {
  std::mt19937 random(seed);
  return [=]() mutable {
    const double burst = random() % every == 0 ? 3.0 : 0.0;
    return 1 + burst + share * static_cast<double>(random() % 1000) / 1000;
  };
}

TEST(ModeChoiceTest, ThePlanDrivesFirst) {
  ModeChoice choice;
  EXPECT_EQ(choice.next(), Driver::kPlan);
  EXPECT_FALSE(choice.trying());
  EXPECT_EQ(choice.MedianNs(Driver::kPlan), 0);
}

TEST(ModeChoiceTest, DemandModeTakesOverFromASlowerPlanWithinTenSteps) {
  TimedSteps job({.plan_ms = 250, .demand_ms = 170});
  EXPECT_LE(job.StepsUntil(Driver::kDemand, 100), 10);
  job.Steps(20);
  EXPECT_EQ(job.choice().MedianNs(Driver::kDemand), 170 * kMs);
  EXPECT_EQ(job.choice().MedianNs(Driver::kPlan), 250 * kMs);
}

TEST(ModeChoiceTest, APlanThatOthersDisturbStaysWhereItsBestStepsAreShorter) {
  TimedSteps job({.plan_ms = 200, .demand_ms = 230});
  int planned = 0;
  job.SetNoise([&] {
    const bool plan = job.choice().next() == Driver::kPlan;
    return plan && planned++ % 3 != 2 ? 1.5 : 1.0;
  });
  job.Steps(300);
  EXPECT_GT(job.choice().MedianNs(Driver::kPlan), 250 * kMs);
  EXPECT_GT(job.trials(), 0);
  EXPECT_EQ(job.demand_steps(), job.trials());
}

TEST(ModeChoiceTest, AFasterPlanStays) {
  TimedSteps job({.plan_ms = 170, .demand_ms = 250});
  for (int i = 0; i < 2000; ++i) {
    if (!job.choice().trying()) {
      EXPECT_EQ(job.choice().next(), Driver::kPlan);
    }
    job.Step();
  }
  EXPECT_GT(job.demand_steps(), 0);
}

TEST(ModeChoiceTest, TrialsCostTwoPercentHoweverSlowDemandModeIs) {
  for (const double slowdown : {1.02, 1.2, 2.0, 10.0, 80.0}) {
    TimedSteps job({.plan_ms = 100, .demand_ms = 100 * slowdown});
    constexpr int kSteps = 5000;
    job.Steps(kSteps);
    EXPECT_LE(job.total_ms(), 1.02 * 100 * kSteps) << slowdown;
  }
}

TEST(ModeChoiceTest, TrialsCostTwoPercentHoweverSlowThePlanIs) {
  for (const double slowdown : {1.2, 2.0, 10.0}) {
    TimedSteps job({.plan_ms = 100 * slowdown, .demand_ms = 100});
    job.StepsUntil(Driver::kDemand, 100);
    const double before_ms = job.total_ms();
    constexpr int kSteps = 5000;
    job.Steps(kSteps);
    EXPECT_LE(job.total_ms() - before_ms, 1.02 * 100 * kSteps) << slowdown;
  }
}

TEST(ModeChoiceTest, TrialsBecomeRare) {
  TimedSteps job({.plan_ms = 100, .demand_ms = 100});
  job.Steps(100);
  EXPECT_LE(job.trials(), 8);
  const int before = job.trials();
  job.Steps(10'000);
  EXPECT_LE(job.trials() - before, 10'000 / 256 + 8);
  EXPECT_GE(job.trials() - before, 10);  // and never end
}

TEST(ModeChoiceTest, OfTwoThatAreAboutEqualTheSettledOneStays) {
  TimedSteps job({.plan_ms = 100, .demand_ms = 97});
  job.Steps(1000);
  EXPECT_GT(job.trials(), 0);
  EXPECT_EQ(job.demand_steps(), job.trials());
}

TEST(ModeChoiceTest, TheShortestOfNineTypicalStepsIsKnown) {
  ModeChoice choice;
  choice.BeginPlan();
  choice.Note(Driver::kPlan, 1 * kMs);
  for (int i = 9; i > 1; --i) {
    choice.Note(Driver::kPlan, i * 10 * kMs);
    EXPECT_EQ(choice.ShortestNs(Driver::kPlan), 0);
  }
  choice.Note(Driver::kPlan, 90 * kMs);
  EXPECT_EQ(choice.ShortestNs(Driver::kPlan), 20 * kMs);
}

TEST(ModeChoiceTest, TheFirstStepAfterAChangeIsNotCounted) {
  ModeChoice choice;
  choice.Note(Driver::kDemand, 10 * kMs);
  choice.BeginPlan();
  choice.Note(Driver::kPlan, 900 * kMs);
  EXPECT_EQ(choice.MedianNs(Driver::kPlan), 0);
  choice.Note(Driver::kPlan, 20 * kMs);
  EXPECT_EQ(choice.MedianNs(Driver::kPlan), 20 * kMs);
  choice.NoteDisturbed();
  choice.Note(Driver::kPlan, 900 * kMs);
  EXPECT_EQ(choice.MedianNs(Driver::kPlan), 20 * kMs);
}

// Returns in how many of 50 jobs of 600 steps noise cost more than 5 % of the
// time.
int CountMisled(Speeds speeds) {
  int misled = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    TimedSteps job(speeds);
    job.SetNoise(Noise(/*share=*/0.3, /*every=*/12, seed));
    job.Steps(600);
    misled += job.total_ms() > 1.05 * job.ideal_ms();
  }
  return misled;
}

TEST(ModeChoiceTest, SettlesOnTheFasterOneInSpiteOfNoise) {
  EXPECT_LE(CountMisled({.plan_ms = 150, .demand_ms = 100}), 5);
  EXPECT_LE(CountMisled({.plan_ms = 100, .demand_ms = 150}), 5);
  EXPECT_LE(CountMisled({.plan_ms = 100, .demand_ms = 100}), 0);
}

// Returns after how many planned steps of 250 ms demand mode is tried, whose
// only step took `first_ms`.
int StepsUntilTrial(int64_t first_ms) {
  ModeChoice choice;
  choice.Note(Driver::kDemand, first_ms * kMs);
  choice.BeginPlan();
  int steps = 0;
  for (; !choice.trying() && steps < 1000; ++steps) {
    choice.Note(Driver::kPlan, 250 * kMs);
  }
  return steps;
}

TEST(ModeChoiceTest, ASlowFirstStepOfDemandModeOnlyPutsTheTrialOff) {
  EXPECT_LE(StepsUntilTrial(/*first_ms=*/700), 10);
  EXPECT_GT(StepsUntilTrial(/*first_ms=*/2500), 100);
}

// Returns how many of 100 steps of 105 ms each way are in demand mode, where the
// plan says that training alone takes so long.
int DemandStepsBeside(int64_t alone_ms) {
  TimedSteps job({.plan_ms = 105, .demand_ms = 105});
  job.choice().NoteAlone(alone_ms * kMs);
  job.Steps(100);
  return job.demand_steps();
}

TEST(ModeChoiceTest, WherePlansLoseNothingDemandModeIsHardlyTried) {
  EXPECT_EQ(DemandStepsBeside(/*alone_ms=*/104), 0);
  EXPECT_EQ(DemandStepsBeside(/*alone_ms=*/92), 3);
  EXPECT_GE(DemandStepsBeside(/*alone_ms=*/80), 4);
  EXPECT_GE(DemandStepsBeside(/*alone_ms=*/0), 4);
}

TEST(ModeChoiceTest, AWrongTimeOfTrainingAloneIsFoundOut) {
  TimedSteps job({.plan_ms = 100, .demand_ms = 200});
  job.choice().NoteAlone(120 * kMs);  // of a profile that was far slower
  job.SetSpeeds({.plan_ms = 100, .demand_ms = 80});
  EXPECT_LE(job.StepsUntil(Driver::kDemand, 1000), 140);
}

TEST(ModeChoiceTest, NoticesThatThePlanHasBecomeSlower) {
  TimedSteps job({.plan_ms = 100, .demand_ms = 120});
  job.Steps(400);
  job.SetSpeeds({.plan_ms = 180, .demand_ms = 120});
  EXPECT_LE(job.StepsUntil(Driver::kDemand, 2000), 1024 / 4 + 20);
}

TEST(ModeChoiceTest, NoticesThatThePlanHasBecomeFaster) {
  TimedSteps job({.plan_ms = 150, .demand_ms = 100});
  ASSERT_LT(job.StepsUntil(Driver::kDemand, 100), 100);
  job.SetSpeeds({.plan_ms = 60, .demand_ms = 100});
  EXPECT_LT(job.StepsUntil(Driver::kPlan, 5000), 2000);
}

TEST(ModeChoiceTest, WhereBothBecomeSlowerTheFasterOneComesBack) {
  TimedSteps job({.plan_ms = 100, .demand_ms = 130});
  job.Steps(200);
  job.SetSpeeds({.plan_ms = 300, .demand_ms = 390});
  job.Steps(2000);
  const int before = job.demand_steps();
  job.Steps(1000);
  EXPECT_LE(job.demand_steps() - before, 8);
}

TEST(ModeChoiceTest, AnotherPlanIsComparedAnew) {
  TimedSteps job({.plan_ms = 250, .demand_ms = 170});
  job.StepsUntil(Driver::kDemand, 100);
  job.Steps(50);
  job.SetSpeeds({.plan_ms = 120, .demand_ms = 170});
  job.choice().BeginPlan();
  EXPECT_EQ(job.choice().next(), Driver::kPlan);
  EXPECT_EQ(job.choice().MedianNs(Driver::kDemand), 170 * kMs);
  const int before = job.demand_steps();
  job.Steps(100);
  EXPECT_LE(job.demand_steps() - before, 4);
}

TEST(ModeChoiceTest, ATrialOfAPlanThatNeverComesToItsEndIsGivenUp) {
  TimedSteps job({.plan_ms = 250, .demand_ms = 170});
  ASSERT_LT(job.StepsUntil(Driver::kDemand, 100), 100);
  int steps = 0;
  while (!job.choice().trying() && steps++ < 1000) job.Step();
  ASSERT_TRUE(job.choice().trying());
  // It is left, or cannot begin and demand mode drives.
  for (int i = 0; i < 4; ++i) {
    job.choice().NoteDisturbed();
    job.choice().Note(Driver::kDemand, 170 * kMs);
  }
  EXPECT_FALSE(job.choice().trying());
  EXPECT_EQ(job.choice().next(), Driver::kDemand);
}

TEST(ModeChoiceTest, APlanThatIsFarSlowerDrivesTwoSteps) {
  TimedSteps steps({.plan_ms = 10'000, .demand_ms = 100});
  EXPECT_LE(steps.StepsUntil(Driver::kDemand, 10), 5);
  EXPECT_LT(steps.total_ms(), 21'000);
  // Each trial of the plan, too, is one step.
  steps.Steps(500);
  EXPECT_LE(steps.total_ms() - 100 * steps.demand_steps(), 40'000);
}

TEST(ModeChoiceTest, ATrialThatIsFarSlowerIsOneStep) {
  TimedSteps steps({.plan_ms = 100, .demand_ms = 100});
  steps.SetSpeeds({.plan_ms = 100, .demand_ms = 10'000});
  steps.Steps(9);
  EXPECT_EQ(steps.trials(), 1);
  EXPECT_EQ(steps.choice().next(), Driver::kPlan);
  steps.Steps(1000);
  EXPECT_EQ(steps.trials(), 1);
}

TEST(ModeChoiceTest, OneSlowStepBeginsNoTrial) {
  TimedSteps steps({.plan_ms = 90, .demand_ms = 100});
  int step = 0;
  steps.SetNoise([&step] { return ++step == 4 ? 50.0 : 1.0; });
  steps.Steps(7);
  EXPECT_EQ(steps.trials(), 0);
}

TEST(ModeChoiceTest, DurationsOfAnySizeAreTaken) {
  ModeChoice choice;
  for (int i = 0; i < 3000; ++i) {
    choice.Note(choice.next(), i % 2 == 0 ? 0 : int64_t{1} << 50);
  }
}

}  // namespace
}  // namespace stowage::runtime
