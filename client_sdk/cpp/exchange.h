// Speaks the client's side of a stream that answers each request with one
// response.
//
//   std::unique_ptr<TelemetryStream> stream = client->StreamTelemetry();
//   absl::StatusOr<v1::TelemetryAck> ack = stream->Send(batch);
//   if (!ack.ok()) stream = nullptr;   // the stream is over; open another
#ifndef STOWAGE_CLIENT_SDK_CPP_EXCHANGE_H_
#define STOWAGE_CLIENT_SDK_CPP_EXCHANGE_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/cpp/status.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"

namespace stowage {

// An open stream. One thread at a time may use it; any thread may call
// Cancel(). The client that made it must outlive it. The destructor hangs up.
template <typename Request, typename Response>
class Exchange {
 public:
  using Call = grpc::ClientReaderWriter<Request, Response>;

  // `open` starts the call with the context that it gets. The thread that meets
  // the end of the stream calls `on_end` with its status.
  explicit Exchange(
      absl::FunctionRef<std::unique_ptr<Call>(grpc::ClientContext*)> open,
      std::function<void(const absl::Status&)> on_end = [](const auto&) {})
      : call_(open(&context_)), on_end_(std::move(on_end)) {}

  ~Exchange() {
    Cancel();
    if (!finished_) call_->Finish();
  }

  // Sends a request and returns the answer. Blocks without a deadline, until
  // the answer comes or Cancel(). An error ends the stream, and every later
  // call returns the same.
  absl::StatusOr<Response> Send(const Request& request) {
    Response response;
    if (!finished_ && call_->Write(request) && call_->Read(&response)) {
      return response;
    }
    // The server of an answer that cannot be read still waits for requests, and
    // hears so that there are none.
    const absl::Status status = Finish();
    if (status.ok()) final_ = NoAnswer();
    return final_;
  }

  // Hangs up and returns the status that the server answers.
  absl::Status Finish() {
    if (!finished_) call_->WritesDone();
    return End();
  }

  // Makes a Send() under way return CANCELLED. Any thread may call it.
  void Cancel() { context_.TryCancel(); }

 private:
  static absl::Status NoAnswer() {
    return absl::UnavailableError(absl::StrCat(
        "the service ended the stream without an answer, or its answer is no ",
        Response::descriptor()->full_name(),
        "; open another stream, or install the same release of service and "
        "client"));
  }

  absl::Status End() {
    if (finished_) return final_;
    final_ = FromGrpcStatus(call_->Finish());
    finished_ = true;
    on_end_(final_);
    return final_;
  }

  grpc::ClientContext context_;
  const std::unique_ptr<Call> call_;
  const std::function<void(const absl::Status&)> on_end_;
  bool finished_ = false;
  absl::Status final_;
};

using TelemetryStream = Exchange<v1::TelemetryBatch, v1::TelemetryAck>;
using PlaceStream = Exchange<v1::PlaceRequest, v1::PlaceResponse>;

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_CPP_EXCHANGE_H_
