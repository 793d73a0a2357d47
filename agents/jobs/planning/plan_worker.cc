#include "agents/jobs/planning/plan_worker.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/jobs/planning/kernels_alone.h"
#include "agents/jobs/planning/limit_curve.h"
#include "agents/jobs/planning/limit_search.h"
#include "agents/jobs/planning/limit_too_small.h"
#include "agents/jobs/planning/plan_table.h"
#include "agents/jobs/planning/profile_drift.h"
#include "agents/jobs/planning/streamed_scratch.h"
#include "agents/jobs/records/captured_profile.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/jobs/records/whole_file.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/limit_growth.h"

namespace stowage::agent {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(10);
constexpr size_t kMostKnownPlans = 64;
// The most plans that wait for the job, which takes one at a step boundary.
// More are dropped.
constexpr size_t kMostReadyPlans = 4;
// For each plan of a curve. Jobs and service may share processors, and the
// curve of thorough plans has the same shape.
constexpr absl::Duration kCurveThinkTime = absl::Milliseconds(200);

// Returns the graph, serialised, without what differs from step to step.
std::string StructureOf(const v1::Graph& graph) {
  v1::Graph structure = graph;
  for (v1::Kernel& kernel : *structure.mutable_kernels()) {
    kernel.clear_profile();
    kernel.clear_gap_ns();
    kernel.clear_streamed();
    for (v1::Operand& operand : *kernel.mutable_operands()) {
      operand.clear_streamed();
    }
  }
  return structure.SerializeAsString();
}

}  // namespace

PlanWorker::PlanWorker(session::Segment* segment, EventWriter* events,
                       LimitOrders* limits, AskedCurve* asked_curve,
                       DeliveredPlans* delivered, ServiceLink* service,
                       CopyTimes* copy_times, JobUsage* usage, v1::Job job,
                       PlanWorkerOptions options)
    : segment_(segment),
      events_(events),
      limits_(limits),
      asked_curve_(asked_curve),
      delivered_(delivered),
      service_(service),
      copy_times_(copy_times),
      usage_(usage),
      job_(std::move(job)),
      options_(std::move(options)),
      profiles_taken_(segment->profiles_taken.load()),
      profiles_refused_(segment->profiles_refused.load()),
      plans_written_(segment->plans_written.load()),
      forecast_(&segment->report),
      next_refresh_ns_(NextRefreshNs()),
      thread_([this] { Run(); }) {}

PlanWorker::~PlanWorker() {
  if (!stop_.HasRung()) RequestStop();
  thread_.join();
}

void PlanWorker::RequestStop() {
  stop_.Ring();
  canceller_.Cancel();
  {
    absl::MutexLock lock(&giving_way_);
    if (background_canceller_ != nullptr) background_canceller_->Cancel();
  }
  absl::MutexLock lock(&telling_);  // TellOfPlan() has ended, or tells nothing
}

void PlanWorker::Run() {
  const ThreadUsage usage(usage_);
  while (!stop_.AwaitFor(kPollInterval)) {
    if (ProfileWaits()) TakeProfile();
    if (RefreshIsDue()) Refresh();
    if (RetryIsDue()) Retry();
    if (!ready_.empty()) {
      Deliver();
    } else if (!drifted_.empty()) {
      PlanDrifted();
    } else if (!known_.empty()) {
      AnswerCurve();
    }
  }
}

bool PlanWorker::ProfileWaits() const {
  return segment_->profiles_written.load(std::memory_order_acquire) !=
         profiles_taken_;
}

int64_t PlanWorker::NextRefreshNs() const {
  return session::NowNs() + absl::ToInt64Nanoseconds(options_.refresh_interval);
}

bool PlanWorker::RefreshIsDue() const {
  return session::NowNs() >= next_refresh_ns_ && service_->connected() &&
         service_->CapabilitiesOf(options_.policy).needs_training();
}

