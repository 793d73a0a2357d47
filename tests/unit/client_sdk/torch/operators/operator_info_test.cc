#include "client_sdk/torch/operators/operator_info.h"

#include <torch/library.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::torch_plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the names of the arguments that count as written.
std::vector<std::string> WrittenBy(const char* name, const char* overload) {
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
  const OperatorInfo& info = InfoOf(op);
  std::vector<std::string> written;
  for (size_t i = 0; i < info.writes.size(); ++i) {
    if (info.writes[i]) written.push_back(op.schema().arguments()[i].name());
  }
  return written;
}

TEST(OperatorInfoTest, KnowsFromTheSchemaWhatIsWritten) {
  EXPECT_THAT(WrittenBy("aten::add", "Tensor"), IsEmpty());
  EXPECT_THAT(WrittenBy("aten::add_", "Tensor"), ElementsAre("self"));
  EXPECT_THAT(WrittenBy("aten::add", "out"), ElementsAre("out"));
}

TEST(OperatorInfoTest, KnowsWhatIsWrittenInSpiteOfTheSchema) {
  EXPECT_THAT(WrittenBy("aten::native_batch_norm", ""),
              ElementsAre("running_mean", "running_var"));
  EXPECT_THAT(WrittenBy("aten::rrelu_with_noise", ""), ElementsAre("noise"));
  EXPECT_THAT(WrittenBy("aten::rrelu_with_noise_", ""),
              ElementsAre("self", "noise"));
  EXPECT_THAT(WrittenBy("aten::rrelu_with_noise_backward", ""), IsEmpty());
}

TEST(OperatorInfoTest, NumbersBesideASparseTensorsPartsAreNoKernels) {
  const auto is_kernel = [](const char* name) {
    return !InfoOf(c10::Dispatcher::singleton().findSchemaOrThrow(name, ""))
                .bookkeeping;
  };
  EXPECT_FALSE(is_kernel("aten::sparse_dim"));
  EXPECT_FALSE(is_kernel("aten::_nnz"));
  EXPECT_FALSE(is_kernel("aten::_coalesced_"));
  EXPECT_TRUE(is_kernel("aten::_coalesce"));
  EXPECT_TRUE(is_kernel("aten::sparse_mask"));
}

TORCH_LIBRARY(stowage_test, library) {
  library.def("inferred", [](const at::Tensor& to, const at::Tensor& from) {
    return to.add_(from);
  });
  library.def("without_result(Tensor to, Tensor from) -> ()");
  library.def("with_result(Tensor to, Tensor from) -> Tensor");
  library.def("declared(Tensor(a!) to, Tensor from) -> ()");
}

TEST(OperatorInfoTest, AnExtensionsOperatorMayWriteWhatItsSchemaLeavesOpen) {
  EXPECT_THAT(WrittenBy("stowage_test::inferred", "").size(), 2);
  EXPECT_THAT(WrittenBy("stowage_test::without_result", ""),
              ElementsAre("to", "from"));
  EXPECT_THAT(WrittenBy("stowage_test::with_result", ""), IsEmpty());
  EXPECT_THAT(WrittenBy("stowage_test::declared", ""), ElementsAre("to"));
}

TEST(OperatorInfoTest, PyTorchsChecksWriteNothing) {
  EXPECT_THAT(WrittenBy("aten::_assert_async", ""), IsEmpty());
}

TEST(OperatorInfoTest, CollectivesUseTheirOperandsAfterTheCall) {
  const OperatorInfo& info = InfoOf(
      c10::Dispatcher::singleton().findSchemaOrThrow("c10d::allreduce_", ""));
  EXPECT_TRUE(info.outlives_call);
  EXPECT_FALSE(info.composite);
}

}  // namespace
}  // namespace stowage::torch_plugin
