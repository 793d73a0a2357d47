#include "client_sdk/torch/hook/custom_classes.h"

#include <ATen/core/builtin_function.h>
#include <ATen/core/class_type.h>
#include <ATen/core/function.h>
#include <ATen/core/stack.h>
#include <torch/custom_class.h>

#include <mutex>
#include <unordered_set>
#include <vector>

#include "client_sdk/torch/hook/extension_code.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;

// Returns a method that lives as long as the process, as `method` does.
torch::jit::Function* Announcing(torch::jit::Function* method) {
  const std::string name = method->qualname().qualifiedName();
  const auto announce = [method, name](Stack& stack) {
    RunExtensionCode(name, method->getSchema(), &stack,
                     [&] { method->run(stack); });
  };
  return new torch::jit::BuiltinOpFunction(method->qualname(),
                                           method->getSchema(), announce,
                                           std::string(method->doc_string()));
}

}  // namespace

void SeeCustomClass(const std::string& name) {
  static auto* const mutex = new std::mutex();
  static auto* const seen = new std::unordered_set<std::string>();
  const c10::ClassTypePtr type = torch::getCustomClass(name);
  if (type == nullptr) return;
  const std::lock_guard lock(*mutex);
  if (!seen->insert(name).second) return;
  const std::vector<torch::jit::Function*> methods = type->methods();
  for (torch::jit::Function* method : methods) {
    type->unsafeRemoveMethod(method->name());
    type->addMethod(Announcing(method));
  }
}

}  // namespace stowage::torch_plugin
