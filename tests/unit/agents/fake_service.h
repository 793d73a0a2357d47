// Plays a placement service that answers at once with what the test wants.
//
//   FakeService service;
//   service.SetAnswer([](const PlanQuery& query) { return MyPlan(query); });
#ifndef STOWAGE_TESTS_UNIT_AGENTS_FAKE_SERVICE_H_
#define STOWAGE_TESTS_UNIT_AGENTS_FAKE_SERVICE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agents/jobs/planning/service_link.h"

namespace stowage::agent {

class FakeService : public ServiceLink {
 public:
  // Is called on the worker's thread, and may block.
  using Answer = std::function<absl::StatusOr<v1::Plan>(const PlanQuery&)>;

  void SetAnswer(Answer answer) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
  }
  void SetConnected(bool connected) { connected_ = connected; }

  // Is called on the stream's thread.
  using Place =
      std::function<absl::StatusOr<v1::PlaceResponse>(const v1::PlaceRequest&)>;
  void SetPlace(Place place) {
    absl::MutexLock lock(&mutex_);
    place_ = std::move(place);
  }

  absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const PlanQuery& query) override {
    absl::StatusOr<v1::Plan> plan = NextAnswer(query)(query);
    if (!plan.ok()) return plan.status();
    v1::MakePlanResponse made;
    made.set_plan_id("plan of the fake service");
    *made.mutable_plan() = *std::move(plan);
    return made;
  }
  // Sets the capabilities of every policy; none by default.
  void SetCapabilities(const v1::PolicyCapabilities& capabilities) {
    absl::MutexLock lock(&mutex_);
    capabilities_ = capabilities;
  }
  v1::PolicyCapabilities CapabilitiesOf(const std::string&) const override {
    absl::MutexLock lock(&mutex_);
    return capabilities_;
  }
  absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() override {
    absl::MutexLock lock(&mutex_);
    ++placements_opened_;
    return std::make_unique<FakePlacement>(place_);
  }
  void StartJob(const v1::Job& job) override {
    absl::MutexLock lock(&mutex_);
    started_.push_back(job);
  }
  void FinishJob(const std::string& job_id) override {
    absl::MutexLock lock(&mutex_);
    finished_.push_back(job_id);
  }
  void ReportSteps(std::vector<v1::StepTelemetry> steps) override {
    absl::MutexLock lock(&mutex_);
    for (v1::StepTelemetry& step : steps) steps_.push_back(std::move(step));
  }
  // Orders a limit, until an outcome is reported.
  void Order(const v1::ResizeOrder& order) {
    absl::MutexLock lock(&mutex_);
    order_ = order;
  }
  std::optional<v1::ResizeOrder> OrderOf(
      const std::string& job_id) const override {
    absl::MutexLock lock(&mutex_);
    return order_ && order_->job_id() == job_id ? order_ : std::nullopt;
  }
  void ReportOutcome(const v1::ResizeOutcome& outcome) override {
    absl::MutexLock lock(&mutex_);
    outcomes_.push_back(outcome);
    order_.reset();
  }
  void Close() override {}
  bool connected() const override { return connected_; }
  bool registered() const override { return connected_; }

  int placements_opened() {
    absl::MutexLock lock(&mutex_);
    return placements_opened_;
  }
  std::vector<PlanQuery> queries() {
    absl::MutexLock lock(&mutex_);
    return queries_;
  }
  std::vector<v1::Job> started() {
    absl::MutexLock lock(&mutex_);
    return started_;
  }
  std::vector<std::string> finished() {
    absl::MutexLock lock(&mutex_);
    return finished_;
  }
  std::vector<v1::ResizeOutcome> outcomes() {
    absl::MutexLock lock(&mutex_);
    return outcomes_;
  }
  std::vector<v1::StepTelemetry> steps() {
    absl::MutexLock lock(&mutex_);
    return steps_;
  }

 private:
  Answer NextAnswer(const PlanQuery& query) {
    absl::MutexLock lock(&mutex_);
    queries_.push_back(query);
    return answer_;
  }

  class FakePlacement : public PlacementStream {
   public:
    explicit FakePlacement(Place place) : place_(std::move(place)) {}
    absl::StatusOr<v1::PlaceResponse> Ask(
        const v1::PlaceRequest& request) override {
      return place_(request);
    }
    void Cancel() override {}

   private:
    const Place place_;
  };

  mutable absl::Mutex mutex_;
  v1::PolicyCapabilities capabilities_ ABSL_GUARDED_BY(mutex_);
  Place place_ ABSL_GUARDED_BY(mutex_) = [](const v1::PlaceRequest&) {
    return absl::FailedPreconditionError("no DQN policy serves");
  };
  int placements_opened_ ABSL_GUARDED_BY(mutex_) = 0;
  Answer answer_ ABSL_GUARDED_BY(mutex_) = [](const PlanQuery&) {
    return absl::NotFoundError("no answer was set");
  };
  std::vector<PlanQuery> queries_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::Job> started_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> finished_ ABSL_GUARDED_BY(mutex_);
  std::optional<v1::ResizeOrder> order_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::ResizeOutcome> outcomes_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::StepTelemetry> steps_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> connected_{true};
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_FAKE_SERVICE_H_
