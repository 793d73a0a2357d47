// Accepts connections and hands each to a function that serves it.
//
//   absl::StatusOr<ListeningSockets> sockets = Listen("127.0.0.1:0");
//   Acceptor acceptor(*std::move(sockets), {.spare_descriptors = 16},
//                     [](OwnedFd connection) { Serve(std::move(connection)); });
//   absl::Status started = acceptor.Start();
//
// When the process is out of descriptors, connections wait. The acceptor
// accepts them as soon as others have been closed.
#ifndef STOWAGE_NETWORK_ACCEPTOR_H_
#define STOWAGE_NETWORK_ACCEPTOR_H_

#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "network/listening_sockets.h"
#include "network/owned_fd.h"

namespace stowage {

// Owns the sockets and a thread that accepts. The destructor removes the file
// of a Unix socket.
class Acceptor {
 public:
  struct Options {
    // How many descriptors connections leave to the rest of the process; fewer
    // than it may have open. A connection that would take one of them is closed
    // at once. Its client may try again, here or at another server; those that
    // are connected are served as before.
    int spare_descriptors = 0;
    // The acceptor's thread calls this for each connection that it closes.
    std::function<void()> on_refused = [] {};
  };

  // Takes over `listening`, where connections wait until Start(). The
  // acceptor's thread then calls `take` with each connected socket, which does
  // not block.
  Acceptor(ListeningSockets listening, const Options& options,
           std::function<void(OwnedFd connection)> take);
  // Stops listening. Blocks until a call of `take` that is under way returns.
  ~Acceptor();

  // Begins to accept; call once. RESOURCE_EXHAUSTED without descriptors.
  absl::Status Start();

  // Returns the address for clients, with the port that was bound.
  const std::string& address() const { return listening_.address; }

 private:
  void Run();
  // Accepts one connection. Returns false if the process has no descriptor for
  // it.
  bool AcceptOne(const OwnedFd& socket);

  const ListeningSockets listening_;
  const int first_spare_descriptor_;
  const std::function<void()> on_refused_;
  const std::function<void(OwnedFd)> take_;
  OwnedFd stop_;  // an eventfd; readable: the thread ends
  std::thread thread_;
};

}  // namespace stowage

#endif  // STOWAGE_NETWORK_ACCEPTOR_H_
