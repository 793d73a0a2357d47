#include "server/fleet/fleet_exchange.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// How long a change waits to be stored.
constexpr absl::Duration kMoment = absl::Milliseconds(100);

}  // namespace

FleetExchange::FleetExchange(FleetStore* store, NodeRegistry* nodes,
                             JobRegistry* jobs, FleetExchangeOptions options)
    : store_(store), nodes_(nodes), jobs_(jobs), options_(options) {}

FleetExchange::~FleetExchange() { Stop(); }

absl::Status FleetExchange::Load() {
  absl::Status loaded = Pull();
  if (loaded.ok()) thread_ = std::thread([this] { Exchange(); });
  return loaded;
}

void FleetExchange::Stop() {
  if (!thread_.joinable()) return;
  stopped_.Ring();
  thread_.join();
  Flush(/*soft=*/true);
}

void FleetExchange::Exchange() {
  absl::Time due = SteadyNow() + options_.period;
  while (!stopped_.AwaitFor(std::min(kMoment, options_.period))) {
    const bool is_due = options_.shared && SteadyNow() >= due;
    Flush(/*soft=*/is_due);
    if (!is_due) continue;
    Pull().IgnoreError();  // it is read the next time
    due = SteadyNow() + options_.period;
  }
}

void FleetExchange::Flush(bool soft) {
  FleetNews news = {.nodes = nodes_->TakeChanged(soft),
                    .jobs = jobs_->TakeChanged(soft)};
  if (!news.empty() && !store_->Put(news).ok()) {
    nodes_->PutBackChanged(news.nodes);
    jobs_->PutBackChanged(news.jobs);
    return;
  }
  // A row that stays behind is read, and forgotten again, at the next start.
  store_->Forget(nodes_->TakeForgotten(), jobs_->TakeForgotten()).IgnoreError();
}

absl::Status FleetExchange::Pull() {
  absl::StatusOr<FleetNews> news(FleetNews{});
  {
    absl::MutexLock lock(&pull_mutex_);
    news = store_->ReadSince(&cursor_);
  }
  if (!news.ok()) return news.status();
  for (const v1::StoredNode& node : news->nodes) nodes_->Merge(node);
  for (const v1::StoredJob& job : news->jobs) jobs_->Merge(job, absl::Now());
  return absl::OkStatus();
}

bool FleetExchange::Refresh() { return options_.shared && Pull().ok(); }

absl::Status FleetExchange::StoreJob(absl::string_view job_id) {
  std::optional<v1::StoredJob> job = jobs_->Stored(job_id);
  if (!job.has_value()) return absl::OkStatus();
  return store_->Put({.nodes = {}, .jobs = {*std::move(job)}});
}

}  // namespace stowage
