// Tells what the hook must know of an operator. It is read off the operator's
// schema once.
//
//   const OperatorInfo& info = InfoOf(op);
//   if (info.view) return Redispatch(op, keys, stack);
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERATOR_INFO_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERATOR_INFO_H_

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stowage::torch_plugin {

struct OperatorInfo {
  std::string name;  // with overload: "aten::add_.Tensor"
  uint64_t key = 0;  // hash of the name
  // Whether it returns aliases of its arguments and writes nothing. Its
  // operands may then be anywhere.
  bool view = false;
  // Whether it is the profiler's or our own, or only tells how a tensor is
  // made up, and so no kernel: it touches no memory of tensors.
  bool bookkeeping = false;
  // Whether it only calls other operators, which are the kernels: a functional
  // collective calls one of c10d.
  bool composite = false;
  // Whether it uses its operands after it has returned, as collectives of c10d
  // do. They must not move until it has completed.
  bool outlives_call = false;
  // Whether it works many times over on a copy of an argument, as a Fourier
  // transform of several dimensions does.
  bool works_on_copy = false;
  // Whether it reads its first argument by indices, which others give.
  bool reads_by_indices = false;
  std::vector<bool> writes;  // by argument
  // How its floating-point operations are counted; see flops.h.
  enum class Flops { kUnknown, kMatmul, kAddMatmul, kConvolution } flops;
};

// Returns what is known of `op`, valid until the process ends. Thread-safe; the
// fast path is a thread-local look-up.
const OperatorInfo& InfoOf(const c10::OperatorHandle& op);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERATOR_INFO_H_
