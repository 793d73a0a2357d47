#include "network/http_server.h"

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/network/tcp_connection.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kMaxConnections = 4;

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(HttpPages pages, HttpFunctions functions = {}) {
    absl::StatusOr<std::unique_ptr<HttpServer>> started =
        HttpServer::Start("127.0.0.1:0",
                          {.title = "here",
                           .max_connections = kMaxConnections,
                           .max_body_bytes = 100},
                          std::move(pages), std::move(functions));
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
  }

  std::string Get(const std::string& path) {
    return Fetch(server_->address(), "GET", path);
  }

  std::unique_ptr<HttpServer> server_;
};

HttpPage Hello() { return {.body = "hello\n"}; }

TEST_F(HttpServerTest, ServesAPage) {
  Start({{"/hello", Hello}});
  EXPECT_THAT(Get("/hello"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                    HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"),
                    EndsWith("\r\n\r\nhello\n")));
  EXPECT_THAT(Get("/hello?now=1"), EndsWith("\r\n\r\nhello\n"));
}

TEST_F(HttpServerTest, APageHasTheStatusThatItWants) {
  Start({{"/ready", [] { return HttpPage{.status = 503, .body = "no\n"}; }}});
  EXPECT_THAT(Get("/ready"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, TheRootLinksToThePages) {
  Start({{"/hello", Hello}, {"/bye", Hello}});
  EXPECT_THAT(Get("/"), AllOf(HasSubstr("<h1>here</h1>"),
                              HasSubstr("<a href=\"/hello\">"),
                              HasSubstr("<a href=\"/bye\">")));
}

TEST_F(HttpServerTest, HeadTellsTheLengthAndSendsNothing) {
  Start({{"/hello", Hello}});
  EXPECT_THAT(Fetch(server_->address(), "HEAD", "/hello"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                    HasSubstr("Content-Length: 6\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, AnswersSeveralRequestsOnAConnection) {
  Start({{"/hello", Hello}});
  TcpConnection connection(server_->address());
  connection.Send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  connection.Send(
      "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
  connection.Send("abc");
  connection.Send("GET /no HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(connection.ReceiveAll(),
              ContainsRegex("hello\n(.|\n)*hello\nHTTP/1.1 404 "));
}

// Returns the answer to a POST whose body arrives in two pieces.
std::string Post(const std::string& address, const std::string& path,
                 const std::string& body) {
  TcpConnection connection(address);
  connection.Send(absl::StrCat("POST ", path,
                               " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                               "Content-Length: ",
                               body.size(), "\r\n\r\n",
                               body.substr(0, body.size() / 2)));
  connection.Send(body.substr(body.size() / 2));
  return connection.ReceiveAll();
}

TEST_F(HttpServerTest, AFunctionAnswersAPostWithItsWholeBody) {
  Start({{"/hello", Hello}}, {{"/echo", [](const std::string& body) {
                                 return HttpPage{.body = "<" + body + ">"};
                               }}});
  EXPECT_THAT(Post(server_->address(), "/echo", "a question"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                    EndsWith("\r\n\r\n<a question>")));
  EXPECT_THAT(Post(server_->address(), "/echo", ""), EndsWith("<>"));
}

TEST_F(HttpServerTest, ABodyThatIsTooLargeIsRefused) {
  Start({}, {{"/echo", [](const std::string&) { return Hello(); }}});
  EXPECT_THAT(Post(server_->address(), "/echo", std::string(101, 'a')),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Post(server_->address(), "/echo", std::string(100, 'a')),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, AFunctionIsNoPageAndAPageNoFunction) {
  Start({{"/hello", Hello}},
        {{"/echo", [](const std::string&) { return Hello(); }}});
  EXPECT_THAT(Get("/echo"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: POST\r\n")));
  EXPECT_THAT(Post(server_->address(), "/hello", "a"),
              StartsWith("HTTP/1.1 405 "));
}

TEST_F(HttpServerTest, RefusesABodyBeforeItArrives) {
  Start({{"/hello", Hello}});
  TcpConnection connection(server_->address());
  connection.Send(
      "PUT /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n");
  EXPECT_THAT(
      connection.ReceiveAll(),
      AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
}

TEST_F(HttpServerTest, APageThatWaitsHoldsUpNoOther) {
  absl::Notification let_go;
  Start({{"/hello", Hello}, {"/wait", [&] {
                               let_go.WaitForNotification();
                               return Hello();
                             }}});
  auto waiting = std::async(std::launch::async, [&] { return Get("/wait"); });
  for (int i = 0; i < 2 * kMaxConnections; ++i) {
    EXPECT_THAT(Get("/hello"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  let_go.Notify();
  EXPECT_THAT(waiting.get(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, IdleAndSlowClientsKeepNobodyOut) {
  Start({{"/hello", Hello}});
  std::deque<TcpConnection> idle;
  for (int i = 0; i < 10 * kMaxConnections; ++i) {
    idle.emplace_back(server_->address());
    if (i % 2 == 0) idle.back().Send("GET /hello HT");
    EXPECT_THAT(Get("/hello"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST_F(HttpServerTest, OutlastsManyConnectionsAtATime) {
  Start({{"/hello", Hello}});
  std::deque<TcpConnection> clients;
  for (int i = 0; i < 50 * kMaxConnections; ++i) {
    clients.emplace_back(server_->address());
  }
  clients.clear();
  EXPECT_THAT(Get("/hello"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, TheOldestConnectionMakesWay) {
  Start({{"/hello", Hello}});
  TcpConnection oldest(server_->address());
  std::deque<TcpConnection> newer;
  for (int i = 0; i < kMaxConnections; ++i) {
    newer.emplace_back(server_->address());
  }
  EXPECT_EQ(oldest.ReceiveAll(), "");
}

TEST_F(HttpServerTest, StaysUpWhateverItIsSent) {
  Start({{"/hello", Hello}});
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8),
        std::string(100, '\0'),
        "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1 << 20, 'b'),
        std::string("GET /%00%ff%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string("GET http://a/hello HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a"
                    "\r\n\r\nffffffffffffffffffff\r\n")}) {
    TcpConnection connection(server_->address());
    connection.Send(bytes);
  }
  EXPECT_THAT(Get("/hello"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, RefusesAnAddressThatIsTaken) {
  Start({});
  const absl::Status taken =
      HttpServer::Start(server_->address(), {}, {}).status();
  EXPECT_TRUE(absl::IsUnavailable(taken)) << taken;
  EXPECT_THAT(std::string(taken.message()), HasSubstr("name another"));
}

}  // namespace
}  // namespace stowage
