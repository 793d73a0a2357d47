#include "client_sdk/torch/hook/extension_code.h"

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "client_sdk/torch/hook/hook.h"
#include "client_sdk/torch/operators/operands.h"

namespace stowage::torch_plugin {
namespace {

// Announces a call until it goes out of scope, whatever happens.
class CallScope {
 public:
  CallScope(const std::string& name, at::TensorList given)
      : begun_(!given.empty() && BeginExtensionCall(name, given)) {}
  ~CallScope() {
    if (begun_) EndExtensionCall(results_);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  void Return(std::vector<at::Tensor> results) {
    results_ = std::move(results);
  }

 private:
  bool begun_;
  std::vector<at::Tensor> results_;
};

}  // namespace

void RunExtensionCode(const std::string& name,
                      const c10::FunctionSchema& schema,
                      torch::jit::Stack* stack,
                      const std::function<void()>& run) {
  CallScope scope(name, PlainTensorsOf(*stack, schema.arguments().size()));
  run();
  scope.Return(PlainTensorsOf(*stack, schema.returns().size()));
}

}  // namespace stowage::torch_plugin
