// Sends what load balancers, browsers and strangers send to the metrics port.
#include <signal.h>

#include <deque>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/tcp_connection.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class StowagedHttpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
  }

  void TearDown() override {
    EXPECT_TRUE(server_.Connect()->ListGraphs().ok());
    server_.Signal(SIGTERM);
    EXPECT_EQ(server_.Wait(), 0) << server_.output();
  }

  std::string Fetch(const std::string& method, const std::string& path) {
    return stowage::Fetch(server_.metrics_address(), method, path);
  }

  StowagedProcess server_;
};

TEST_F(StowagedHttpTest, ServesMetrics) {
  EXPECT_THAT(
      Fetch("GET", "/metrics"),
      AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
            HasSubstr(
                "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            HasSubstr("stowaged_graphs 0\n")));
  EXPECT_THAT(Fetch("HEAD", "/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(StowagedHttpTest, SaysThatItIsAliveAndReady) {
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_THAT(Fetch("GET", path), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                                          EndsWith("\r\n\r\nok\n")));
  }
}

TEST_F(StowagedHttpTest, TheRootLinksToTheMetrics) {
  EXPECT_THAT(Fetch("GET", "/"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                                       HasSubstr("<a href=\"/metrics\">")));
}

TEST_F(StowagedHttpTest, OtherPathsAreNotFound) {
  for (const char* path : {"/nope", "/metrics/", "/metrics/x", "//"}) {
    EXPECT_THAT(Fetch("GET", path), StartsWith("HTTP/1.1 404 ")) << path;
    EXPECT_THAT(Fetch("HEAD", path), StartsWith("HTTP/1.1 404 ")) << path;
  }
}

TEST_F(StowagedHttpTest, RefusesMethodsThatChangeThings) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"}) {
    for (const char* path : {"/", "/metrics", "/nope"}) {
      EXPECT_THAT(Fetch(method, path), AllOf(StartsWith("HTTP/1.1 405 "),
                                             HasSubstr("Allow: GET, HEAD\r\n")))
          << method << " " << path;
    }
  }
}

TEST_F(StowagedHttpTest, SlowAndIdleClientsDoNotDelayAScrape) {
  std::deque<TcpConnection> clients;
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back(server_.metrics_address());
    if (i % 2 == 0) clients.back().Send("GET /metrics HTTP/1.1\r\nHo");
  }
  EXPECT_THAT(Fetch("GET", "/metrics"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

}  // namespace
}  // namespace stowage
