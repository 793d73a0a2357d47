// Plays an agent that answers a job's greeting with anything.
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agents/jobs/admission/job_socket.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/tiers/owned_fd.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/session/descriptor_message.h"
#include "client_sdk/session/page_sums.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

constexpr int64_t kTierBytes = 1 << 20;

agent::OwnedFd MakeMemory(int64_t size_bytes) {
  agent::OwnedFd fd(memfd_create("fuzz", MFD_CLOEXEC));
  Require(ftruncate(fd.get(), size_bytes) == 0, "there is shared memory");
  return fd;
}

session::Welcome SoundWelcome() {
  session::Welcome welcome{};
  welcome.magic = session::kMagic;
  welcome.version = session::kVersion;
  welcome.accepted = 1;
  agent::SetText(welcome.job_id, "node-1-1");
  welcome.segment_bytes = sizeof(session::Segment);
  welcome.tier_count = 2;
  for (session::TierInfo& tier : welcome.tiers) {
    agent::SetText(tier.name, "tier");
    tier.flags = session::kTierAddressable;
    tier.capacity_bytes = kTierBytes;
  }
  return welcome;
}

// Sends a welcome in which some bytes are others, with some descriptors.
void Answer(FuzzInput& input, int socket) {
  const agent::OwnedFd segment = MakeMemory(sizeof(session::Segment));
  const agent::OwnedFd tier = MakeMemory(kTierBytes);
  session::Welcome welcome = SoundWelcome();
  const auto flags = input.Take<uint8_t>();
  for (int patches = flags % 4; patches > 0; --patches) {
    const size_t at = input.Take<uint16_t>() % sizeof(welcome);
    const auto bytes = input.TakeBytes(input.Take<uint16_t>() % 700);
    std::memcpy(reinterpret_cast<char*>(&welcome) + at, bytes.data(),
                std::min(bytes.size(), sizeof(welcome) - at));
  }
  std::vector<int> descriptors = {segment.get(), tier.get(), tier.get()};
  descriptors.resize((flags & 4) != 0 ? flags / 8 % 7 : 3, tier.get());
  std::string bytes(reinterpret_cast<const char*>(&welcome), sizeof(welcome));
  if ((flags & 128) != 0) bytes.resize(1 + input.Take<uint16_t>() % 4096);
  session::SendMessage(socket, bytes.data(), bytes.size(), descriptors);
}

// Takes back what a job keeps until its process ends.
void Unmap(const runtime::SessionClient& client) {
  if (client.segment() != nullptr) {
    munmap(client.segment(), sizeof(session::Segment));
  }
  for (const runtime::MappedTier& tier : client.tiers()) {
    munmap(tier.base, tier.info.capacity_bytes);
    if (tier.sums == nullptr) continue;
    munmap(tier.sums, session::PageSums::TableBytes(tier.info.capacity_bytes));
  }
}

void CheckClient(const runtime::SessionClient& client) {
  Require(client.tiers().size() >= 2, "a job has two tiers");
  for (const runtime::MappedTier& tier : client.tiers()) {
    Require(tier.base != nullptr && tier.info.capacity_bytes > 0,
            "tiers have room");
  }
  const session::Welcome& welcome = client.welcome();
  Require(
      strnlen(welcome.job_id, sizeof(welcome.job_id)) < sizeof(welcome.job_id),
      "ids end");
}

void Greet(FuzzInput& input) {
  static const TemporaryDirectory directory;
  static const std::string path = directory.path() + "/agent.sock";
  unlink(path.c_str());
  const auto listener = agent::ListenAt(path, {});
  Require(listener.ok(), "the fuzzer listens");
  // The first descriptor that is free is the lowest of what the job opens.
  const int first_fd = dup(listener->get());
  close(first_fd);
  runtime::SessionClient client;
  std::thread agent([&] {
    pollfd ready{listener->get(), POLLIN, 0};
    poll(&ready, 1, -1);
    const agent::OwnedFd socket(accept(listener->get(), nullptr, nullptr));
    // What is unread when a socket closes takes the answer with it.
    session::Hello hello;
    std::vector<int> none;
    session::ReceiveMessage(socket.get(), &hello, sizeof(hello), &none);
    Answer(input, socket.get());
  });
  session::Hello hello{};
  hello.magic = session::kMagic;
  hello.version = session::kVersion;
  const std::string error = client.Connect(path, hello);
  agent.join();
  if (error.empty()) CheckClient(client);
  Require(error.size() < sizeof(session::Welcome::error) + 64,
          "errors are no longer than the agent may write");
  Unmap(client);
  close_range(first_fd, ~0u, 0);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::FuzzInput input(data, size);
  stowage::Greet(input);
  return 0;
}
