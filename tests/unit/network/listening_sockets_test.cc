#include "network/listening_sockets.h"

#include <sys/socket.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "network/host_port.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

bool CanConnect(const std::string& address) {
  const AddressList at = *Resolve(HostPorts(address)->front());
  const OwnedFd client(socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(client.get(), at->ai_addr, at->ai_addrlen) == 0;
}

std::string PortOf(const ListeningSockets& listening) {
  return listening.address.substr(listening.address.rfind(':'));
}

TEST(ListeningSocketsTest, NamesThePortThatItFound) {
  const auto listening = Listen("127.0.0.1:0");
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_THAT(listening->address, StartsWith("127.0.0.1:"));
  EXPECT_TRUE(CanConnect(listening->address));
}

TEST(ListeningSocketsTest, ListensAtEveryAddressOfAHostAtOnePort) {
  const auto listening = Listen("localhost:0");
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_TRUE(CanConnect("127.0.0.1" + PortOf(*listening)));
}

TEST(ListeningSocketsTest, AnEmptyHostMeansEveryInterface) {
  const auto listening = Listen(":0");
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_THAT(listening->sockets, SizeIs(1));
  EXPECT_TRUE(CanConnect("127.0.0.1" + PortOf(*listening)));
}

TEST(ListeningSocketsTest, TakesListsOfAddresses) {
  const auto listening = Listen("ipv4:127.0.0.1:0,127.0.0.2:0");
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_THAT(listening->sockets, SizeIs(2));
}

TEST(ListeningSocketsTest, RefusesAnAddressThatIsTaken) {
  const auto first = Listen("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = Listen(first->address).status();
  EXPECT_TRUE(absl::IsUnavailable(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr(first->address));
}

TEST(ListeningSocketsTest, RefusesWhatIsNoAddressOfThisHost) {
  EXPECT_TRUE(absl::IsUnavailable(Listen("192.0.2.1:0").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Listen("127.0.0.1").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Listen("127.0.0.1:port").status()));
}

TEST(ListeningSocketsTest, ListensAtAUnixSocketThatNobodyServes) {
  agent::TempDirectory directory;
  const std::string address = "unix:" + directory.path() + "/a.sock";
  for (int run = 0; run < 2; ++run) {  // the first leaves its file behind
    const auto listening = Listen(address);
    ASSERT_TRUE(listening.ok()) << listening.status();
    EXPECT_EQ(listening->address, address);
  }
}

TEST(ListeningSocketsTest, LeavesAUnixSocketToWhoServesIt) {
  agent::TempDirectory directory;
  for (const std::string& address : {"unix:" + directory.path() + "/a.sock",
                                     "unix-abstract:" + directory.path()}) {
    const auto first = Listen(address);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_TRUE(absl::IsUnavailable(Listen(address).status())) << address;
  }
}

TEST(ListeningSocketsTest, KeepsFilesThatAreNoSockets) {
  agent::TempDirectory directory;
  const std::string path = directory.path() + "/notes";
  std::ofstream(path) << "mine";
  EXPECT_TRUE(absl::IsUnavailable(Listen("unix:" + path).status()));
  EXPECT_TRUE(std::ifstream(path).good());
}

TEST(ListeningSocketsTest, RefusesAPathThatIsTooLong) {
  EXPECT_TRUE(absl::IsUnavailable(
      Listen(absl::StrCat("unix:/", std::string(200, 'a'))).status()));
}

}  // namespace
}  // namespace stowage