void PlanWorker::Refresh() {
  for (auto& [structure, known] : known_) {
    if (IsOfLimitInForce(known.basis)) Refresh(&known);
  }
  next_refresh_ns_ = NextRefreshNs();
}

void PlanWorker::Refresh(KnownPlan* known) {
  const v1::MemorySystem system =
      ScaleCopies(copy_times_->system(), known->basis.copy_factors);
  absl::StatusOr<v1::MakePlanResponse> made =
      service_->MakePlan({.graph_id = known->made.plan().graph_id(),
                          .system = system,
                          .fast_limit_bytes = known->basis.fast_limit_bytes,
                          .policy = options_.policy,
                          .canceller = &canceller_});
  // The job keeps its plan if there is no better one.
  if (!made.ok() || stop_.HasRung()) return;
  if (made->plan().SerializeAsString() ==
      known->made.plan().SerializeAsString()) {
    return;
  }
  known->made = *made;
  KeepPlan(known->profile, known->binding.graph, system, made->plan());
  TellOfPlan(made->plan(), known->basis.fast_limit_bytes);
  MakeReady({*std::move(made), known->binding});
}

void PlanWorker::TakeProfile() {
  const absl::StatusOr<CapturedProfile> profile =
      CopyProfile(segment_->profile);
  // One copy takes what is there now, however many profiles the job has
  // counted.
  profiles_taken_ = segment_->profiles_written.load(std::memory_order_acquire);
  segment_->profiles_taken.store(profiles_taken_, std::memory_order_release);
  if (!profile.ok()) return Refuse(profile.status());
  GraphBinding binding = BuildGraph(*profile);
  TakeOutSlowdowns(*profile, copy_times_->system(), &binding.graph);
  Keep(profiles_taken_, "graph", binding.graph);
  // Somebody may have set another limit meanwhile.
  const bool is_awaited = limits_->in_force().is_awaited != 0;
  if (options_.slowdown > 0 && granted_bytes_ == 0 && is_awaited) {
    GrantLimit(binding.graph,
               profile->tensor_peak_bytes + profile->unmanaged_peak_bytes);
  }
  absl::StatusOr<v1::MakePlanResponse> made = PlanFor(&binding);
  if (stop_.HasRung()) return;
  if (!made.ok()) {
    forecast_.NoteNoPlan(made.status(), binding.graph, profile->duration_ns);
    Refuse(made.status());
    if (absl::IsUnavailable(made.status())) KeepUnplanned(std::move(binding));
    return;
  }
  MakeReady({*std::move(made), std::move(binding)});
}

// The job profiles each kind of step once, and says nothing more of it.
void PlanWorker::KeepUnplanned(GraphBinding binding) {
  std::string structure = StructureOf(binding.graph);
  std::erase_if(unplanned_, [&](const UnplannedStep& step) {
    return step.structure == structure;
  });
  if (unplanned_.size() == kMostReadyPlans) unplanned_.pop_front();
  unplanned_.push_back({std::move(structure), std::move(binding)});
  next_retry_ns_ = NextRetryNs();
}

int64_t PlanWorker::NextRetryNs() const {
  return session::NowNs() + absl::ToInt64Nanoseconds(options_.retry_interval);
}

bool PlanWorker::RetryIsDue() const {
  return !unplanned_.empty() && session::NowNs() >= next_retry_ns_;
}

void PlanWorker::Retry() {
  next_retry_ns_ = NextRetryNs();
  GraphBinding binding = unplanned_.front().binding;
  absl::StatusOr<v1::MakePlanResponse> made = PlanFor(&binding);
  if (stop_.HasRung() || absl::IsUnavailable(made.status())) return;
  unplanned_.pop_front();
  if (!made.ok()) return Refuse(made.status());
  MakeReady({*std::move(made), std::move(binding)});
}

void PlanWorker::MakeReady(ReadyPlan ready) {
  if (ready_.size() == kMostReadyPlans) ready_.pop_front();
  ready_.push_back(std::move(ready));
}

