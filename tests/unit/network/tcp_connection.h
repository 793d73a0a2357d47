// Connects to a server and sends it any bytes, in pieces if need be.
//
//   TcpConnection connection("127.0.0.1:9464");
//   connection.Send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
//   EXPECT_THAT(connection.ReceiveAll(), StartsWith("HTTP/1.1 200 OK"));
#ifndef STOWAGE_TESTS_UNIT_NETWORK_TCP_CONNECTION_H_
#define STOWAGE_TESTS_UNIT_NETWORK_TCP_CONNECTION_H_

#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <string>

#include "absl/strings/string_view.h"
#include "network/host_port.h"
#include "network/owned_fd.h"

namespace stowage {

// Connects to the first address of "host:port". One thread.
class TcpConnection {
 public:
  explicit TcpConnection(const std::string& address) {
    const AddressList at = *Resolve(HostPorts(address)->front());
    socket_ = OwnedFd(socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience = {.tv_sec = 5};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof(patience));
    // What is sent and received shows whether there is a connection.
    (void)connect(socket_.get(), at->ai_addr, at->ai_addrlen);
  }

  void Send(absl::string_view bytes) {
    send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  // Returns what the server sends until it closes the connection or is silent
  // for five seconds.
  std::string ReceiveAll() {
    std::string received;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t size_bytes =
          recv(socket_.get(), piece.data(), piece.size(), /*flags=*/0);
      if (size_bytes <= 0) return received;
      received.append(piece.data(), size_bytes);
    }
  }

 private:
  OwnedFd socket_;
};

// Returns the whole answer to a request without a body, headers included.
inline std::string Fetch(const std::string& address, absl::string_view method,
                         absl::string_view path) {
  TcpConnection connection(address);
  connection.Send(std::string(method) + " " + std::string(path) +
                  " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  return connection.ReceiveAll();
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_NETWORK_TCP_CONNECTION_H_
