// Keeps the threads on which gRPC runs callbacks from falling asleep.
//
//   auto waker = std::make_unique<CallbackWaker>(channel);   // in-process
//   waker.reset();
//   grpc_server->Shutdown();
//
// gRPC 1.51 runs the callbacks of a process on a few threads. One that has had
// nothing to do for a second sleeps for 100 ms, during which it hears nothing:
// the first call after a pause was answered up to 100 ms late. While all of them
// slept, so did calls that other threads serve: once a second, whatever the
// load, all calls waited for 95 ms (docs/measurements.md, "Serving"). Something
// to do every 0.4 s, for any of them, leaves one of them awake at all times.
#ifndef STOWAGE_SERVER_RUNTIME_CALLBACK_WAKER_H_
#define STOWAGE_SERVER_RUNTIME_CALLBACK_WAKER_H_

#include <memory>
#include <thread>

#include "grpcpp/channel.h"
#include "timing/bell.h"

namespace stowage {

// Owns a thread, which asks the channel's server for its health over and over.
// What the server answers does not matter. Delete it before the server shuts
// down: a call that begins later on a channel within the process crashes.
class CallbackWaker {
 public:
  explicit CallbackWaker(std::shared_ptr<grpc::Channel> channel);
  // Waits for the call that is under way.
  ~CallbackWaker();

 private:
  void Work();

  const std::shared_ptr<grpc::Channel> channel_;
  Bell stop_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_CALLBACK_WAKER_H_
