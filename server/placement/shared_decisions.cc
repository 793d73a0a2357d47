#include "server/placement/shared_decisions.h"

#include <utility>

namespace stowage {
namespace {

// Above this many entries those that nobody loads are dropped.
constexpr size_t kManyEntries = 256;

}  // namespace

absl::StatusOr<std::shared_ptr<const KernelDecisions>> SharedDecisions::Load(
    absl::string_view plan_id) {
  const std::shared_ptr<Entry> entry = EntryOf(plan_id);
  absl::MutexLock lock(&entry->mutex);
  const absl::StatusOr<int64_t> size_bytes = store_->FindPlan(plan_id);
  if (!size_bytes.ok()) return size_bytes.status();
  std::shared_ptr<const KernelDecisions> shared = entry->decisions.lock();
  if (shared != nullptr && entry->size_bytes == *size_bytes) return shared;
  absl::StatusOr<KernelDecisions> decisions = Read(plan_id);
  if (!decisions.ok()) return decisions.status();
  shared = std::make_shared<const KernelDecisions>(*std::move(decisions));
  entry->decisions = shared;
  entry->size_bytes = *size_bytes;
  return shared;
}

absl::StatusOr<KernelDecisions> SharedDecisions::Read(
    absl::string_view plan_id) {
  const absl::StatusOr<v1::Plan> plan = store_->GetPlan(plan_id);
  if (!plan.ok()) return plan.status();
  const absl::StatusOr<std::shared_ptr<const policies::Graph>> graph =
      graphs_->Load(plan->graph_id());
  if (!graph.ok()) return graph.status();
  return KernelDecisions::Create(**graph, *plan);
}

void SharedDecisions::Forget(absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  entries_.erase(plan_id);
}

std::shared_ptr<SharedDecisions::Entry> SharedDecisions::EntryOf(
    absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  if (entries_.size() >= kManyEntries) {
    // If somebody begins to use a plan that is dropped here, it is read once
    // more.
    absl::erase_if(entries_, [](const auto& item) {
      return item.second.use_count() == 1;
    });
  }
  std::shared_ptr<Entry>& entry = entries_[plan_id];
  if (entry == nullptr) entry = std::make_shared<Entry>();
  return entry;
}

}  // namespace stowage
