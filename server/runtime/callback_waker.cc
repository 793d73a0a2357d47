#include "server/runtime/callback_waker.h"

#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"

namespace stowage {
namespace {

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";
// Less than half of the second after which a thread sleeps.
constexpr absl::Duration kPeriod = absl::Milliseconds(400);

// Makes a call of which the server and the client run a callback each.
void CallOnce(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(channel);
  grpc::ClientContext context;
  const grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  absl::Notification done;
  stub.UnaryCall(&context, kHealthCheck, {}, &request, &response,
                 [&done](const grpc::Status& /*ignored*/) { done.Notify(); });
  done.WaitForNotification();
}

}  // namespace

CallbackWaker::CallbackWaker(std::shared_ptr<grpc::Channel> channel)
    : channel_(std::move(channel)), thread_([this] { Work(); }) {}

CallbackWaker::~CallbackWaker() {
  stop_.Ring();
  thread_.join();
}

void CallbackWaker::Work() {
  do {
    CallOnce(channel_);
  } while (!stop_.AwaitFor(kPeriod));
}

}  // namespace stowage
