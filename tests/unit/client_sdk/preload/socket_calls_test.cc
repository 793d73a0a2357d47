// Makes every call that sends or receives, on memory that only instructions
// reach.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/preload/slow_memory.h"

namespace stowage::preload {
namespace {

class SocketCallsTest : public testing::Test {
 protected:
  ~SocketCallsTest() override {
    close(near_);
    close(far_);
  }
  void Connect(int type) {
    int fds[2];
    ASSERT_EQ(socketpair(AF_UNIX, type, 0, fds), 0);
    near_ = fds[0];
    far_ = fds[1];
  }

  int near_ = -1, far_ = -1;
  const std::string bytes_ = RandomBytes(kManyPieces);
};

TEST_F(SocketCallsTest, SendsAllAndReceivesAll) {
  Connect(SOCK_STREAM);
  std::thread sender([&] {
    const SlowMemory from(bytes_);
    EXPECT_EQ(send(near_, from.data(), from.size(), 0), from.size());
  });
  const SlowMemory to(kManyPieces);
  EXPECT_EQ(recv(far_, to.data(), to.size(), MSG_WAITALL), to.size());
  EXPECT_EQ(to.Bytes(), bytes_);
  sender.join();
}

TEST_F(SocketCallsTest, ReceivesWhatThereIs) {
  Connect(SOCK_STREAM);
  ASSERT_EQ(send(near_, bytes_.data(), 1000, 0), 1000);
  const SlowMemory to(kManyPieces);
  EXPECT_EQ(
      recv(far_, to.data(), to.size(), MSG_PEEK | MSG_WAITALL | MSG_DONTWAIT),
      1000);
  EXPECT_EQ(recvfrom(far_, to.data(), to.size(), 0, nullptr, nullptr), 1000);
  EXPECT_EQ(to.Bytes().substr(0, 1000), bytes_.substr(0, 1000));
  EXPECT_EQ(recv(far_, to.data(), to.size(), MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(SocketCallsTest, AMessageStaysOneMessage) {
  Connect(SOCK_SEQPACKET);
  const SlowMemory from(bytes_.substr(0, 100'000)), to(200'000);
  EXPECT_EQ(sendto(near_, from.data(), from.size(), 0, nullptr, 0), 100'000);
  EXPECT_EQ(recv(far_, to.data(), to.size(), 0), 100'000);
  EXPECT_EQ(to.Bytes().substr(0, 100'000), bytes_.substr(0, 100'000));
}

TEST_F(SocketCallsTest, AMessageThatIsTooLongIsRefusedWhole) {
  Connect(SOCK_SEQPACKET);
  const SlowMemory from(bytes_);
  EXPECT_EQ(send(near_, from.data(), from.size(), 0), -1);
  EXPECT_EQ(errno, EMSGSIZE);
  EXPECT_EQ(write(near_, from.data(), from.size()), -1);
  EXPECT_EQ(errno, EMSGSIZE);
}

TEST_F(SocketCallsTest, ATruncatedMessageTellsItsLength) {
  Connect(SOCK_SEQPACKET);
  ASSERT_EQ(send(near_, bytes_.data(), 5000, 0), 5000);
  const SlowMemory to(kPageBytes);
  EXPECT_EQ(recv(far_, to.data(), 100, MSG_TRUNC), 5000);
  EXPECT_EQ(to.Bytes().substr(0, 101), bytes_.substr(0, 100) + '\0');
}

TEST_F(SocketCallsTest, DescriptorsTravelOnceWithAMessage) {
  Connect(SOCK_STREAM);
  int received = -1;
  std::thread sender([&] {
    const SlowMemory from(bytes_);
    iovec part{from.data(), from.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    *header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &near_, sizeof(int));
    EXPECT_EQ(sendmsg(near_, &message, 0), kManyPieces);
  });
  const SlowMemory to(kManyPieces);
  size_t done = 0;
  int descriptors = 0;
  while (done < kManyPieces) {
    iovec part{to.data() + done, kManyPieces - done};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t got = recvmsg(far_, &message, 0);
    ASSERT_GT(got, 0);
    done += got;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) continue;
    ++descriptors;
    memcpy(&received, CMSG_DATA(header), sizeof(int));
  }
  sender.join();
  EXPECT_EQ(to.Bytes(), bytes_);
  EXPECT_EQ(descriptors, 1);
  EXPECT_EQ(close(received), 0);
}

TEST_F(SocketCallsTest, OfSeveralMessagesOneGoesAtATime) {
  Connect(SOCK_SEQPACKET);
  const SlowMemory slow(std::string("slow"));
  std::string fast = "fast!";
  iovec parts[] = {{fast.data(), 5}, {slow.data(), 4}};
  mmsghdr messages[2] = {};
  for (int i : {0, 1}) {
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  EXPECT_EQ(sendmmsg(near_, messages, 2, 0), 1);
  EXPECT_EQ(messages[0].msg_len, 5);
  EXPECT_EQ(sendmmsg(near_, messages + 1, 1, 0), 1);
  const SlowMemory to(kPageBytes);
  iovec in{to.data(), to.size()};
  mmsghdr received[1] = {};
  received[0].msg_hdr.msg_iov = &in;
  received[0].msg_hdr.msg_iovlen = 1;
  EXPECT_EQ(recvmmsg(far_, received, 1, 0, nullptr), 1);
  EXPECT_EQ(to.Bytes().substr(0, received[0].msg_len), "fast!");
  EXPECT_EQ(recvmmsg(far_, received, 1, 0, nullptr), 1);
  EXPECT_EQ(to.Bytes().substr(0, received[0].msg_len), "slow");
}

}  // namespace
}  // namespace stowage::preload
