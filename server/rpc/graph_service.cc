#include "server/rpc/graph_service.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "policies/model/graph_proto.h"
#include "server/calls/status.h"
#include "server/graphs/graph_summary.h"
#include "server/rpc/page.h"
#include "server/rpc/request_bounds.h"

namespace stowage {
namespace {

constexpr absl::string_view kGraphsList = "graphs";

}  // namespace

grpc::Status GraphServiceImpl::RegisterGraph(
    grpc::ServerContext* context, const v1::RegisterGraphRequest* request,
    v1::RegisterGraphResponse* response) {
  absl::Status valid = CheckBounds(*request);
  if (valid.ok())
    valid = access_->TakeStored(*context, request->ByteSizeLong());
  if (!valid.ok()) return ToGrpcStatus(valid);
  absl::StatusOr<policies::Graph> graph =
      policies::GraphFromProto(request->graph());
  if (!graph.ok()) return ToGrpcStatus(graph.status());
  const v1::GraphSummary summary = Summarize(*graph);
  const absl::StatusOr<v1::Graph> before = store_->GetGraph(summary.graph_id());
  absl::StatusOr<bool> created =
      store_->PutGraph(summary, request->graph(), request->request_id());
  if (!created.ok()) return ToGrpcStatus(created.status());
  if (before.ok()) {
    drift_->NoteProfile(summary.graph_id(), *before, request->graph());
  }
  response->set_graph_id(summary.graph_id());
  response->set_created(*created);
  return grpc::Status::OK;
}

grpc::Status GraphServiceImpl::GetGraph(grpc::ServerContext* /*context*/,
                                        const v1::GetGraphRequest* request,
                                        v1::GetGraphResponse* response) {
  absl::StatusOr<v1::GetGraphRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<v1::Graph> graph = store_->GetGraph(checked->graph_id());
  if (!graph.ok()) return ToGrpcStatus(graph.status());
  *response->mutable_graph() = *std::move(graph);
  return grpc::Status::OK;
}

grpc::Status GraphServiceImpl::ListGraphs(grpc::ServerContext* /*context*/,
                                          const v1::ListGraphsRequest* request,
                                          v1::ListGraphsResponse* response) {
  absl::StatusOr<v1::ListGraphsRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  absl::StatusOr<Page> page =
      ParsePage(kGraphsList, checked->page_size(), checked->page_token());
  if (!page.ok()) return ToGrpcStatus(page.status());
  absl::StatusOr<std::vector<v1::GraphSummary>> graphs =
      store_->ListGraphs(page->after, page->size + 1);
  if (!graphs.ok()) return ToGrpcStatus(graphs.status());
  if (TrimToPage(*page, &*graphs)) {
    response->set_next_page_token(
        PageToken(kGraphsList, graphs->back().graph_id()));
  }
  response->mutable_graphs()->Assign(graphs->begin(), graphs->end());
  return grpc::Status::OK;
}

grpc::Status GraphServiceImpl::DeleteGraph(
    grpc::ServerContext* /*context*/, const v1::DeleteGraphRequest* request,
    v1::DeleteGraphResponse* /*response*/) {
  absl::StatusOr<v1::DeleteGraphRequest> checked = Checked(*request);
  if (!checked.ok()) return ToGrpcStatus(checked.status());
  return ToGrpcStatus(store_->DeleteGraph(checked->graph_id()));
}

}  // namespace stowage
