// The server's side of a stream that answers each request with one response.
//
//   return new ExchangeStream<v1::PlaceRequest, v1::PlaceResponse>(
//       &streams, [](const v1::PlaceRequest& request) { return Answer(request);
//       });
//
// Built on gRPC's callback interface: an idle stream holds no thread. It takes
// messages as bytes (WithRawCallbackMethod_Place) and reads them itself: to a
// reactor of messages one that cannot be read looks like the end of the stream.
#ifndef STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_
#define STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_

#include <functional>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "grpcpp/support/server_callback.h"
#include "server/rpc/malformed_request_interceptor.h"
#include "server/rpc/status.h"
#include "server/rpc/stream_registry.h"

namespace stowage {

// Deletes itself when the stream is done. The stream ends with OK when the
// client hangs up, with the error of the first request that cannot be read or
// answered, or with UNAVAILABLE when the server drains. The registry must
// outlive the stream.
template <typename Request, typename Response>
class ExchangeStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public DrainableStream {
 public:
  // Called for one request at a time.
  using Answer = std::function<absl::StatusOr<Response>(const Request&)>;

  ExchangeStream(StreamRegistry* registry, Answer answer)
      : registry_(registry), answer_(std::move(answer)) {
    if (registry_->Add(this)) {
      Read();
    } else {
      Drain();
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(absl::OkStatus());
    if (HasEnded()) return;
    absl::StatusOr<grpc::ByteBuffer> response = AnswerBytes();
    if (!response.ok()) return End(response.status());
    response_ = *std::move(response);
    {
      absl::MutexLock lock(&mutex_);
      if (ended_) return;
      writing_ = true;
    }
    // Until OnWriteDone nobody finishes the stream, so it lives.
    this->StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    std::optional<absl::Status> postponed;
    {
      absl::MutexLock lock(&mutex_);
      writing_ = false;
      postponed = postponed_end_;
    }
    if (postponed.has_value()) return End(*postponed);
    if (!ok) return End(absl::CancelledError("the client is gone"));
    Read();
  }

  void OnCancel() override { End(absl::CancelledError("the client is gone")); }

  void OnDone() override {
    registry_->Remove(this);
    delete this;
  }

  void Drain() override {
    End(absl::UnavailableError(
        "the server is shutting down; reconnect with back-off"));
  }

 private:
  // Asks for the next request. The lock is what hands all members over to the
  // thread that gets it: gRPC would order them, but unseen by the thread
  // sanitizer.
  void Read() {
    absl::MutexLock lock(&mutex_);
    if (!ended_) this->StartRead(&bytes_);
  }

  absl::StatusOr<grpc::ByteBuffer> AnswerBytes() {
    if (!grpc::SerializationTraits<Request>::Deserialize(&bytes_, &request_)
             .ok()) {
      return MalformedRequest(Request::descriptor()->full_name());
    }
    absl::StatusOr<Response> response = answer_(request_);
    if (!response.ok()) return response.status();
    grpc::ByteBuffer bytes;
    bool owned = false;
    const grpc::Status written = grpc::SerializationTraits<Response>::Serialize(
        *response, &bytes, &owned);
    if (written.ok()) return bytes;
    return absl::InternalError("the response cannot be written");
  }

  bool HasEnded() {
    absl::MutexLock lock(&mutex_);
    return ended_;
  }

  // Finishes the stream once, after a write under way.
  void End(const absl::Status& status) {
    {
      absl::MutexLock lock(&mutex_);
      if (ended_) return;
      if (writing_) {
        postponed_end_ = status;
        return;
      }
      ended_ = true;
    }
    // From here on the stream may be deleted at any time.
    this->Finish(ToGrpcStatus(status));
  }

  StreamRegistry* const registry_;
  const Answer answer_;
  grpc::ByteBuffer bytes_;
  Request request_;
  grpc::ByteBuffer response_;
  absl::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> postponed_end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_
