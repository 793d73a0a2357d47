// Calls any method with bytes that need not be a message.
//
//   RawCaller caller(server.grpc_address());
//   absl::Status status = caller.Call("/stowage.v1.GraphService/GetGraph",
//                                     "no message");
#ifndef STOWAGE_TESTS_E2E_SERVER_RAW_CALL_H_
#define STOWAGE_TESTS_E2E_SERVER_RAW_CALL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client_sdk/cpp/status.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/byte_buffer.h"

namespace stowage {

// Returns a path such as "/stowage.v1.GraphService/GetGraph".
inline std::string PathOf(const google::protobuf::MethodDescriptor& method) {
  return "/" + method.service()->full_name() + "/" + method.name();
}

// Makes one call at a time.
class RawCaller {
 public:
  explicit RawCaller(const std::string& address)
      : RawCaller(
            grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {}
  explicit RawCaller(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(channel) {}

  // Sends one request and returns how the call ends; the answer is dropped.
  absl::Status Call(const std::string& path, const std::string& request) {
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    auto call = stub_.PrepareCall(&context, path, &queue);
    call->StartCall(nullptr);
    bool alive = Await(queue);
    const grpc::Slice slice(request);
    if (alive) {
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      alive = Await(queue);
    }
    if (alive) {
      call->WritesDone(nullptr);
      Await(queue);
    }
    grpc::ByteBuffer response;
    do {
      call->Read(&response, nullptr);
    } while (Await(queue));
    grpc::Status status;
    call->Finish(&status, nullptr);
    Await(queue);
    return FromGrpcStatus(status);
  }

 private:
  static bool Await(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  grpc::GenericStub stub_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_E2E_SERVER_RAW_CALL_H_
