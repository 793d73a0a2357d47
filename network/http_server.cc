#include "network/http_server.h"

#include <microhttpd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "network/listening_sockets.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

constexpr unsigned kFlags =
    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
    // Unlike select, poll takes descriptors above 1023.
    MHD_USE_POLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC;
// The most bytes of a request's line and headers.
constexpr size_t kConnectionMemoryBytes = 16 << 10;

// How long a new connection waits for old ones to make way before it is closed.
constexpr absl::Duration kMakingWay = absl::Seconds(1);

// What is known of a request whose end has not arrived.
struct Request {
  std::string body;
  bool is_too_large = false;
};

void AddPiece(absl::string_view piece, size_t most_bytes, Request* request) {
  request->is_too_large |= request->body.size() + piece.size() > most_bytes;
  if (!request->is_too_large) absl::StrAppend(&request->body, piece);
}

std::string AllowedMethods(bool is_function) {
  return is_function ? "POST" : "GET, HEAD";
}

bool IsAllowed(absl::string_view method, bool is_function) {
  if (is_function) return method == MHD_HTTP_METHOD_POST;
  return method == MHD_HTTP_METHOD_GET || method == MHD_HTTP_METHOD_HEAD;
}

std::string IndexOf(absl::string_view title, const HttpPages& pages) {
  std::string html = absl::StrCat("<!DOCTYPE html>\n<title>", title,
                                  "</title>\n<h1>", title, "</h1>\n<ul>\n");
  for (const auto& [path, page] : pages) {
    absl::StrAppend(&html, "<li><a href=\"", path, "\">", path, "</a></li>\n");
  }
  return absl::StrCat(html, "</ul>\n");
}

// `allowed` are the methods that a page of status 405 names.
MHD_Result Send(MHD_Connection* connection, HttpPage page,
                const std::string& allowed) {
  MHD_Response* response = MHD_create_response_from_buffer(
      page.body.size(), page.body.data(), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;  // closes the connection
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                          page.content_type.c_str());
  if (page.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allowed.c_str());
  }
  const MHD_Result queued =
      MHD_queue_response(connection, page.status, response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

struct HttpServer::Callbacks {
  // Answers a request. The library calls it with the request's headers, with
  // each piece of its body, and at its end. `*state` is null in the first call
  // and what we have set it to in later ones.
  static MHD_Result OnRequest(void* self, MHD_Connection* connection,
                              const char* path, const char* method,
                              const char* /*version*/, const char* body,
                              size_t* body_bytes, void** state) {
    const auto* server = static_cast<HttpServer*>(self);
    const bool is_function = server->IsFunction(path);
    const bool first = *state == nullptr;
    if (first) *state = new Request;  // OnCompleted() deletes it
    auto* request = static_cast<Request*>(*state);
    // A method that is not allowed is refused before the body arrives. After an
    // answer the connection stays, so the whole request must be read first.
    if (IsAllowed(method, is_function) && (first || *body_bytes > 0)) {
      if (is_function) {
        AddPiece({body, *body_bytes}, server->options_.max_body_bytes, request);
      }
      *body_bytes = 0;
      return MHD_YES;
    }
    HttpPage page = request->is_too_large
                        ? HttpPage{.status = MHD_HTTP_PAYLOAD_TOO_LARGE,
                                   .body = "the body is too large\n"}
                        : server->AnswerTo(path, method, request->body);
    return Send(connection, std::move(page), AllowedMethods(is_function));
  }

  static void OnCompleted(void* /*self*/, MHD_Connection* /*connection*/,
                          void** state, MHD_RequestTerminationCode /*code*/) {
    delete static_cast<Request*>(*state);
  }

  static void OnConnection(void* self, MHD_Connection* connection,
                           void** /*socket_context*/,
                           MHD_ConnectionNotificationCode code) {
    const int fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
            ->connect_fd;
    auto* server = static_cast<HttpServer*>(self);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      server->OnConnected(fd);
    } else {
      server->OnDisconnected(fd);
    }
  }
};

HttpServer::HttpServer(Options options, HttpPages pages,
                       HttpFunctions functions)
    : options_(std::move(options)),
      pages_(std::move(pages)),
      functions_(std::move(functions)) {}