// The service keeps the plans, so that the one for this limit is there already.
void PlanWorker::GrantLimit(const v1::Graph& graph, int64_t most_bytes) {
  const double most_ns =
      (1 + options_.slowdown) * static_cast<double>(KernelsNs(graph));
  const auto plan =
      [&](int64_t limit_bytes) -> absl::StatusOr<v1::MakePlanResponse> {
    return service_->MakePlan({.graph = graph,
                               .system = copy_times_->system(),
                               .fast_limit_bytes = limit_bytes,
                               .policy = options_.policy,
                               .canceller = &canceller_});
  };
  const absl::StatusOr<int64_t> limit_bytes =
      FindLimit(std::min(most_bytes, options_.capacity_bytes.front()),
                static_cast<int64_t>(most_ns), plan);
  if (stop_.HasRung()) return;
  if (!limit_bytes.ok()) {
    return events_->Append("no-limit-found", limit_bytes.status().message());
  }
  granted_bytes_ = *limit_bytes;
  forecast_.NoteFoundLimit(granted_bytes_);
  limits_->SetLimit({.bytes = granted_bytes_});
  limits_->Poll();
}

void PlanWorker::AnswerCurve() {
  const std::optional<CurveRange> range = asked_curve_->Take(session::NowNs());
  if (!range.has_value()) return;
  absl::StatusOr<StepCurve> curve = MakeCurve(*range);
  if (curve.ok()) return asked_curve_->Answer(*std::move(curve));
  if (absl::IsCancelled(curve.status())) return asked_curve_->PutBack();
  asked_curve_->AskAgain();
  if (std::exchange(told_no_curve_, true)) return;
  events_->Append("no-curve", curve.status().message());
}

// The longest kind of step stands for the job. A policy that needs training
// would be trained for each limit, so the default one stands for it.
absl::StatusOr<StepCurve> PlanWorker::MakeCurve(const CurveRange& range) {
  const KnownPlan& known = std::max_element(known_.begin(), known_.end(),
                                            [](const auto& a, const auto& b) {
                                              return a.second.basis.kernels_ns <
                                                     b.second.basis.kernels_ns;
                                            })
                               ->second;
  PlanQuery query{
      .graph = known.binding.graph,
      .system = ScaleCopies(copy_times_->system(), known.basis.copy_factors),
      .think_time = kCurveThinkTime,
      .canceller = &canceller_};
  if (!service_->CapabilitiesOf(options_.policy).needs_training()) {
    query.policy = options_.policy;
  }
  return PlanCurve(
      range, [&](int64_t limit_bytes) -> absl::StatusOr<v1::MakePlanResponse> {
        if (ProfileWaits()) {
          return absl::CancelledError("something else comes first");
        }
        query.fast_limit_bytes = limit_bytes;
        return service_->MakePlan(query);
      });
}

int64_t PlanWorker::FastLimitBytes() const {
  // What has been found is in force only when the plan for it is there.
  const int64_t in_force =
      segment_->report.limit_bytes.load(std::memory_order_acquire);
  const bool comes = granted_bytes_ > 0 && limits_->in_force().is_awaited != 0;
  const int64_t limit = comes ? granted_bytes_ : in_force;
  const int64_t bound = options_.capacity_bytes.front();
  const int64_t bytes = limit > 0 ? std::min(limit, bound) : bound;
  return bytes / session::kPageBytes * session::kPageBytes;
}

