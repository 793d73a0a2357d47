#include "tests/bench/serving/closed_loop.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "client_sdk/cpp/status.h"
#include "grpcpp/channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "timing/bell.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// What all callers share.
struct Run {
  explicit Run(const Load& load)
      : begin(SteadyNow() + load.time / 10), end(begin + load.time) {}

  const absl::Time begin, end;  // of what is measured
  Bell over;                    // rings once for each caller
};

// Notes how long answers took that came in the measured time.
class Latencies {
 public:
  explicit Latencies(const Run* run) : run_(run) {}
  void NoteRequest() { asked_ = SteadyNow(); }
  // Returns whether to ask again.
  bool NoteAnswer() {
    const absl::Time now = SteadyNow();
    if (now >= run_->begin && now < run_->end) all_.push_back(now - asked_);
    return now < run_->end;
  }
  const std::vector<absl::Duration>& all() const { return all_; }

 private:
  const Run* const run_;
  absl::Time asked_;
  std::vector<absl::Duration> all_;
};

class Caller {
 public:
  Caller(const std::shared_ptr<grpc::Channel>& channel, const Load& load,
         Run* run)
      : stub_(channel), load_(load), run_(run), latencies_(run) {
    const grpc::Slice slice(load.request);
    request_ = grpc::ByteBuffer(&slice, 1);
  }
  virtual ~Caller() = default;
  virtual void Start() = 0;
  const Latencies& latencies() const { return latencies_; }
  const grpc::Status& status() const { return status_; }

 protected:
  void End(const grpc::Status& status) {
    status_ = status;
    run_->over.Ring();
  }

  grpc::GenericStub stub_;
  const Load& load_;
  Run* const run_;
  Latencies latencies_;
  grpc::ByteBuffer request_, response_;
  grpc::Status status_;
};

class StreamCaller final
    : public Caller,
      public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using Caller::Caller;
  void Start() override {
    stub_.PrepareBidiStreamingCall(&context_, load_.method, {}, this);
    Ask();
    StartCall();
  }
  void OnWriteDone(bool ok) override {
    if (ok) GoOn();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    asks_again_ = latencies_.NoteAnswer();
    GoOn();
  }
  void OnDone(const grpc::Status& status) override { End(status); }

 private:
  // An answer may come before its request is known to have been written.
  void GoOn() {
    if (--under_way_ > 0) return;
    asks_again_ ? Ask() : StartWritesDone();
  }
  void Ask() {
    under_way_ = 2;
    latencies_.NoteRequest();
    StartWrite(&request_);
    StartRead(&response_);
  }

  grpc::ClientContext context_;
  std::atomic<int> under_way_ = 0;
  bool asks_again_ = true;
};

class UnaryCaller final : public Caller {
 public:
  using Caller::Caller;
  void Start() override {
    context_ = std::make_unique<grpc::ClientContext>();
    latencies_.NoteRequest();
    stub_.UnaryCall(context_.get(), load_.method, {}, &request_, &response_,
                    [this](const grpc::Status& status) {
                      const bool asks_again =
                          status.ok() && latencies_.NoteAnswer();
                      asks_again ? Start() : End(status);
                    });
  }

 private:
  std::unique_ptr<grpc::ClientContext> context_;
};

}  // namespace

absl::StatusOr<LoadResult> RunClosedLoop(const Load& load) {
  const std::vector<std::shared_ptr<grpc::Channel>> channels = ChannelsOf(load);
  Run run(load);
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < load.callers; ++i) {
    const auto& channel = channels[i % channels.size()];
    if (load.streams) {
      callers.push_back(std::make_unique<StreamCaller>(channel, load, &run));
    } else {
      callers.push_back(std::make_unique<UnaryCaller>(channel, load, &run));
    }
  }
  for (const auto& caller : callers) caller->Start();
  run.over.AwaitFor(absl::InfiniteDuration(), callers.size() - 1);
  std::vector<absl::Duration> all;
  for (const auto& caller : callers) {
    if (!caller->status().ok()) return FromGrpcStatus(caller->status());
    const std::vector<absl::Duration>& own = caller->latencies().all();
    all.insert(all.end(), own.begin(), own.end());
  }
  return ResultOf(load, std::move(all));
}

}  // namespace stowage
