#include "agents/jobs/records/event_writer.h"

#include <algorithm>
#include <limits>

#include "absl/strings/string_view.h"
#include "agents/jobs/records/fixed_text.h"

namespace stowage::agent {

void EventWriter::Append(absl::string_view reason, absl::string_view detail) {
  absl::MutexLock lock(&mutex_);
  session::EventLog& log = report_->agent_events;
  session::EventRecord& record = log.entries[written_ % session::kEventEntries];
  const uint64_t steps = report_->steps.written.load(std::memory_order_relaxed);
  record.step = static_cast<int64_t>(
      std::min<uint64_t>(steps, std::numeric_limits<int64_t>::max()));
  record.kernel = -1;
  record.reserved = 0;
  SetText(record.reason, reason);
  SetText(record.detail, detail);
  log.written.store(++written_, std::memory_order_release);
}

void EventWriter::Read(
    absl::FunctionRef<void(const session::Report&)> read) const {
  absl::MutexLock lock(&mutex_);
  read(*report_);
}

}  // namespace stowage::agent
