#include "client_sdk/torch/operators/scattered_arguments.h"

#include <torch/torch.h>

#include <vector>

#include "gtest/gtest.h"

namespace stowage::torch_plugin {
namespace {

// Returns of each argument whether the operator jumps about in it.
std::vector<bool> Scattered(const std::vector<at::Tensor>& arguments,
                            const OperatorInfo& info = {}) {
  torch::jit::Stack stack{torch::jit::IValue("not an argument")};
  for (const at::Tensor& argument : arguments) stack.push_back(argument);
  const ScatteredArguments scattered(info, stack, /*first=*/1);
  std::vector<bool> has;
  for (size_t i = 1; i < stack.size(); ++i) {
    has.push_back(scattered.Has(stack[i].toTensor()));
  }
  return has;
}

using Has = std::vector<bool>;

TEST(ScatteredArgumentsTest, AnArgumentIsUsedInTheOrderOfTheFirstOne) {
  const at::Tensor rows = torch::ones({4, 4});
  EXPECT_EQ(Scattered({rows, rows, rows}), Has({false, false, false}));
  EXPECT_EQ(Scattered({rows, rows.t(), rows}), Has({false, true, false}));
  EXPECT_EQ(Scattered({rows.t(), rows.t(), rows}), Has({false, false, true}));
}

TEST(ScatteredArgumentsTest, ChannelsLastImagesAreInAnotherOrder) {
  const at::Tensor images = torch::ones({2, 3, 4, 4});
  const at::Tensor last = images.contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(Scattered({images, last}), Has({false, true}));
  EXPECT_EQ(Scattered({last, last}), Has({false, false}));
}

TEST(ScatteredArgumentsTest, DimensionsOfOneHaveNoOrder) {
  const at::Tensor column = torch::ones({4, 1});
  EXPECT_EQ(Scattered({column, torch::ones({1, 4}).t()}), Has({false, false}));
}

TEST(ScatteredArgumentsTest, SmallerArgumentsAreUsedAgainAndAgainAnyway) {
  EXPECT_EQ(Scattered({torch::ones({4, 4, 4}), torch::ones({4, 4}).t()}),
            Has({false, false}));
}

TEST(ScatteredArgumentsTest, ProductsDivideTheirFactorsIntoBlocks) {
  const OperatorInfo product{.flops = OperatorInfo::Flops::kMatmul};
  const at::Tensor square = torch::ones({4, 4});
  EXPECT_EQ(Scattered({square, square.t()}, product), Has({false, false}));
  const at::Tensor batch = torch::ones({2, 4, 4});
  EXPECT_EQ(Scattered({batch, square.expand({2, 4, 4})}, product),
            Has({false, false}));
  // Which some products copy.
  EXPECT_EQ(Scattered({batch, square.t().expand({2, 4, 4})}, product),
            Has({false, true}));
}

TEST(ScatteredArgumentsTest, WhatIsReadByIndicesIsScattered) {
  const OperatorInfo lookup{.reads_by_indices = true,
                            .flops = OperatorInfo::Flops::kUnknown};
  EXPECT_EQ(
      Scattered({torch::ones({8, 4}), torch::ones({2}, at::kLong)}, lookup),
      Has({true, false}));
}

TEST(ScatteredArgumentsTest, WhatIsBesideASparseTensorIsScattered) {
  const OperatorInfo product{.flops = OperatorInfo::Flops::kMatmul};
  const at::Tensor dense = torch::ones({4, 4});
  EXPECT_EQ(Scattered({dense.to_sparse(), dense}, product), Has({false, true}));
}

TEST(ScatteredArgumentsTest, UndefinedAndNestedTensorsAreNot) {
  const at::Tensor rows = torch::ones({4, 4});
  const at::Tensor nested = at::_nested_tensor_from_tensor_list({rows, rows});
  EXPECT_EQ(Scattered({at::Tensor(), nested, nested, rows}),
            Has({false, false, false, false}));
}

}  // namespace
}  // namespace stowage::torch_plugin
