// Serves a stream that answers each request with one response.
//
//   return new ExchangeStream<v1::PlaceRequest, v1::PlaceResponse>(
//       &streams, shares.Take("node7"),
//       [](const v1::PlaceRequest& request, absl::Time /*arrived*/) {
//         return Answer(request);
//       });
//
// It uses gRPC's callback interface, so that neither an idle stream nor one
// whose client does not read holds a thread. It has one request at a time, so
// streams take turns. It buffers one response more than the connection's flow
// control lets go. It takes messages as bytes (WithRawCallbackMethod_Place) and
// reads them itself, because to a reactor of messages one that cannot be read
// looks like the end of the stream.
#ifndef STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_
#define STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "grpcpp/support/server_callback.h"
#include "server/access/stream_shares.h"
#include "server/calls/malformed_request_interceptor.h"
#include "server/calls/status.h"
#include "server/rpc/stream_registry.h"
#include "server/rpc/stream_workers.h"
#include "timing/steady_now.h"

namespace stowage {

// `Response` is a message, or grpc::ByteBuffer for one that is encoded.
//
// Deletes itself when the stream has ended. The stream ends with OK when the
// client hangs up, with the error of the first request that cannot be read or
// answered, or with UNAVAILABLE when the server drains. The registry must
// outlive the stream. It holds its share until it is deleted; without one it
// ends with the error of that.
template <typename Request, typename Response>
class ExchangeStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public DrainableStream {
 public:
  // Answers one request at a time. `arrived` is when it did, as SteadyNow() has
  // it.
  using Answer = std::function<absl::StatusOr<Response>(const Request&,
                                                        absl::Time arrived)>;
  // Takes the status with which the stream ends, just before it does.
  using OnEnd = std::function<void(const absl::Status&)>;
  // Returns whether the answer to a request takes longer than a moment.
  using IsSlow = std::function<bool(const Request&)>;

  // `workers`, which must outlive the stream, make slow answers; the thread
  // that reads makes the others. Without workers no answer is slow.
  ExchangeStream(StreamRegistry* registry,
                 absl::StatusOr<StreamShares::Share> share, Answer answer,
                 OnEnd on_end = nullptr, StreamWorkers* workers = nullptr,
                 IsSlow is_slow = nullptr)
      : registry_(registry),
        share_(std::move(share)),
        answer_(std::move(answer)),
        on_end_(std::move(on_end)),
        workers_(workers),
        is_slow_(std::move(is_slow)) {
    if (!share_.ok()) {
      End(share_.status());
    } else if (registry_->Add(this)) {
      Read();
    } else {
      Drain();
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(absl::OkStatus());
    {
      absl::MutexLock lock(&mutex_);
      if (ended_) return;
      arrived_ = SteadyNow();
      // Nobody finishes the stream before the answer, so the stream lives.
      answering_ = true;
    }
    if (!grpc::SerializationTraits<Request>::Deserialize(&bytes_, &request_)
             .ok()) {
      return EndAnswer(MalformedRequest(Request::descriptor()->full_name()));
    }
    if (workers_ != nullptr && is_slow_(request_)) {
      workers_->Run([this] { AnswerRequest(); });
    } else {
      AnswerRequest();
    }
  }

  void OnWriteDone(bool ok) override {
    const std::optional<absl::Status> postponed = AnswerDone();
    if (postponed.has_value()) return End(*postponed);
    if (!ok) return End(absl::CancelledError("the client is gone"));
    Read();
  }

  void OnCancel() override { End(absl::CancelledError("the client is gone")); }

  void OnDone() override {
    registry_->Remove(this);
    delete this;
  }

  void Drain() override { End(DrainingStatus()); }

 private:
  // Asks for the next request. The lock hands all members over to the thread
  // that gets it. gRPC orders the threads, too, but the thread sanitizer cannot
  // see that.
  void Read() {
    absl::MutexLock lock(&mutex_);
    if (!ended_) this->StartRead(&bytes_);
  }

  void AnswerRequest() {
    absl::StatusOr<grpc::ByteBuffer> response = AnswerBytes();
    if (!response.ok()) return EndAnswer(response.status());
    response_ = *std::move(response);
    if (IsToEnd()) return EndAnswer(absl::OkStatus());
    this->StartWrite(&response_);
  }

  absl::StatusOr<grpc::ByteBuffer> AnswerBytes() {
    absl::StatusOr<Response> response = answer_(request_, arrived_);
    if (!response.ok()) return response.status();
    if constexpr (std::is_same_v<Response, grpc::ByteBuffer>) {
      return response;
    } else {
      grpc::ByteBuffer bytes;
      bool owned = false;
      const grpc::Status written =
          grpc::SerializationTraits<Response>::Serialize(*response, &bytes,
                                                         &owned);
      if (written.ok()) return bytes;
      return absl::InternalError("the response cannot be written");
    }
  }

  bool IsToEnd() {
    absl::MutexLock lock(&mutex_);
    return postponed_end_.has_value();
  }

  // Returns the status with which the stream was asked to end during the
  // answer; nullopt: it was not.
  std::optional<absl::Status> AnswerDone() {
    absl::MutexLock lock(&mutex_);
    answering_ = false;
    return postponed_end_;
  }

  void EndAnswer(const absl::Status& status) {
    const std::optional<absl::Status> postponed = AnswerDone();
    End(postponed.value_or(status));
  }

  // Finishes the stream once, after an answer that is under way.
  void End(const absl::Status& status) {
    {
      absl::MutexLock lock(&mutex_);
      if (ended_) return;
      if (answering_) {
        postponed_end_ = status;
        return;
      }
      ended_ = true;
    }
    if (on_end_) on_end_(status);
    // From here on the stream may be deleted at any time.
    this->Finish(ToGrpcStatus(status));
  }

  StreamRegistry* const registry_;
  const absl::StatusOr<StreamShares::Share> share_;
  const Answer answer_;
  const OnEnd on_end_;
  StreamWorkers* const workers_;
  const IsSlow is_slow_;
  grpc::ByteBuffer bytes_;
  Request request_;
  absl::Time arrived_;  // of the request
  grpc::ByteBuffer response_;
  absl::Mutex mutex_;
  bool answering_ ABSL_GUARDED_BY(mutex_) = false;  // until it is written
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> postponed_end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_EXCHANGE_STREAM_H_
