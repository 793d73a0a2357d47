#include "client_sdk/torch/attach.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>

#include "client_sdk/runtime/connection/report_file.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/fault_handler.h"
#include "client_sdk/runtime/fork_guard.h"
#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/pager.h"
#include "client_sdk/runtime/process/signal_stack.h"
#include "client_sdk/session/address_space.h"
#include "client_sdk/session/size_spec.h"
#include "client_sdk/torch/allocator.h"
#include "client_sdk/torch/attached_job.h"
#include "client_sdk/torch/hook/hook.h"
#include "client_sdk/torch/hook/hook_key.h"
#include "client_sdk/torch/storage_handle.h"

namespace stowage {
namespace {

std::string FromEnvironment(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

// Copies `text` into `field` and cuts what does not fit. The agent refuses text
// that makes no sense.
template <size_t N>
void CopyText(const std::string& text, char (&field)[N]) {
  snprintf(field, N, "%s", text.c_str());
}

std::string ReadCommand() {
  char command[256] = {};
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t bytes = read(fd, command, sizeof(command) - 1);
  close(fd);
  for (ssize_t i = 0; i + 1 < bytes; ++i) {
    if (command[i] == '\0') command[i] = ' ';
  }
  return command;
}

// Returns how many ranks a launcher (torchrun) has started on this host; 0 if
// there is none.
int64_t LocalRanks() {
  return strtoll(FromEnvironment("LOCAL_WORLD_SIZE").c_str(), nullptr, 10);
}

session::Hello MakeHello(const AttachOptions& options) {
  session::Hello hello{};
  hello.magic = session::kMagic;
  hello.version = session::kVersion;
  hello.wants_sums = FromEnvironment("STOWAGE_CHECKSUMS") == "1" ? 1 : 0;
  hello.wants_hints = FromEnvironment("STOWAGE_HINTS") == "1" ? 1 : 0;
  hello.local_ranks = LocalRanks();
  hello.address_bytes = session::AddressBytesLeft();
  CopyText(options.run_id, hello.run_id);
  CopyText(ReadCommand(), hello.command);
  CopyText(session::RankLimit(options.fast, LocalRanks()), hello.fast);
  CopyText(options.slow, hello.slow);
  CopyText(options.policy, hello.policy);
  CopyText(FromEnvironment("STOWAGE_FLOOR"), hello.floor);
  return hello;
}

runtime::JobSettings SettingsFromEnvironment() {
  runtime::JobSettings settings;
  const std::string mode = FromEnvironment("STOWAGE_MODE");
  settings.demand_only = mode == "demand";
  settings.plans_only = mode == "plan";
  settings.step_log_path = FromEnvironment("STOWAGE_STEP_LOG");
  return settings;
}

void BecomeInert() {
  torch_plugin::DisableHook();
  torch_plugin::DisableManagedAllocation();
}

// Tells the preload library, if it is loaded, at which addresses the operating
// system finds no memory.
void AnnounceSlowRanges(const runtime::SessionClient& client) {
  using AddSlowRange = void (*)(const void*, size_t);
  const auto add = reinterpret_cast<AddSlowRange>(
      dlsym(RTLD_DEFAULT, "stowage_add_slow_range"));
  if (add == nullptr) return;
  for (const runtime::MappedTier& tier : client.tiers()) {
    if (!tier.addressable()) add(tier.base, tier.info.capacity_bytes);
  }
}

// Both live until the process ends, since tensors outlive every destructor.
runtime::SessionClient* g_client = nullptr;
runtime::Job* g_job = nullptr;

// Writes the report if the agent is gone, since nobody else does then.
void SaveReport() {
  const std::string directory = FromEnvironment("STOWAGE_REPORT_DIR");
  if (g_job == nullptr || directory.empty() || g_client->AgentAlive()) return;
  runtime::WriteReportFile(directory, FromEnvironment("STOWAGE_RUN_ID"),
                           g_client->segment()->report);
}

}  // namespace

AttachOptions AttachOptionsFromEnvironment() {
  return {.agent_socket = FromEnvironment("STOWAGE_AGENT"),
          .fast = FromEnvironment("STOWAGE_FAST"),
          .slow = FromEnvironment("STOWAGE_SLOW"),
          .policy = FromEnvironment("STOWAGE_POLICY"),
          .run_id = FromEnvironment("STOWAGE_RUN_ID")};
}

std::string Attach(const AttachOptions& options) {
  if (g_client != nullptr) return "";
  auto client = std::make_unique<runtime::SessionClient>();
  std::string error = client->Connect(options.agent_socket, MakeHello(options));
  if (!error.empty()) {
    client->CloseSocket();
    return error;
  }
  g_client = client.release();
  g_job = new runtime::Job(g_client, torch_plugin::TorchStorageAccess(),
                           SettingsFromEnvironment());
  runtime::InstallFaultHandler(g_job);
  AnnounceSlowRanges(*g_client);
  runtime::StartPager(g_job, *g_client);
  runtime::InstallForkGuard(g_job, g_client, [] {
    g_job = nullptr;
    BecomeInert();
  });
  torch_plugin::InstallAllocator(g_job);
  torch_plugin::InstallHook(torch_plugin::FreeHookKey(), g_job);
  atexit(SaveReport);
  return "";
}

void EnableThread() {
  runtime::UseSignalStack();
  torch_plugin::EnableHookOnThread();
}

void EndStep() { torch_plugin::EndStepManually(); }

runtime::Job* AttachedJob() { return g_job; }

}  // namespace stowage
