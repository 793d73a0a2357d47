#include "client_sdk/runtime/connection/report_log.h"

#include <stdio.h>

#include <atomic>

namespace stowage::runtime {
namespace {

template <size_t N>
void CopyText(std::string_view text, char (&field)[N]) {
  snprintf(field, N, "%.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace

void ReportEvent(session::Report* report, std::string_view reason,
                 std::string_view detail, int32_t kernel) {
  session::EventLog& log = report->process_events;
  const uint64_t n = log.written.load(std::memory_order_relaxed);
  session::EventRecord& event = log.entries[n % session::kEventEntries];
  // As many as have ended, counted from 0: the one that runs.
  event.step = report->steps.written.load(std::memory_order_relaxed);
  event.kernel = kernel;
  CopyText(reason, event.reason);
  CopyText(detail, event.detail);
  log.written.store(n + 1, std::memory_order_release);
}

void ReportStep(session::Report* report, const session::StepRecord& step) {
  session::StepLog& log = report->steps;
  const uint64_t n = log.written.load(std::memory_order_relaxed);
  log.entries[n % session::kStepEntries] = step;
  log.written.store(n + 1, std::memory_order_release);
}

}  // namespace stowage::runtime
