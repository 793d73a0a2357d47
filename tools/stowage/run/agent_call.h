// Connects to a node agent, to ask it for something.
//
//   absl::StatusOr<OwnedFd> agent = ConnectToAgent("/run/stowage/agent.sock");
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_AGENT_CALL_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_AGENT_CALL_H_

#include <cstddef>
#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "network/owned_fd.h"

namespace stowage::cli {

// Copies `text` into a field of a message that is all zeros; false if it does
// not fit.
template <size_t N>
bool FillField(const std::string& text, char (&field)[N]) {
  if (text.size() >= N) return false;
  std::memcpy(field, text.data(), text.size());
  return true;
}

// Connects to the agent's socket. UNAVAILABLE: no agent listens there.
// INVALID_ARGUMENT: the path is too long. Does not block.
absl::StatusOr<OwnedFd> ConnectToAgent(const std::string& socket_path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_AGENT_CALL_H_
