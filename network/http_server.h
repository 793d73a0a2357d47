// Serves pages over HTTP: metrics, and what else a program says of itself.
//
//   absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
//       "127.0.0.1:0", {.title = "stowaged"},
//       {{"/metrics", [] { return HttpPage{.body = "..."}; }}});
//   std::cerr << (*server)->address();  // "127.0.0.1:40123"
//
// libmicrohttpd speaks HTTP. Clients fetch pages with GET and HEAD, and call
// functions with POST. Other methods get 405, other paths get 404, a body that
// is too large gets 413, and "/" links to the pages.
//
// Each connection has its own thread, so that neither a client that reads
// slowly nor a page that waits for a database holds up others. When there are
// as many connections as there may be, the oldest makes way for a new one, so
// that idle clients keep nobody out.
#ifndef STOWAGE_NETWORK_HTTP_SERVER_H_
#define STOWAGE_NETWORK_HTTP_SERVER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "network/acceptor.h"
#include "timing/bell.h"

struct MHD_Daemon;

namespace stowage {

struct HttpPage {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// The functions that make the pages, by path ("/metrics"). Several threads may
// call one at once, each for one request.
using HttpPages = std::map<std::string, std::function<HttpPage()>>;

// The functions that answer a POST with that body, by path. Several threads may
// call one at once.
using HttpFunctions =
    std::map<std::string, std::function<HttpPage(const std::string& body)>>;

// Owns its threads and connections. The destructor waits for pages under way.
class HttpServer {
 public:
  struct Options {
    std::string title;  // of the page "/"
    int max_connections = 64;
    // How long a connection may be idle or stuck before it is closed; whole
    // seconds.
    absl::Duration idle_timeout = absl::Seconds(10);
    size_t max_body_bytes = size_t{16} << 20;  // of a POST
  };

  // Listens at "host:port" (port 0: any free one) or "unix:/path".
  // INVALID_ARGUMENT and UNAVAILABLE as Listen(); RESOURCE_EXHAUSTED if no
  // thread or descriptor is left.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& address, Options options, HttpPages pages,
      HttpFunctions functions = {});

  ~HttpServer();

  // Returns the address for clients, with the port that was bound.
  const std::string& address() const { return acceptor_->address(); }

 private:
  struct Callbacks;  // the functions that libmicrohttpd calls

  HttpServer(Options options, HttpPages pages, HttpFunctions functions);

  absl::Status Serve(ListeningSockets listening);
  unsigned MostConnections() const;
  void Take(OwnedFd connection);
  bool AwaitRoom();
  // Returns whether a path is one of the functions, or a page otherwise.
  bool IsFunction(const std::string& path) const;
  HttpPage AnswerTo(const std::string& path, const std::string& method,
                    const std::string& body) const;
  // Notes a connection that has begun, and closes the oldest if there are too
  // many.
  void OnConnected(int fd);
  // Forgets a connection that is about to be closed.
  void OnDisconnected(int fd);

  const Options options_;
  const HttpPages pages_;
  const HttpFunctions functions_;
  absl::Mutex mutex_;
  // The connections, oldest first, without those that had to make way.
  std::deque<int> open_ ABSL_GUARDED_BY(mutex_);
  unsigned connections_ ABSL_GUARDED_BY(mutex_) = 0;
  Bell closed_;  // rings when a connection is no longer counted
  MHD_Daemon* daemon_ = nullptr;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace stowage

#endif  // STOWAGE_NETWORK_HTTP_SERVER_H_
