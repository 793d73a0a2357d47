#include "server/rpc/job_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "server/calls/status.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"

namespace stowage {
namespace {

constexpr absl::string_view kJobsList = "jobs";

absl::StatusOr<std::optional<JobNumber>> ParseCursor(const Page& page) {
  if (page.after.empty()) return std::optional<JobNumber>();
  JobNumber number = 0;
  if (absl::SimpleAtoi(page.after, &number)) return std::optional(number);
  return absl::InvalidArgumentError(
      "page_token is not one of this list's; start without one");
}

absl::Status CheckOneLimit(const v1::ResizeJobRequest& request) {
  if (request.fast_limit_bytes() == 0 || request.fast_limit_fraction() == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "fast_limit_bytes is ", request.fast_limit_bytes(),
      " and fast_limit_fraction is ", request.fast_limit_fraction(),
      "; send one of them, or neither for an unlimited job"));
}

}  // namespace

absl::Status JobServiceImpl::CheckGraphKnown(const std::string& graph_id) {
  if (graph_id.empty()) return absl::OkStatus();
  absl::StatusOr<bool> known = graphs_->HasGraph(graph_id);
  if (!known.ok()) return known.status();
  if (*known) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("no graph '", graph_id,
                   "'; register it first, or leave job.graph_id empty"));
}

absl::StatusOr<v1::Job> JobServiceImpl::OwnJob(
    const grpc::ServerContext& context, const std::string& job_id) {
  absl::StatusOr<v1::Job> job = jobs_->Get(job_id, absl::Now());
  // Another replica may know it already.
  if (absl::IsNotFound(job.status()) && exchange_->Refresh()) {
    job = jobs_->Get(job_id, absl::Now());
  }
  if (!job.ok()) return job.status();
  absl::Status own = access_->CheckOwn(context, job->node());
  if (!own.ok()) return own;
  return job;
}

grpc::Status JobServiceImpl::StartJob(grpc::ServerContext* context,
                                      const v1::StartJobRequest* request,
                                      v1::StartJobResponse* /*response*/) {
  absl::StatusOr<v1::StartJobRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::Status own = access_->CheckOwn(*context, checked->job().node());
  if (!own.ok()) return ToGrpcStatus(own);
  absl::Status known = CheckGraphKnown(checked->job().graph_id());
  if (!known.ok()) return ToGrpcStatus(known);
  return ToGrpcStatus(jobs_->Start(checked->job(), absl::Now()));
}

grpc::Status JobServiceImpl::FinishJob(grpc::ServerContext* context,
                                       const v1::FinishJobRequest* request,
                                       v1::FinishJobResponse* /*response*/) {
  absl::StatusOr<v1::FinishJobRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::Status own = OwnJob(*context, checked->job_id()).status();
  if (!own.ok()) return ToGrpcStatus(own);
  return ToGrpcStatus(jobs_->Finish(checked->job_id(), absl::Now()));
}

grpc::Status JobServiceImpl::GetJob(grpc::ServerContext* context,
                                    const v1::GetJobRequest* request,
                                    v1::GetJobResponse* response) {
  absl::StatusOr<v1::GetJobRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Job> job = OwnJob(*context, checked->job_id());
  if (!job.ok()) return ToGrpcStatus(job.status());
  *response->mutable_job() = *std::move(job);
  return grpc::Status::OK;
}

grpc::Status JobServiceImpl::ListJobs(grpc::ServerContext* /*context*/,
                                      const v1::ListJobsRequest* request,
                                      v1::ListJobsResponse* response) {
  absl::StatusOr<v1::ListJobsRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kJobsList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::optional<JobNumber>> before = ParseCursor(*page);
  if (!before.ok()) return ToGrpcStatus(before.status());
  std::vector<NumberedJob> jobs =
      jobs_->List(checked->node(), *before, page->size + 1, absl::Now());
  if (TrimToPage(*page, &jobs)) {
    response->set_next_page_token(
        PageToken(kJobsList, absl::StrCat(jobs.back().number)));
  }
  for (NumberedJob& job : jobs) *response->add_jobs() = std::move(job.job);
  return grpc::Status::OK;
}

grpc::Status JobServiceImpl::ResizeJob(grpc::ServerContext* /*context*/,
                                       const v1::ResizeJobRequest* request,
                                       v1::ResizeJobResponse* response) {
  absl::StatusOr<v1::ResizeJobRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::Status one = CheckOneLimit(*checked);
  if (!one.ok()) return ToGrpcStatus(one);
  absl::StatusOr<v1::Job> job = jobs_->Resize(*checked, absl::Now());
  if (absl::IsNotFound(job.status()) && exchange_->Refresh()) {
    job = jobs_->Resize(*checked, absl::Now());
  }
  if (!job.ok()) return ToGrpcStatus(job.status());
  absl::Status stored = exchange_->StoreJob(checked->job_id());
  if (!stored.ok()) return ToGrpcStatus(stored);
  *response->mutable_job() = *std::move(job);
  return grpc::Status::OK;
}

}  // namespace stowage
