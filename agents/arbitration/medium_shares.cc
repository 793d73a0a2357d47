#include "agents/arbitration/medium_shares.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/base/internal/raw_logging.h"

namespace stowage::agent {

void MediumShares::Begin(JobKey job) {
  Account& account = accounts_[job];
  if (account.active++ > 0) return;
  account.had_bytes =
      std::max(account.had_bytes, floor_bytes_ - kMostAheadBytes);
}

void MediumShares::End(JobKey job) {
  Account& account = accounts_.at(job);
  ABSL_RAW_CHECK(account.active > 0, "a job ends more copies than it began");
  if (--account.active == 0) Forget();
}

void MediumShares::Charge(JobKey job, int64_t bytes) {
  accounts_.at(job).had_bytes += bytes;
  floor_bytes_ = std::max(floor_bytes_, LeastBytes());
}

int64_t MediumShares::AheadBytes(JobKey job) const {
  return accounts_.at(job).had_bytes - LeastBytes();
}

// Returns what the active job has had that has had least. One is active.
int64_t MediumShares::LeastBytes() const {
  int64_t least_bytes = std::numeric_limits<int64_t>::max();
  for (const auto& [job, account] : accounts_) {
    if (account.active == 0) continue;
    least_bytes = std::min(least_bytes, account.had_bytes);
  }
  return least_bytes;
}

// Drops the jobs that are not active and have no claim left. Where no job is
// active all begin anew.
void MediumShares::Forget() {
  const bool idle = absl::c_none_of(
      accounts_, [](const auto& entry) { return entry.second.active > 0; });
  if (idle) floor_bytes_ = 0;
  absl::erase_if(accounts_, [&](const auto& entry) {
    const Account& account = entry.second;
    return idle || (account.active == 0 &&
                    account.had_bytes <= floor_bytes_ - kMostAheadBytes);
  });
}

}  // namespace stowage::agent
