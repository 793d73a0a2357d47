#include "tools/stowage/run/claim_call.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/session.h"
#include "tools/stowage/run/agent_call.h"

namespace stowage::cli {
namespace {

// The agent waits for 30 s until other jobs give fast memory back.
constexpr int kAnswerMs = 45'000;
constexpr int64_t kRestartNs = 10'000'000'000;
constexpr absl::Duration kAskAgain = absl::Milliseconds(50);

using Entries = std::vector<session::ClaimEntry>;

absl::Status NoAnswer(const std::string& socket_path) {
  return absl::UnavailableError(absl::StrCat(
      "the agent at '", socket_path,
      "' gave no answer; it may be stopping, or be of another release: look at "
      "its log"));
}

// Reads an answer of the agent, which is taken to be whole only if it is.
absl::StatusOr<Entries> ParseAnswer(const std::vector<char>& bytes,
                                    const std::string& socket_path) {
  session::ClaimAnswer answer{};
  if (bytes.size() < sizeof(answer)) return NoAnswer(socket_path);
  std::memcpy(&answer, bytes.data(), sizeof(answer));
  if (answer.magic != session::kClaimMagic ||
      answer.count > session::kMostClaims ||
      bytes.size() !=
          sizeof(answer) + answer.count * sizeof(session::ClaimEntry)) {
    return NoAnswer(socket_path);
  }
  answer.text[sizeof(answer.text) - 1] = '\0';
  if (answer.code != 0) {
    return absl::Status(static_cast<absl::StatusCode>(answer.code),
                        answer.text);
  }
  Entries entries(answer.count);
  std::memcpy(entries.data(), bytes.data() + sizeof(answer),
              bytes.size() - sizeof(answer));
  for (session::ClaimEntry& entry : entries) {
    entry.name[sizeof(entry.name) - 1] = '\0';
    entry.socket[sizeof(entry.socket) - 1] = '\0';
  }
  return entries;
}

absl::StatusOr<Entries> AskAgent(const std::string& socket_path,
                                 const session::ClaimRequest& request) {
  const absl::StatusOr<OwnedFd> agent = ConnectToAgent(socket_path);
  if (!agent.ok()) return agent.status();
  send(agent->get(), &request, sizeof(request), MSG_NOSIGNAL);
  std::vector<char> bytes(sizeof(session::ClaimAnswer) +
                          session::kMostClaims * sizeof(session::ClaimEntry));
  pollfd ready{agent->get(), POLLIN, 0};
  if (poll(&ready, 1, kAnswerMs) <= 0) return NoAnswer(socket_path);
  const ssize_t size = recv(agent->get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return NoAnswer(socket_path);
  bytes.resize(size);
  return ParseAnswer(bytes, socket_path);
}

// Returns whether an agent has left its socket, or begins just now.
bool MayComeBack(const absl::Status& status, const std::string& socket_path) {
  std::error_code error;
  return absl::IsUnavailable(status) &&
         std::filesystem::exists(socket_path, error);
}

}  // namespace

absl::StatusOr<Entries> CallForClaims(const std::string& socket_path,
                                      session::ClaimRequest request) {
  request.magic = session::kClaimMagic;
  request.version = session::kVersion;
  absl::StatusOr<Entries> entries = AskAgent(socket_path, request);
  if (!MayComeBack(entries.status(), socket_path)) return entries;
  std::cerr << "stowage: " << entries.status().message()
            << "; waiting up to 10 s for an agent that is started again\n";
  const int64_t end_ns = session::NowNs() + kRestartNs;
  while (MayComeBack(entries.status(), socket_path) &&
         session::NowNs() < end_ns) {
    absl::SleepFor(kAskAgain);
    entries = AskAgent(socket_path, request);
  }
  return entries;
}

}  // namespace stowage::cli
