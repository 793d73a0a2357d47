// Attaches this process to a node agent.
//
//   #include <stowage/attach.h>  // a LibTorch program in C++
//
//   stowage::AttachOptions options = stowage::AttachOptionsFromEnvironment();
//   options.fast = "40%";
//   const std::string error = stowage::Attach(options);
//   if (!error.empty()) return Fail(error);
//   // For each batch: forward, backward, optimizer.step(), and then
//   stowage::EndStep();
//
// tests/e2e/install/attached_mlp.cc is a whole one. Programs that `stowage run`
// starts, and Python, attach by themselves.
#ifndef STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_
#define STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_

#include <string>

namespace stowage {

struct AttachOptions {
  std::string agent_socket;
  std::string fast;    // "900MiB", "40%"; empty: the agent's default
  std::string slow;    // "file:/mnt/nvme"; empty: the agent's default
  std::string policy;  // empty: the agent's default
  std::string run_id;  // names the report
};

// From STOWAGE_AGENT, STOWAGE_FAST, STOWAGE_SLOW, STOWAGE_POLICY,
// STOWAGE_RUN_ID.
AttachOptions AttachOptionsFromEnvironment();

// Installs allocator and hook. Returns what went wrong and what to do, or an
// empty string. Once it has succeeded, further calls have no effect. Blocks
// until the agent answers. One thread at a time.
std::string Attach(const AttachOptions& options);

// Operators of the calling thread are seen from here on. The thread that
// attached needs no call.
void EnableThread();

// Ends a training step, for programs whose optimizer is not Python's.
void EndStep();

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_
