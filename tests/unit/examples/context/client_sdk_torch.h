// Declares the names that the examples of client_sdk/torch use.
//
//   namespace stowage::torch_plugin::examples { extern StepMarker marker; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_TORCH_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_TORCH_H_

#include <ATen/ATen.h>

#include <vector>

#include "client_sdk/torch/operators/operands.h"
#include "client_sdk/torch/steps/gradients.h"

namespace stowage::examples {

extern at::Tensor tensor;

}  // namespace stowage::examples

namespace stowage::torch_plugin::examples {

extern at::Tensor tensor;
extern runtime::SessionClient client;
extern runtime::Job job;
extern runtime::RunningKernel kernel;
extern runtime::RunningKernel other;
extern Operands operands;
extern std::vector<at::Tensor> tensors;
extern std::vector<at::Tensor> results;
extern StepMarker marker;
extern OperatorInfo info;
extern c10::OperatorHandle op;
extern c10::DispatchKeySet keys;
extern torch::jit::Stack stack;
extern size_t first;
extern int64_t bytes;
extern uint64_t module;
extern bool ends;
void Redispatch(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                const torch::jit::Stack& stack);

}  // namespace stowage::torch_plugin::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_TORCH_H_
