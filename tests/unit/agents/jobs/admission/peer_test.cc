#include "agents/jobs/admission/peer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "agents/tiers/owned_fd.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

// A user who is nobody of this host, and in no group of it.
constexpr uid_t kUser = 54321;
constexpr gid_t kGroup = 54322;

TEST(PeerTest, IsTheProcessThatConnected) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const OwnedFd near(ends[0]), far(ends[1]);
  const absl::StatusOr<Peer> peer = PeerOf(near.get());
  ASSERT_TRUE(peer.ok()) << peer.status();
  EXPECT_EQ(peer->pid, getpid());
  EXPECT_EQ(peer->uid, geteuid());
  EXPECT_EQ(peer->gid, getegid());
  EXPECT_EQ(peer->groups.size(), getgroups(0, nullptr));
}

TEST(PeerTest, IsNobodyOnWhatIsNoSocket) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const OwnedFd near(ends[0]), far(ends[1]);
  EXPECT_FALSE(PeerOf(near.get()).ok());
}

class PeerDirectoryTest : public testing::Test {
 protected:
  PeerDirectoryTest() {
    chmod(directory_.path().c_str(), 0755);
    mkdir(path_.c_str(), 0700);
  }

  absl::Status CheckWithMode(mode_t mode, const Peer& peer) {
    chmod(path_.c_str(), mode);
    return CheckMayMakeFiles(peer, path_);
  }

  TempDirectory directory_;
  const std::string path_ = std::string(directory_.path()) + "/d";
};

TEST_F(PeerDirectoryTest, CountsTheBitsOfOthersForAStranger) {
  const Peer stranger{.pid = 2, .uid = kUser, .gid = kGroup};
  EXPECT_TRUE(CheckWithMode(0703, stranger).ok());
  EXPECT_FALSE(CheckWithMode(0772, stranger).ok());
  EXPECT_FALSE(CheckWithMode(0771, stranger).ok());
}

TEST_F(PeerDirectoryTest, CountsTheBitsOfTheGroupForItsMembers) {
  const Peer member{.pid = 2, .uid = kUser, .gid = getegid()};
  const Peer other_member{
      .pid = 2, .uid = kUser, .gid = kGroup, .groups = {7, getegid()}};
  for (const Peer& peer : {member, other_member}) {
    EXPECT_TRUE(CheckWithMode(0730, peer).ok());
    EXPECT_FALSE(CheckWithMode(0707, peer).ok());
  }
}

TEST_F(PeerDirectoryTest, NamesTheDirectoryThatIsInTheWay) {
  const Peer stranger{.pid = 2, .uid = kUser, .gid = kGroup};
  chmod(directory_.path().c_str(), 0700);
  const absl::Status status = CheckWithMode(0777, stranger);
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("54321"));
}

TEST_F(PeerDirectoryTest, LeavesTheAgentsUserAndRootToTheKernel) {
  EXPECT_TRUE(CheckWithMode(0, {.pid = 2, .uid = geteuid()}).ok());
  EXPECT_TRUE(CheckWithMode(0, {.pid = 2, .uid = 0}).ok());
}

}  // namespace
}  // namespace stowage::agent
