#include "client_sdk/torch/hook/function_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client_sdk/torch/hook/extension_code.h"
#include "client_sdk/torch/operators/operator_info.h"

namespace stowage::torch_plugin {
namespace {

using c10::DispatchKey;
using torch::jit::Stack;

// PyTorch's own are composites indeed, and the plug-in's take no addresses.
bool IsOfNamespaceThatIsKnown(const c10::OperatorName& name) {
  constexpr std::array<std::string_view, 5> kKnown = {
      "_test", "aten", "inductor", "nvprims", "stowage"};
  const std::string_view space =
      std::string_view(name.name).substr(0, name.name.find("::"));
  return std::find(kKnown.begin(), kKnown.end(), space) != kKnown.end();
}

// Returns whether PyTorch prefers something else to the operator's function.
bool HasOtherKernel(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(DispatchKey::CPU) ||
         op.hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutograd);
}

bool HasFunction(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd);
}

bool HasAnyKernel(const c10::OperatorHandle& op) {
  return HasFunction(op) || HasOtherKernel(op) ||
         op.hasKernelForAnyDispatchKey(
             c10::DispatchKeySet(c10::DispatchKeySet::FULL));
}

struct FunctionOperators {
  std::mutex mutex;
  std::vector<c10::OperatorName> waiting;  // guarded by mutex
  // Our kernel of each; guarded by mutex.
  std::unordered_map<c10::OperatorName, std::unique_ptr<torch::Library>> seen;
};

FunctionOperators& Operators() {
  static auto* const operators = new FunctionOperators();
  return *operators;
}

std::atomic<bool> g_any_new{false};

// Called with the dispatcher's mutex held.
class Listener final : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    if (IsOfNamespaceThatIsKnown(op.operator_name())) return;
    const std::lock_guard lock(Operators().mutex);
    Operators().waiting.push_back(op.operator_name());
    g_any_new = true;
  }
  void onOperatorDeregistered(const c10::OperatorHandle& op) override {}
};

// Autograd of a backend that nobody has runs the function, too.
void RunFunction(const c10::OperatorHandle& op, Stack* stack) {
  op.redispatchBoxed(c10::DispatchKeySet(DispatchKey::AutogradPrivateUse3),
                     stack);
}

// A kernel that came later takes the place of the function, or the library was
// unloaded and the name is another's.
void Forget(const c10::OperatorHandle& op) {
  std::unique_ptr<torch::Library> forgotten;
  const std::lock_guard lock(Operators().mutex);
  const auto seen = Operators().seen.find(op.operator_name());
  if (seen == Operators().seen.end()) return;
  forgotten = std::move(seen->second);
  Operators().seen.erase(seen);
}

void AnnounceAndRun(const c10::OperatorHandle& op, Stack* stack) {
  if (!HasFunction(op) || HasOtherKernel(op)) {
    Forget(op);
    return op.callBoxed(stack);
  }
  RunExtensionCode(InfoOf(op).name, op.schema(), stack,
                   [&] { RunFunction(op, stack); });
}

void See(const c10::OperatorName& name) {
  const std::string space = name.name.substr(0, name.name.find("::"));
  auto library = std::make_unique<torch::Library>(torch::Library::IMPL, space,
                                                  DispatchKey::AutogradCPU,
                                                  __FILE__, __LINE__);
  const std::string full = name.overload_name.empty()
                               ? name.name
                               : name.name + "." + name.overload_name;
  library->impl(full.c_str(),
                torch::CppFunction::makeFromBoxedFunction<&AnnounceAndRun>());
  const std::lock_guard lock(Operators().mutex);
  Operators().seen[name] = std::move(library);
}

}  // namespace

void WatchFunctionOperators() {
  static auto* const registration = new c10::RegistrationHandleRAII(
      c10::Dispatcher::singleton().addRegistrationListener(
          std::make_unique<Listener>()));
  (void)registration;
}

void SeeNewFunctionOperators() {
  if (g_any_new.load(std::memory_order_relaxed)) SeeAllFunctionOperators();
}

void SeeAllFunctionOperators() {
  g_any_new = false;
  std::vector<c10::OperatorName> waiting;
  {
    const std::lock_guard lock(Operators().mutex);
    waiting.swap(Operators().waiting);
  }
  for (const c10::OperatorName& name : waiting) {
    const auto op = c10::Dispatcher::singleton().findOp(name);
    if (!op.has_value()) continue;
    if (!HasAnyKernel(*op)) {
      const std::lock_guard lock(Operators().mutex);
      Operators().waiting.push_back(name);
    } else if (HasFunction(*op) && !HasOtherKernel(*op) &&
               !op->hasKernelForDispatchKey(DispatchKey::AutogradCPU)) {
      See(name);
    }
  }
}

}  // namespace stowage::torch_plugin
