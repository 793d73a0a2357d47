// What the hook must know of an operator, read off its schema once.
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATOR_INFO_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATOR_INFO_H_

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stowage::torch_plugin {

struct OperatorInfo {
  std::string name;  // with overload: "aten::add_.Tensor"
  uint64_t key = 0;  // hash of the name
  // Returns aliases of its arguments and writes nothing: operands may be
  // anywhere.
  bool view = false;
  // The profiler's bookkeeping and our own operators: not kernels.
  bool bookkeeping = false;
  // Goes on with its operands after it has returned (collectives of c10d): they
  // must not move any more.
  bool outlives_call = false;
  std::vector<bool> writes;  // by argument
  // How its floating-point operations are counted; see flops.h.
  enum class Flops { kUnknown, kMatmul, kAddMatmul, kConvolution } flops;
};

// Lives until the process ends. Thread-safe; the fast path is a thread-local
// look-up.
const OperatorInfo& InfoOf(const c10::OperatorHandle& op);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATOR_INFO_H_
