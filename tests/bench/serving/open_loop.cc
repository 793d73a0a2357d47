#include "tests/bench/serving/open_loop.h"

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client_sdk/cpp/status.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "timing/bell.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// Sends the requests that came to it, one after the other. Thread-safe.
class Caller {
 public:
  Caller(const std::shared_ptr<grpc::Channel>& channel, const Load& load,
         Bell* over)
      : stub_(channel), load_(load), over_(over) {
    const grpc::Slice slice(load.request);
    request_ = grpc::ByteBuffer(&slice, 1);
  }
  virtual ~Caller() = default;

  // Takes a request that came at `came`.
  void Take(absl::Time came) {
    {
      absl::MutexLock lock(&mutex_);
      waiting_.push_back(came);
      if (waiting_.size() > 1) return;
    }
    Ask();
  }
  // Ends when all requests have been answered.
  void Finish() {
    {
      absl::MutexLock lock(&mutex_);
      finishing_ = true;
      if (!waiting_.empty()) return;
    }
    Close();
  }

  // These may be called once it has ended.
  const grpc::Status& status() const { return status_; }
  // When each request came, and how long its answer took.
  const std::vector<std::pair<absl::Time, absl::Duration>>& answers() const {
    return answers_;
  }

 protected:
  virtual void Ask() = 0;
  virtual void Close() = 0;

  void NoteAnswer() {
    bool asks = false;
    bool closes = false;
    {
      absl::MutexLock lock(&mutex_);
      answers_.emplace_back(waiting_.front(), SteadyNow() - waiting_.front());
      waiting_.pop_front();
      asks = !waiting_.empty();
      closes = !asks && finishing_;
    }
    if (asks) Ask();
    if (closes) Close();
  }
  void End(const grpc::Status& status) {
    status_ = status;
    over_->Ring();
  }

  grpc::GenericStub stub_;
  const Load& load_;
  grpc::ByteBuffer request_, response_;

 private:
  Bell* const over_;
  absl::Mutex mutex_;
  std::deque<absl::Time> waiting_ ABSL_GUARDED_BY(mutex_);  // front: under way
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status status_;
  std::vector<std::pair<absl::Time, absl::Duration>> answers_;
};

class UnaryCaller final : public Caller {
 public:
  using Caller::Caller;

 private:
  void Ask() override {
    context_ = std::make_unique<grpc::ClientContext>();
    stub_.UnaryCall(context_.get(), load_.method, {}, &request_, &response_,
                    [this](const grpc::Status& status) {
                      status.ok() ? NoteAnswer() : End(status);
                    });
  }
  void Close() override { End(grpc::Status::OK); }

  std::unique_ptr<grpc::ClientContext> context_;
};

class StreamCaller final
    : public Caller,
      public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamCaller(const std::shared_ptr<grpc::Channel>& channel, const Load& load,
               Bell* over)
      : Caller(channel, load, over) {
    stub_.PrepareBidiStreamingCall(&context_, load_.method, {}, this);
    // The dispatcher asks from outside of the callbacks.
    AddHold();
    StartCall();
  }

  void OnWriteDone(bool ok) override {
    if (ok) GoOn();
  }
  void OnReadDone(bool ok) override {
    if (ok) GoOn();
  }
  void OnDone(const grpc::Status& status) override { End(status); }

 private:
  // An answer may come before its request is known to have been written.
  void GoOn() {
    if (--under_way_ == 0) NoteAnswer();
  }
  void Ask() override {
    under_way_ = 2;
    StartWrite(&request_);
    StartRead(&response_);
  }
  void Close() override {
    StartWritesDone();
    RemoveHold();
  }

  grpc::ClientContext context_;
  std::atomic<int> under_way_ = 0;
};

// Gives each caller in turn a request when it comes.
void Dispatch(const std::vector<std::unique_ptr<Caller>>& callers,
              double requests_per_second, absl::Time end, int64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> pause(requests_per_second);
  const Bell never;
  absl::Time next = SteadyNow();
  for (size_t i = 0; next < end; ++i) {
    never.AwaitFor(next - SteadyNow());
    callers[i % callers.size()]->Take(next);
    next += absl::Seconds(pause(random));
  }
}

}  // namespace

absl::StatusOr<LoadResult> RunOpenLoop(const Load& load,
                                       double requests_per_second,
                                       int64_t seed) {
  const std::vector<std::shared_ptr<grpc::Channel>> channels = ChannelsOf(load);
  Bell over;
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < load.callers; ++i) {
    const auto& channel = channels[i % channels.size()];
    if (load.streams) {
      callers.push_back(std::make_unique<StreamCaller>(channel, load, &over));
    } else {
      callers.push_back(std::make_unique<UnaryCaller>(channel, load, &over));
    }
  }
  const absl::Time begin = SteadyNow() + load.time / 10;
  Dispatch(callers, requests_per_second, begin + load.time, seed);
  for (const auto& caller : callers) caller->Finish();
  over.AwaitFor(absl::InfiniteDuration(), callers.size() - 1);
  std::vector<absl::Duration> latencies;
  for (const auto& caller : callers) {
    if (!caller->status().ok()) return FromGrpcStatus(caller->status());
    for (const auto& [came, latency] : caller->answers()) {
      if (came >= begin) latencies.push_back(latency);
    }
  }
  return ResultOf(load, std::move(latencies));
}

}  // namespace stowage
