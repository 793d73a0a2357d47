// Packs a session::Report into the bytes of a report file, and unpacks it. The
// file leaves out the log entries that were never written, which are almost all
// of them.
//
//   std::string bytes = PackReport(segment->report);
//   auto report = std::make_unique<Report>();
//   if (!UnpackReport(bytes, report.get())) Refuse("the file is truncated");
//
// Pure functions over the standard library alone. Others may write the report
// meanwhile, so the length of each log is read once.
#ifndef STOWAGE_CLIENT_SDK_SESSION_PACKED_REPORT_H_
#define STOWAGE_CLIENT_SDK_SESSION_PACKED_REPORT_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "client_sdk/session/session.h"

namespace stowage::session {

// The size of everything before the logs.
inline constexpr size_t kReportHeadBytes = offsetof(Report, steps);

template <typename Log>
constexpr size_t UsedEntries(const Log& log, uint64_t written) {
  return std::min<uint64_t>(written, std::size(log.entries));
}

template <typename Log>
void AppendLog(const Log& log, std::string& bytes) {
  const uint64_t written = log.written.load(std::memory_order_acquire);
  bytes.append(reinterpret_cast<const char*>(&written), sizeof(written));
  bytes.append(reinterpret_cast<const char*>(log.entries),
               UsedEntries(log, written) * sizeof(log.entries[0]));
}

// Takes a log from the front of `bytes`; returns false if they end before it
// does.
template <typename Log>
bool TakeLog(std::string_view& bytes, Log& log) {
  uint64_t written = 0;
  if (bytes.size() < sizeof(written)) return false;
  std::memcpy(&written, bytes.data(), sizeof(written));
  bytes.remove_prefix(sizeof(written));
  const size_t size = UsedEntries(log, written) * sizeof(log.entries[0]);
  if (bytes.size() < size) return false;
  std::memcpy(static_cast<void*>(log.entries), bytes.data(), size);
  log.written.store(written, std::memory_order_relaxed);
  bytes.remove_prefix(size);
  return true;
}

inline std::string PackReport(const Report& report) {
  std::string bytes(reinterpret_cast<const char*>(&report), kReportHeadBytes);
  AppendLog(report.steps, bytes);
  AppendLog(report.process_events, bytes);
  AppendLog(report.agent_events, bytes);
  AppendLog(report.kernels, bytes);
  return bytes;
}

// Fills `report`, which must be zero before. Returns false, and leaves nothing
// useful in `report`, unless `bytes` are one whole packed report.
inline bool UnpackReport(std::string_view bytes, Report* report) {
  if (bytes.size() < kReportHeadBytes) return false;
  std::memcpy(static_cast<void*>(report), bytes.data(), kReportHeadBytes);
  bytes.remove_prefix(kReportHeadBytes);
  return TakeLog(bytes, report->steps) &&
         TakeLog(bytes, report->process_events) &&
         TakeLog(bytes, report->agent_events) &&
         TakeLog(bytes, report->kernels) && bytes.empty();
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_PACKED_REPORT_H_
