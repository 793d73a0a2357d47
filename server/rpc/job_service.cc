#include "server/rpc/job_service.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "server/rpc/page.h"
#include "server/rpc/status.h"

namespace stowage {
namespace {

constexpr absl::string_view kList = "jobs";

absl::StatusOr<std::optional<JobNumber>> ParseCursor(const Page& page) {
  if (page.after.empty()) return std::optional<JobNumber>();
  JobNumber number = 0;
  if (absl::SimpleAtoi(page.after, &number)) return std::optional(number);
  return absl::InvalidArgumentError(
      "page_token is not one of this list's; start without one");
}

}  // namespace

grpc::Status JobServiceImpl::StartJob(grpc::ServerContext* /*context*/,
                                      const v1::StartJobRequest* request,
                                      v1::StartJobResponse* /*response*/) {
  return ToGrpcStatus(jobs_->Start(request->job(), absl::Now()));
}

grpc::Status JobServiceImpl::FinishJob(grpc::ServerContext* /*context*/,
                                       const v1::FinishJobRequest* request,
                                       v1::FinishJobResponse* /*response*/) {
  return ToGrpcStatus(jobs_->Finish(request->job_id(), absl::Now()));
}

grpc::Status JobServiceImpl::GetJob(grpc::ServerContext* /*context*/,
                                    const v1::GetJobRequest* request,
                                    v1::GetJobResponse* response) {
  absl::StatusOr<v1::Job> job = jobs_->Get(request->job_id(), absl::Now());
  if (!job.ok()) return ToGrpcStatus(job.status());
  *response->mutable_job() = *std::move(job);
  return grpc::Status::OK;
}

grpc::Status JobServiceImpl::ListJobs(grpc::ServerContext* /*context*/,
                                      const v1::ListJobsRequest* request,
                                      v1::ListJobsResponse* response) {
  absl::StatusOr<Page> page =
      ParsePage(kList, request->page_size(), request->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::optional<JobNumber>> before = ParseCursor(*page);
  if (!before.ok()) return ToGrpcStatus(before.status());
  std::vector<NumberedJob> jobs =
      jobs_->List(request->node(), *before, page->size + 1, absl::Now());
  if (TrimToPage(*page, &jobs)) {
    response->set_next_page_token(
        PageToken(kList, absl::StrCat(jobs.back().number)));
  }
  for (NumberedJob& job : jobs) *response->add_jobs() = std::move(job.job);
  return grpc::Status::OK;
}

}  // namespace stowage
