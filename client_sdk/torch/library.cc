// Defines what Python and the preload library call: torch.ops.stowage.* and C
// symbols.
#include <stdio.h>
#include <torch/library.h>
#include <unistd.h>

#include <utility>

#include "client_sdk/torch/allocator.h"
#include "client_sdk/torch/attach.h"
#include "client_sdk/torch/attached_job.h"
#include "client_sdk/torch/hook/custom_classes.h"
#include "client_sdk/torch/hook/function_operators.h"
#include "client_sdk/torch/hook/hook.h"
#include "client_sdk/torch/hook/older_threads.h"
#include "client_sdk/torch/pin.h"
#include "client_sdk/torch/python_hooks.h"

namespace stowage {
namespace {

constexpr int kExitConfiguration = 78;  // EX_CONFIG of sysexits.h

void AttachWithOptions(std::string agent_socket, std::string fast,
                       std::string slow, std::string policy,
                       std::string run_id) {
  const std::string error = Attach({.agent_socket = std::move(agent_socket),
                                    .fast = std::move(fast),
                                    .slow = std::move(slow),
                                    .policy = std::move(policy),
                                    .run_id = std::move(run_id)});
  TORCH_CHECK(error.empty(), "stowage: ", error);
}

void BeginCompiledKernel(std::string name, at::TensorList reads,
                         at::TensorList writes) {
  torch_plugin::BeginCompiledKernel(name, reads, writes);
}

bool BeginExtensionCall(std::string name,  // NOLINT: the library's signature
                        at::TensorList given) {
  return torch_plugin::BeginExtensionCall(name, given);
}

void SeeClass(std::string name) {  // NOLINT: the library's signature
  torch_plugin::SeeCustomClass(name);
}

bool Attached() { return AttachedJob() != nullptr; }

// Returns the phase before.
std::string EnterPhase(std::string name) {
  constexpr size_t kMostBytes = session::kPhaseBytes - 1;
  TORCH_CHECK_VALUE(name.size() <= kMostBytes,
                    "stowage: the name of a phase, '", name, "', has ",
                    name.size(), " bytes; give it at most ", kMostBytes);
  runtime::Job* job = AttachedJob();
  return job != nullptr ? job->EnterPhase(name) : "";
}

std::string TakeStepLines() {
  runtime::Job* job = AttachedJob();
  return job != nullptr ? job->TakeStepLines() : "";
}

TORCH_LIBRARY(stowage, library) {
  library.def(
      "attach(str agent_socket, str fast, str slow, str policy, str run_id) -> "
      "()",
      &AttachWithOptions);
  library.def("attached() -> bool", &Attached);
  library.def("pin(Tensor tensor) -> ()", &Pin);
  library.def("pin_view(Tensor tensor) -> int", &PinView);
  library.def("unpin(int view) -> ()", &Unpin);
  library.def("hold(Tensor tensor) -> int", &Hold);
  library.def("tell_address(int storage, bool may_write) -> ()", &TellAddress);
  library.def("keep_fast(Tensor[] tensors, bool again) -> ()", &KeepFast);
  library.def("set_managing(bool manages) -> bool", &torch_plugin::SetManaging);
  library.def("enter_phase(str name) -> str", &EnterPhase);
  library.def("take_step_lines() -> str", &TakeStepLines);
  library.def("enable_thread() -> ()", &EnableThread);
  library.def("note_collective_awaited() -> ()",
              &torch_plugin::NoteCollectiveAwaited);
  library.def("see_operators() -> ()", &torch_plugin::SeeAllFunctionOperators);
  library.def("see_class(str name) -> ()", &SeeClass);
  library.def("watch_older_threads() -> ()", &torch_plugin::WatchOlderThreads);
  library.def("expect_optimizer() -> ()", &torch_plugin::ExpectOptimizer);
  library.def("note_evaluation(int module) -> ()",
              &torch_plugin::NoteEvaluation);
  library.def(
      "note_compiled_graph(bool records_gradients, bool with_own_results) -> "
      "()",
      &torch_plugin::NoteCompiledGraph);
  library.def("end_step() -> ()", &EndStep);
  library.def(
      "begin_compiled_kernel(str name, Tensor[] reads, Tensor[] writes) -> ()",
      &BeginCompiledKernel);
  library.def("end_compiled_kernel() -> ()", &torch_plugin::EndCompiledKernel);
  library.def("begin_extension_call(str name, Tensor[] given) -> bool",
              &BeginExtensionCall);
  library.def("end_extension_call(Tensor[] results) -> ()",
              &torch_plugin::EndExtensionCall);
}

}  // namespace
}  // namespace stowage

// Attaches a process that `stowage run` has started; the preload library calls
// it. Ends the process on an error: a job that was asked to obey a limit must
// not train without it.
extern "C" void stowage_attach_from_environment() {
  const std::string error =
      stowage::Attach(stowage::AttachOptionsFromEnvironment());
  if (error.empty()) return stowage::torch_plugin::InstallPythonHooks();
  fprintf(stderr, "stowage: %s\n", error.c_str());
  _exit(stowage::kExitConfiguration);
}

extern "C" void stowage_enable_thread() { stowage::EnableThread(); }