absl::StatusOr<v1::MakePlanResponse> PlanWorker::PlanFor(
    GraphBinding* binding) {
  std::string structure = StructureOf(binding->graph);
  ForgetDrifted(binding->signature);
  const auto found = known_.find(structure);
  KnownPlan* known = found != known_.end() ? &found->second : nullptr;
  std::vector<int64_t> gaps_ns = GapsNs(binding->graph);
  if (known != nullptr) {
    KeepMeasured(known->binding.graph, &binding->graph);
    DropPauses(known->gaps_ns, &binding->graph);
  }
  const Basis basis{.fast_limit_bytes = FastLimitBytes(),
                    .kernels_ns = KernelsNs(binding->graph),
                    .copy_factors = copy_times_->TakeFactors()};
  if (known == nullptr || !IsOfLimitInForce(known->basis)) {
    // A job that has many kinds of step would wait for the plan of each, and one
    // whose limit changes for each again.
    const bool brief = !known_.empty();
    absl::StatusOr<v1::MakePlanResponse> made = MakePlan(
        binding, basis,
        {.replan = known != nullptr, .brief = brief, .canceller = &canceller_});
    if (made.ok()) {
      NoteMade(*made, {.structure = std::move(structure),
                       .binding = *binding,
                       .gaps_ns = std::move(gaps_ns),
                       .basis = basis,
                       .profile = profiles_taken_,
                       .brief = brief});
      return made;
    }
    // The job keeps its plan if there is no other.
    if (known == nullptr) return made;
  } else if (known->brief || TimesHaveDrifted(known->basis, basis)) {
    drifted_.push_back({.structure = std::move(structure),
                        .binding = *binding,
                        .gaps_ns = gaps_ns,
                        .basis = basis,
                        .profile = profiles_taken_});
  }
  known->binding = *binding;
  known->gaps_ns = std::move(gaps_ns);
  return known->made;
}

bool PlanWorker::IsOfLimitInForce(const Basis& basis) const {
  return !session::LimitHasChanged(basis.fast_limit_bytes, FastLimitBytes());
}

bool PlanWorker::TimesHaveDrifted(const Basis& planned, const Basis& now) {
  return HasDrifted(planned.kernels_ns, now.kernels_ns) ||
         HaveDrifted(planned.copy_factors, now.copy_factors);
}

void PlanWorker::NoteMade(const v1::MakePlanResponse& made, MeasuredStep step) {
  TellOfPlan(made.plan(), step.basis.fast_limit_bytes);
  const auto known = known_.find(step.structure);
  // Another limit makes no other curve.
  if (known == known_.end() ||
      TimesHaveDrifted(known->second.basis, step.basis)) {
    asked_curve_->AskAgain();
  }
  if (known == known_.end() && known_.size() == kMostKnownPlans) return;
  known_[std::move(step.structure)] = {made,
                                       std::move(step.binding),
                                       std::move(step.gaps_ns),
                                       step.basis,
                                       step.profile,
                                       step.brief};
}

void PlanWorker::ForgetDrifted(uint64_t signature) {
  std::erase_if(drifted_, [=](const MeasuredStep& step) {
    return step.binding.signature == signature;
  });
}

void PlanWorker::PlanDrifted() {
  MeasuredStep step = drifted_.front();
  if (!IsOfLimitInForce(step.basis)) return drifted_.pop_front();
  Canceller canceller;
  {
    absl::MutexLock lock(&giving_way_);
    background_canceller_ = &canceller;
  }
  absl::StatusOr<v1::MakePlanResponse> made = absl::CancelledError("it stops");
  if (!stop_.HasRung()) {
    made =
        MakePlan(&step.binding, step.basis,
                 {.replan = true, .background = true, .canceller = &canceller});
  }
  {
    absl::MutexLock lock(&giving_way_);
    background_canceller_ = nullptr;
  }
  if (stop_.HasRung() || canceller.cancelled()) return;
  drifted_.pop_front();
  if (!made.ok()) return;  // the job keeps its plan
  MakeReady({*made, step.binding});
  NoteMade(*made, std::move(step));
}

void PlanWorker::GiveWay() {
  if (segment_->profiles_written.load(std::memory_order_acquire) ==
      segment_->profiles_taken.load(std::memory_order_acquire)) {
    return;
  }
  absl::MutexLock lock(&giving_way_);
  if (background_canceller_ != nullptr) background_canceller_->Cancel();
}

