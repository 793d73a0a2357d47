// Attaches a LibTorch program in C++ to a node agent.
//
//   #include <stowage/attach.h>
//
//   stowage::AttachOptions options = stowage::AttachOptionsFromEnvironment();
//   options.fast = "40%";
//   const std::string error = stowage::Attach(options);
//   if (!error.empty()) throw std::runtime_error(error);
//   // For each batch: forward, backward, optimizer.step(), and then
//   stowage::EndStep();
//
// tests/e2e/install/attached_mlp.cc is a whole program. Programs that
// `stowage run` starts attach by themselves, and Python programs call
// stowage.init().
#ifndef STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_
#define STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_

#include <string>

namespace stowage {

struct AttachOptions {
  std::string agent_socket;
  std::string fast;  // "900MiB", "40%", "8GiB/host"; empty: the agent's default
  std::string slow;  // "file:/mnt/nvme"; empty: the agent's default
  std::string policy;  // empty: the agent's default
  std::string run_id;  // names the report
};

// Reads STOWAGE_AGENT, STOWAGE_FAST, STOWAGE_SLOW, STOWAGE_POLICY and
// STOWAGE_RUN_ID.
AttachOptions AttachOptionsFromEnvironment();

// Installs the allocator and the hook. Returns what went wrong and what to do,
// or an empty string. Further calls do nothing once one has succeeded. Blocks
// until the agent answers. Call it from one thread at a time.
std::string Attach(const AttachOptions& options);

// Lets the hook see the operators of the calling thread from here on. The
// thread that attached need not call it.
void EnableThread();

// Ends a training step, for programs whose optimizer is not Python's.
void EndStep();

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_ATTACH_H_
