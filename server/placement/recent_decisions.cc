#include "server/placement/recent_decisions.h"

#include <utility>

namespace stowage {

std::shared_ptr<const KernelDecisions> RecentDecisions::Find(
    absl::string_view plan_id, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_id_.find(plan_id);
  if (found == by_id_.end()) return nullptr;
  const auto entry = found->second;
  if (now - entry->kept > kFresh) return nullptr;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->decisions;
}

void RecentDecisions::Keep(absl::string_view plan_id,
                           std::shared_ptr<const KernelDecisions> decisions,
                           absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (const auto known = by_id_.find(plan_id); known != by_id_.end()) {
    Erase(known->second);
  }
  size_bytes_ += decisions->SizeBytes();
  entries_.push_front({std::string(plan_id), std::move(decisions), now});
  by_id_[plan_id] = entries_.begin();
  while (size_bytes_ > max_bytes_) Erase(std::prev(entries_.end()));
}

void RecentDecisions::Forget(absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  const auto known = by_id_.find(plan_id);
  if (known != by_id_.end()) Erase(known->second);
}

void RecentDecisions::Erase(Entries::iterator entry) {
  size_bytes_ -= entry->decisions->SizeBytes();
  by_id_.erase(entry->plan_id);
  entries_.erase(entry);
}

}  // namespace stowage