HttpServer::~HttpServer() {
  acceptor_.reset();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& address, Options options, HttpPages pages,
    HttpFunctions functions) {
  absl::StatusOr<ListeningSockets> listening = Listen(address);
  if (!listening.ok()) return listening.status();
  std::unique_ptr<HttpServer> server(new HttpServer(
      std::move(options), std::move(pages), std::move(functions)));
  absl::Status serving = server->Serve(*std::move(listening));
  if (!serving.ok()) return serving;
  return server;
}

absl::Status HttpServer::Serve(ListeningSockets listening) {
  daemon_ = MHD_start_daemon(
      kFlags, /*port=*/0, /*apc=*/nullptr, /*apc_cls=*/nullptr,
      &Callbacks::OnRequest, this, MHD_OPTION_NOTIFY_CONNECTION,
      &Callbacks::OnConnection, this, MHD_OPTION_NOTIFY_COMPLETED,
      &Callbacks::OnCompleted, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemoryBytes, MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(absl::ToInt64Seconds(options_.idle_timeout)),
      // Never reached: libmicrohttpd 0.9.75 leaves a lock locked there.
      MHD_OPTION_CONNECTION_LIMIT, 2 * MostConnections(), MHD_OPTION_END);
  if (daemon_ == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot serve HTTP at ", listening.address,
        ": no thread or descriptor is left; raise the limits of ulimit"));
  }
  acceptor_ = std::make_unique<Acceptor>(
      std::move(listening), Acceptor::Options(),
      [this](OwnedFd connection) { Take(std::move(connection)); });
  return acceptor_->Start();
}

// Returns how many connections there may be, with those that make way: these
// take a moment to close, or as long as their page waits.
unsigned HttpServer::MostConnections() const {
  return 2 * options_.max_connections;
}

void HttpServer::Take(OwnedFd connection) {
  if (!AwaitRoom()) return;
  sockaddr_storage peer = {};
  socklen_t size_bytes = sizeof(peer);
  auto* address = reinterpret_cast<sockaddr*>(&peer);
  getpeername(connection.get(), address, &size_bytes);
  if (MHD_add_connection(daemon_, connection.release(), address, size_bytes) !=
      MHD_YES) {
    absl::MutexLock lock(&mutex_);
    --connections_;
    closed_.Ring();
  }
}

// Counts one more connection, as soon as there may be one. Returns false where
// none makes way.
bool HttpServer::AwaitRoom() {
  const absl::Time end = SteadyNow() + kMakingWay;
  uint64_t heard;
  do {
    heard = closed_.rings();
    absl::MutexLock lock(&mutex_);
    if (connections_ < MostConnections()) {
      ++connections_;
      return true;
    }
  } while (closed_.AwaitFor(end - SteadyNow(), heard));
  return false;
}

bool HttpServer::IsFunction(const std::string& path) const {
  return functions_.contains(path);
}

HttpPage HttpServer::AnswerTo(const std::string& path,
                              const std::string& method,
                              const std::string& body) const {
  const auto function = functions_.find(path);
  const bool is_function = function != functions_.end();
  if (!IsAllowed(method, is_function)) {
    return {.status = MHD_HTTP_METHOD_NOT_ALLOWED,
            .body = absl::StrCat("only ", AllowedMethods(is_function),
                                 " is answered here\n")};
  }
  if (is_function) return function->second(body);
  const auto page = pages_.find(path);
  if (page != pages_.end()) return page->second();
  if (path == "/") {
    return {.content_type = "text/html; charset=utf-8",
            .body = IndexOf(options_.title, pages_)};
  }
  return {.status = MHD_HTTP_NOT_FOUND,
          .body = "no such page; / lists those that there are\n"};
}

void HttpServer::OnConnected(int fd) {
  absl::MutexLock lock(&mutex_);
  open_.push_back(fd);
  if (open_.size() <= options_.max_connections) return;
  // The connection's thread wakes up and closes it. The descriptor still
  // belongs to the connection, because OnDisconnected() comes before it is
  // closed.
  shutdown(open_.front(), SHUT_RDWR);
  open_.pop_front();
}

void HttpServer::OnDisconnected(int fd) {
  absl::MutexLock lock(&mutex_);
  open_.erase(std::remove(open_.begin(), open_.end(), fd), open_.end());
  --connections_;
  closed_.Ring();
}

}  // namespace stowage