absl::StatusOr<v1::MakePlanResponse> PlanWorker::MakePlan(GraphBinding* binding,
                                                          const Basis& basis,
                                                          PlanQuery query) {
  query.system = ScaleCopies(copy_times_->system(), basis.copy_factors);
  query.fast_limit_bytes = basis.fast_limit_bytes;
  query.policy = options_.policy;
  const auto plan = [&](const v1::Graph& graph) {
    query.graph = graph;
    absl::StatusOr<v1::MakePlanResponse> made = service_->MakePlan(query);
    if (made.ok()) KeepPlan(profiles_taken_, graph, query.system, made->plan());
    return made;
  };
  const auto streaming = [&](Scratch which) {
    return StreamScratch(binding->graph, basis.fast_limit_bytes, which);
  };
  if (std::optional<v1::Graph> better = streaming(Scratch::kIfBetter)) {
    binding->graph = *std::move(better);
  }
  absl::StatusOr<v1::MakePlanResponse> made = plan(binding->graph);
  if (!LimitTooSmallOf(made.status())) return made;
  std::optional<v1::Graph> all = streaming(Scratch::kAll);
  if (!all.has_value()) return made;
  absl::StatusOr<v1::MakePlanResponse> streams = plan(*all);
  if (!streams.ok()) return made;
  binding->graph = *std::move(all);
  return streams;
}

void PlanWorker::TellOfPlan(const v1::Plan& plan, int64_t fast_limit_bytes) {
  absl::MutexLock lock(&telling_);
  if (stop_.HasRung()) return;
  job_.set_fast_limit_bytes(fast_limit_bytes);
  job_.set_graph_id(plan.graph_id());
  job_.set_policy(plan.policy());
  service_->StartJob(job_);
}

void PlanWorker::KeepPlan(uint64_t profile, const v1::Graph& graph,
                          const v1::MemorySystem& system,
                          const v1::Plan& plan) {
  Keep(profile, "graph", graph);  // not the profiled one where scratch streams
  Keep(profile, "system", system);
  Keep(profile, "plan", plan);
}

void PlanWorker::Keep(uint64_t profile, absl::string_view what,
                      const google::protobuf::Message& message) {
  if (options_.graph_path_stem.empty()) return;
  const std::string path =
      absl::StrCat(options_.graph_path_stem, "-", profile, ".", what, ".pb");
  const absl::Status status = WriteWholeFile(path, message.SerializeAsString());
  if (!status.ok()) events_->Append("graph-not-written", status.message());
}

// Writes the next plan, if the job has taken the one before. The job reads slot
// n % 2 as soon as plans_written says n, and may use the other slot until it
// has taken n.
void PlanWorker::Deliver() {
  if (segment_->plans_taken.load(std::memory_order_acquire) != plans_written_) {
    return;
  }
  const ReadyPlan ready = std::move(ready_.front());
  ready_.pop_front();
  const uint64_t number = plans_written_ + 1;
  const absl::Status status =
      FillPlanArea(ready.made.plan(), ready.binding, options_.capacity_bytes,
                   &segment_->plans[number % 2]);
  if (!status.ok()) {
    forecast_.NoteNoPlan(status, ready.binding.graph, /*step_ns=*/0);
    return Refuse(status);
  }
  forecast_.NotePlan(ready.made.plan(), ready.binding.graph);
  SetText(segment_->report.policy, ready.made.plan().policy());
  delivered_->Add(number,
                  DeliveredPlanOf(ready.made.plan_id(), ready.binding.graph));
  plans_written_ = number;
  segment_->plans_written.store(number, std::memory_order_release);
  session::FutexRing(segment_->plan_bell);
}

void PlanWorker::Refuse(const absl::Status& status) {
  events_->Append("no-plan",
                  absl::StrCat(absl::StatusCodeToString(status.code()), ": ",
                               status.message()));
  segment_->profiles_refused.store(++profiles_refused_,
                                   std::memory_order_release);
  session::FutexRing(segment_->plan_bell);
}

}  // namespace stowage::agent
