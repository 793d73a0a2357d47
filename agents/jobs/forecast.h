// What a job's steps are expected to take, for the people behind it: planned or
// not, how much slower than training alone, and which limit would plan.
//
//   ForecastWriter forecast(&segment->report);
//   forecast.NotePlan(made.plan(), graph);
//   forecast.NoteNoPlan(made.status(), graph, profile.duration_ns);
//
// "planned by belady: 1.07x the time of training alone expected"
// "no plan: kernel 24 (aten::mm) needs 18.0 MiB and the limit is 9.30 MiB; steps
// take at least 13x as long as alone; --fast 19MiB (79%) would plan"
#ifndef STOWAGE_AGENTS_JOBS_FORECAST_H_
#define STOWAGE_AGENTS_JOBS_FORECAST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "client_sdk/session/session.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage::agent {

// Fills the forecast of a report with the first answer and leaves it alone
// afterwards, and as long as the job has no limit. One thread at a time; the
// report must outlive it.
class ForecastWriter {
 public:
  explicit ForecastWriter(session::Report* report) : report_(report) {}

  // A plan was made for the graph of a profile.
  void NotePlan(const v1::Plan& plan, const v1::Graph& graph);
  // There is none, for the reason that `status` tells, by its detail
  // LimitTooSmall if the limit is it. The profiled step took `step_ns`; 0: not
  // known.
  void NoteNoPlan(const absl::Status& status, const v1::Graph& graph,
                  int64_t step_ns);

 private:
  // 0: the job has no limit, or what was noted before stands.
  int64_t LimitToTell() const;
  void Publish(session::ForecastKind kind);

  session::Report* const report_;
  // Kept here: the shared one is the job's to overwrite.
  bool written_ = false;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_FORECAST_H_
