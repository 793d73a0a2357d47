#include "server/rpc/training_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/calls/status.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"
#include "server/training/training_watch.h"

namespace stowage {
namespace {

constexpr absl::string_view kTrainingList = "trainings";
constexpr absl::string_view kVersionList = "versions";
constexpr char kWatchMethod[] = "stowage.v1.TrainingService/WatchTraining";

absl::Status BadToken() {
  return absl::InvalidArgumentError(
      "page_token is not one of this list's; start without one");
}

absl::StatusOr<std::optional<int64_t>> ParseTrainingCursor(const Page& page) {
  if (page.after.empty()) return std::optional<int64_t>();
  int64_t id = 0;
  if (absl::SimpleAtoi(page.after, &id)) return std::optional(id);
  return BadToken();
}

// Parses "<policy_id>/<version>".
absl::StatusOr<VersionKey> ParseVersionCursor(const Page& page) {
  VersionKey key;
  if (page.after.empty()) return key;
  const std::vector<std::string> parts = absl::StrSplit(page.after, '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &key.version)) {
    return BadToken();
  }
  key.policy_id = parts[0];
  return key;
}

// Holds one of the few places for watchers while it lives.
class Seat {
 public:
  Seat(std::atomic<int>* taken, prometheus::Gauge* open_streams)
      : taken_(taken), open_streams_(open_streams), number_(++*taken) {
    open_streams_->Increment();
  }
  ~Seat() {
    open_streams_->Decrement();
    --*taken_;
  }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  int number() const { return number_; }

 private:
  std::atomic<int>* const taken_;
  prometheus::Gauge* const open_streams_;
  const int number_;
};

}  // namespace

grpc::Status TrainingServiceImpl::StartTraining(
    grpc::ServerContext* /*context*/, const v1::StartTrainingRequest* request,
    v1::StartTrainingResponse* response) {
  absl::StatusOr<v1::StartTrainingRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Training> training = manager_->Start(*checked);
  if (!training.ok()) return ToGrpcStatus(training.status());
  *response->mutable_training() = *std::move(training);
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::GetTraining(
    grpc::ServerContext* /*context*/, const v1::GetTrainingRequest* request,
    v1::GetTrainingResponse* response) {
  absl::StatusOr<v1::GetTrainingRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Training> training =
      trainings_->GetTraining(checked->training_id());
  if (!training.ok()) return ToGrpcStatus(training.status());
  *response->mutable_training() = *std::move(training);
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::ListTrainings(
    grpc::ServerContext* /*context*/, const v1::ListTrainingsRequest* request,
    v1::ListTrainingsResponse* response) {
  absl::StatusOr<v1::ListTrainingsRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kTrainingList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::optional<int64_t>> before = ParseTrainingCursor(*page);
  if (!before.ok()) return ToGrpcStatus(before.status());
  absl::StatusOr<std::vector<v1::Training>> trainings =
      trainings_->ListTrainings(checked->graph_id(), *before, page->size + 1);
  if (!trainings.ok()) return ToGrpcStatus(trainings.status());
  if (TrimToPage(*page, &*trainings)) {
    response->set_next_page_token(PageToken(
        kTrainingList, absl::StrCat(trainings->back().training_id())));
  }
  response->mutable_trainings()->Assign(trainings->begin(), trainings->end());
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::WatchTraining(
    grpc::ServerContext* context, const v1::WatchTrainingRequest* request,
    grpc::ServerWriter<v1::TrainingEvent>* writer) {
  absl::StatusOr<v1::WatchTrainingRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  const absl::StatusOr<StreamShares::Share> share =
      access_->TakeStream(*context);
  if (!share.ok()) return ToGrpcStatus(share.status());
  const Seat seat(&watchers_,
                  &metrics_->calls().Of(kWatchMethod).open_streams());
  if (seat.number() > kMaxWatchers) {
    return ToGrpcStatus(absl::ResourceExhaustedError(absl::StrCat(
        kMaxWatchers, " streams watch trainings already; ask GetTraining")));
  }
  return ToGrpcStatus(
      TrainingWatch(manager_, trainings_)
          .Watch(checked->training_id(),
                 [&](const std::optional<v1::TrainingEvent>& event) {
                   return !context->IsCancelled() &&
                          (!event.has_value() || writer->Write(*event));
                 }));
}

grpc::Status TrainingServiceImpl::CancelTraining(
    grpc::ServerContext* /*context*/, const v1::CancelTrainingRequest* request,
    v1::CancelTrainingResponse* response) {
  absl::StatusOr<v1::CancelTrainingRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Training> training =
      manager_->Cancel(checked->training_id());
  if (!training.ok()) return ToGrpcStatus(training.status());
  *response->mutable_training() = *std::move(training);
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::ListVersions(
    grpc::ServerContext* /*context*/, const v1::ListVersionsRequest* request,
    v1::ListVersionsResponse* response) {
  absl::StatusOr<v1::ListVersionsRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kVersionList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<VersionKey> after = ParseVersionCursor(*page);
  if (!after.ok()) return ToGrpcStatus(after.status());
  absl::StatusOr<std::vector<v1::PolicyVersion>> versions =
      trainings_->ListVersions(checked->graph_id(), *after, page->size + 1);
  if (!versions.ok()) return ToGrpcStatus(versions.status());
  if (TrimToPage(*page, &*versions)) {
    const v1::PolicyVersion& last = versions->back();
    response->set_next_page_token(PageToken(
        kVersionList, absl::StrCat(last.policy_id(), "/", last.version())));
  }
  response->mutable_versions()->Assign(versions->begin(), versions->end());
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::GetVersion(
    grpc::ServerContext* /*context*/, const v1::GetVersionRequest* request,
    v1::GetVersionResponse* response) {
  absl::StatusOr<v1::GetVersionRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<DqnVersion> version =
      trainings_->GetVersion({checked->policy_id(), checked->version()});
  if (!version.ok()) return ToGrpcStatus(version.status());
  *response->mutable_version() = std::move(version->info);
  response->set_policy(std::move(version->policy));
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::PromoteVersion(
    grpc::ServerContext* /*context*/, const v1::PromoteVersionRequest* request,
    v1::PromoteVersionResponse* response) {
  absl::StatusOr<v1::PromoteVersionRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::PolicyVersion> version =
      versions_->Promote({checked->policy_id(), checked->version()});
  if (!version.ok()) return ToGrpcStatus(version.status());
  metrics_->learning().CountPromotion();
  *response->mutable_version() = *std::move(version);
  return grpc::Status::OK;
}

grpc::Status TrainingServiceImpl::RollBackVersion(
    grpc::ServerContext* /*context*/, const v1::RollBackVersionRequest* request,
    v1::RollBackVersionResponse* response) {
  absl::StatusOr<v1::RollBackVersionRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::PolicyVersion> version =
      versions_->RollBack({checked->policy_id(), checked->from_version()});
  if (!version.ok()) return ToGrpcStatus(version.status());
  metrics_->learning().CountRollBack();
  *response->mutable_version() = *std::move(version);
  return grpc::Status::OK;
}

}  // namespace stowage
