#include "client_sdk/torch/hook/function_operators.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "client_sdk/torch/hook/hook.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::torch_plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the hook is told, in order.
std::vector<std::string> told;

}  // namespace

// In the place of the hook.
bool BeginExtensionCall(const std::string& name, at::TensorList given) {
  told.push_back(name + " of " + std::to_string(given.size()));
  return true;
}

void EndExtensionCall(at::TensorList results) {
  told.push_back("returns " + std::to_string(results.size()));
}

namespace {

constexpr char kFunction[] = "function_test::twice";

at::Tensor Twice(const at::Tensor& values) { return values * 2; }
at::Tensor Thrice(const at::Tensor& values) { return values * 3; }
at::Tensor Fail(const at::Tensor&) { throw std::runtime_error("no"); }
int64_t Seven() { return 7; }

class FunctionOperatorsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { WatchFunctionOperators(); }
  FunctionOperatorsTest() { told.clear(); }

  template <typename Function>
  void Define(const char* schema, Function* function) {
    library_.def(schema, function);
  }
  at::Tensor Call(const char* name, const at::Tensor& values) {
    torch::jit::Stack stack{values};
    c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(&stack);
    return stack.at(0).toTensor();
  }

  at::Tensor ones_ = at::ones({3});
  torch::Library library_{torch::Library::DEF, "function_test", c10::nullopt,
                          __FILE__, __LINE__};
};

TEST_F(FunctionOperatorsTest, CallsAreAnnounced) {
  Define("twice", &Twice);
  SeeNewFunctionOperators();
  EXPECT_EQ(Call(kFunction, ones_).sum().item<float>(), 6);
  EXPECT_THAT(told, ElementsAre("function_test::twice of 1", "returns 1"));
}

TEST_F(FunctionOperatorsTest, GradientsAreThoseOfWhatTheFunctionCalls) {
  Define("twice", &Twice);
  SeeNewFunctionOperators();
  const at::Tensor values = at::ones({3}).set_requires_grad(true);
  Call(kFunction, values).sum().backward();
  EXPECT_EQ(values.grad().sum().item<float>(), 6);
}

TEST_F(FunctionOperatorsTest, ACallThatFailsEndsToo) {
  Define("fail", &Fail);
  SeeNewFunctionOperators();
  EXPECT_ANY_THROW(Call("function_test::fail", ones_));
  EXPECT_THAT(told, ElementsAre("function_test::fail of 1", "returns 0"));
}

TEST_F(FunctionOperatorsTest, AnOperatorWithoutTensorsIsNoCall) {
  Define("seven", &Seven);
  SeeNewFunctionOperators();
  torch::jit::Stack stack;
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("function_test::seven", "")
      .callBoxed(&stack);
  EXPECT_EQ(stack.at(0).toInt(), 7);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(FunctionOperatorsTest, AnOperatorOfABackendIsLeftAlone) {
  library_.def("twice(Tensor values) -> Tensor");
  library_.impl("twice", torch::dispatch(c10::DispatchKey::CPU, &Twice));
  SeeNewFunctionOperators();
  EXPECT_EQ(Call(kFunction, ones_).sum().item<float>(), 6);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(FunctionOperatorsTest, AFunctionThatComesLaterIsSeenWhenAskedFor) {
  library_.def("twice(Tensor values) -> Tensor");
  SeeNewFunctionOperators();
  library_.impl("twice", &Twice);
  SeeAllFunctionOperators();
  EXPECT_EQ(Call(kFunction, ones_).sum().item<float>(), 6);
  EXPECT_THAT(told, ElementsAre("function_test::twice of 1", "returns 1"));
}

TEST_F(FunctionOperatorsTest, AKernelThatComesLaterTakesItsPlace) {
  Define("twice", &Twice);
  SeeNewFunctionOperators();
  library_.impl("twice", torch::dispatch(c10::DispatchKey::CPU, &Thrice));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Call(kFunction, ones_).sum().item<float>(), 9);
  }
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(FunctionOperatorsTest, AnOperatorThatIsDefinedAgainIsSeenAgain) {
  for (int i = 0; i < 2; ++i) {
    torch::Library library(torch::Library::FRAGMENT, "function_test",
                           c10::nullopt, __FILE__, __LINE__);
    library.def("again", &Twice);
    SeeNewFunctionOperators();
    EXPECT_EQ(Call("function_test::again", ones_).sum().item<float>(), 6);
  }
  EXPECT_EQ(told.size(), 4);
}

}  // namespace
}  // namespace stowage::torch_plugin
