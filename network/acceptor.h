// Accepts connections and hands them to who serves them.
//
//   absl::StatusOr<ListeningSockets> sockets = Listen("127.0.0.1:0");
//   Acceptor acceptor(*std::move(sockets), {.spare_descriptors = 16},
//                     [](OwnedFd connection) { Serve(connection.release()); });
//   absl::Status started = acceptor.Start();
//
// It outlasts a process that is out of descriptors: what cannot be accepted
// waits, and is accepted when others have been closed.
#ifndef STOWAGE_NETWORK_ACCEPTOR_H_
#define STOWAGE_NETWORK_ACCEPTOR_H_

#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "network/listening_sockets.h"
#include "network/owned_fd.h"

namespace stowage {

// Owns the sockets and a thread that accepts. The file of a Unix socket is
// removed at the end.
class Acceptor {
 public:
  struct Options {
    // Descriptors that connections leave to the rest of the process, fewer
    // than it may have open. A connection that would take one of them is closed
    // at once: its client may try again, here or at another server, and who is
    // connected already is served as before.
    int spare_descriptors = 0;
    // Called for each of those, by the acceptor's thread.
    std::function<void()> on_refused = [] {};
  };

  // Connections wait in the kernel until Start. The acceptor's thread calls
  // `take`, which owns a connected socket that does not block.
  Acceptor(ListeningSockets listening, const Options& options,
           std::function<void(OwnedFd connection)> take);
  // Ends listening and waits for a call of `take` that is under way.
  ~Acceptor();

  // Begins to accept; call once. RESOURCE_EXHAUSTED without descriptors.
  absl::Status Start();

  // As clients spell it, with the port that was bound.
  const std::string& address() const { return listening_.address; }

 private:
  void Run();
  // False when the process has no descriptor for the connection that waits.
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
