#include "network/loopback.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

TEST(LoopbackTest, LoopbackAddressesAndUnixSocketsStayOnTheHost) {
  for (const char* address :
       {"unix:/run/stowaged.sock", "unix:relative.sock", "unix-abstract:name",
        "127.0.0.1:7420", "127.9.9.9:0", "[::1]:7420",
        "[::ffff:127.0.0.1]:7420", "localhost:7420", "dns:localhost:7420",
        "dns:///localhost:7420", "dns://127.0.0.1:53/localhost:7420",
        "ipv4:127.0.0.1:1,127.0.0.2:2", "ipv6:[::1]:1",
        "unix:/run/a.sock,localhost:7420"}) {
    const absl::StatusOr<bool> stays = StaysOnHost(address);
    EXPECT_TRUE(stays.ok() && *stays) << address << " " << stays.status();
  }
}

TEST(LoopbackTest, EveryInterfaceAndOtherHostsAreElsewhere) {
  for (const char* address :
       {"0.0.0.0:7420", "[::]:7420", ":7420", "10.1.2.3:7420",
        "[2001:db8::1]:7420", "[::ffff:10.0.0.1]:7420", "128.0.0.1:7420",
        "dns:///10.1.2.3:7420", "ipv4:127.0.0.1:1,10.1.2.3:1",
        "unix:/run/a.sock,10.1.2.3:1"}) {
    const absl::StatusOr<bool> stays = StaysOnHost(address);
    EXPECT_TRUE(stays.ok() && !*stays) << address << " " << stays.status();
  }
}

TEST(LoopbackTest, SaysWhatIsWrongWithAnAddress) {
  for (const char* address : {"", "localhost", "127.0.0.1:", "[::1]"}) {
    EXPECT_THAT(std::string(StaysOnHost(address).status().message()),
                HasSubstr("has no port"))
        << address;
  }
  const absl::StatusOr<bool> unknown = StaysOnHost("no-such-host.invalid:1");
  EXPECT_TRUE(absl::IsInvalidArgument(unknown.status())) << unknown.status();
  EXPECT_THAT(std::string(unknown.status().message()),
              HasSubstr("'no-such-host.invalid' cannot be resolved"));
}

}  // namespace
}  // namespace stowage
