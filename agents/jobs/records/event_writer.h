// Tells the people behind a job what the agent has to say: fills the agent's
// event log in the session segment.
//
//   EventWriter events(&segment->report);
//   events.Append("service-lost", "stowaged at unix:/x does not answer");
//   events.Read([&](const session::Report& report) { Save(report); });
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_EVENT_WRITER_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_EVENT_WRITER_H_

#include <atomic>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// Thread-safe. The report must outlive it.
class EventWriter {
 public:
  // Goes on after the events of an agent before this one.
  explicit EventWriter(session::Report* report)
      : report_(report),
        written_(report->agent_events.written.load(std::memory_order_relaxed)) {
  }

  // Appends an event. `reason` is a short constant name, `detail` is for
  // people; both are cut to the size of the record. The oldest event makes
  // room.
  void Append(absl::string_view reason, absl::string_view detail);

  // Calls `read` with the report while no event is appended, so that each of
  // the agent's events is complete or absent. The process's own parts may
  // change meanwhile. `read` must not append.
  void Read(absl::FunctionRef<void(const session::Report&)> read) const;

 private:
  session::Report* const report_;
  mutable absl::Mutex mutex_;
  // The agent counts here, because the job can overwrite the shared counter.
  uint64_t written_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_EVENT_WRITER_H_
