// Tells the people behind a job how long its steps are expected to take:
// whether there is a plan, how much slower than training alone they are, and
// which limit would allow a plan.
//
//   ForecastWriter forecast(&segment->report);
//   if (answer.ok()) {
//     forecast.NotePlan(answer->plan(), graph);
//   } else {
//     forecast.NoteNoPlan(answer.status(), graph, step_ns);
//   }
//
// "planned by belady: 1.07x the time of training alone expected" "no plan:
// kernel 24 (aten::mm) needs 18.0 MiB and the limit is 9.30 MiB; steps take at
// least 13x as long as alone; --fast 19MiB (79%) would plan"
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_FORECAST_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_FORECAST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "client_sdk/session/session.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage::agent {

// Fills in the forecast of a report once, with the first answer; never if the
// job has no limit. Use it from one thread at a time. The report must outlive
// it.
class ForecastWriter {
 public:
  explicit ForecastWriter(session::Report* report)
      : report_(report), written_(report->forecast.kind.load() != 0) {}

  // Notes a limit that was found for the job, which the forecast then names.
  void NoteFoundLimit(int64_t limit_bytes) { found_limit_bytes_ = limit_bytes; }
  // Notes a plan that was made for the graph of a profile.
  void NotePlan(const v1::Plan& plan, const v1::Graph& graph);
  // Notes that there is no plan. `status` says why; if the limit is the reason,
  // by its detail LimitTooSmall. `step_ns` is how long the profiled step took;
  // 0: not known.
  void NoteNoPlan(const absl::Status& status, const v1::Graph& graph,
                  int64_t step_ns);

 private:
  // Returns the job's limit; 0 if it has none, or if something has been noted
  // before.
  int64_t LimitToTell() const;
  std::string FoundLimit() const;
  void Publish(session::ForecastKind kind);

  session::Report* const report_;
  // Kept here, because the job can overwrite the shared one.
  bool written_;
  int64_t found_limit_bytes_ = 0;  // 0: none was looked for
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_FORECAST_H_
