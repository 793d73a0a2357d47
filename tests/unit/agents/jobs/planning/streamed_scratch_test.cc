#include "agents/jobs/planning/streamed_scratch.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kScratchPage = 4096;

// Two kernels that read a tensor of four pages. The first has scratch of eight
// pages, the second of one page.
v1::Graph ScratchGraph() {
  v1::Graph graph;
  v1::Tensor* input = graph.add_tensors();
  input->set_size_bytes(4 * kScratchPage);
  input->set_persistent(true);
  for (const int pages : {8, 1}) {
    const int k = graph.kernels_size();
    v1::Operand* operand = graph.add_kernels()->add_operands();
    operand->set_tensor(0);
    operand->set_read(true);
    v1::Tensor* scratch = graph.add_tensors();
    scratch->set_size_bytes(pages * kScratchPage);
    scratch->set_kind(v1::TENSOR_KIND_WORKSPACE);
    scratch->set_birth_kernel(k);
    scratch->set_death_kernel(k);
  }
  return graph;
}

TEST(StreamedScratchTest, ScratchOfAKernelThatDoesNotFitBecomesAnOperand) {
  const std::optional<v1::Graph> streamed =
      StreamScratch(ScratchGraph(), 11 * kScratchPage, Scratch::kAll);
  ASSERT_TRUE(streamed.has_value());
  EXPECT_EQ(streamed->tensors(1).kind(), v1::TENSOR_KIND_ACTIVATION);
  ASSERT_EQ(streamed->kernels(0).operands_size(), 2);
  const v1::Operand& scratch = streamed->kernels(0).operands(1);
  EXPECT_EQ(scratch.tensor(), 1);
  EXPECT_TRUE(scratch.read());
  EXPECT_TRUE(scratch.write());
}

TEST(StreamedScratchTest, ScratchOfAKernelThatFitsStaysAsItIs) {
  const std::optional<v1::Graph> streamed =
      StreamScratch(ScratchGraph(), 11 * kScratchPage, Scratch::kAll);
  ASSERT_TRUE(streamed.has_value());
  EXPECT_EQ(streamed->tensors(2).kind(), v1::TENSOR_KIND_WORKSPACE);
  EXPECT_EQ(streamed->kernels(1).operands_size(), 1);
}

TEST(StreamedScratchTest, WhatAKernelNeedsIsRoundedToPages) {
  v1::Graph graph = ScratchGraph();
  graph.mutable_tensors(0)->set_size_bytes(3 * kScratchPage + 1);
  EXPECT_FALSE(
      StreamScratch(graph, 12 * kScratchPage, Scratch::kAll).has_value());
  EXPECT_TRUE(
      StreamScratch(graph, 12 * kScratchPage - 1, Scratch::kAll).has_value());
}

TEST(StreamedScratchTest, UnmanagedStoragesLeaveLessRoom) {
  v1::Graph graph = ScratchGraph();
  EXPECT_FALSE(
      StreamScratch(graph, 12 * kScratchPage, Scratch::kAll).has_value());
  graph.set_unmanaged_peak_bytes(1);
  EXPECT_TRUE(
      StreamScratch(graph, 12 * kScratchPage, Scratch::kAll).has_value());
}

TEST(StreamedScratchTest, ScratchWasSeenToStreamIfTheWindowLeftItNoRoom) {
  v1::Graph graph = ScratchGraph();
  const auto streams = [&](int64_t window_bytes) {
    graph.mutable_kernels(0)->mutable_streamed()->set_window_bytes(
        window_bytes);
    return StreamScratch(graph, 11 * kScratchPage, Scratch::kIfBetter);
  };
  EXPECT_FALSE(streams(0).has_value());  // nothing streamed, or that badly
  ASSERT_TRUE(streams(7 * kScratchPage).has_value());
  EXPECT_TRUE(streams(7 * kScratchPage)->kernels(0).operands(1).streamed());
  graph.mutable_kernels(0)->mutable_operands(0)->set_streamed(true);
  EXPECT_FALSE(streams(3 * kScratchPage).has_value());
  EXPECT_TRUE(streams(4 * kScratchPage).has_value());
}

TEST(StreamedScratchTest,
     ScratchStreamsBeforeAnOperandThatAKernelJumpsAboutIn) {
  v1::Graph graph = ScratchGraph();
  graph.mutable_kernels(0)->mutable_operands(0)->set_scattered(true);
  const auto streamed =
      StreamScratch(graph, 11 * kScratchPage, Scratch::kIfBetter);
  ASSERT_TRUE(streamed.has_value());
  EXPECT_FALSE(streamed->kernels(0).operands(1).streamed());
}

TEST(StreamedScratchTest, AGraphWithoutSuchScratchIsLeftAlone) {
  v1::Graph graph = ScratchGraph();
  graph.mutable_tensors(1)->set_kind(v1::TENSOR_KIND_ACTIVATION);
  EXPECT_FALSE(
      StreamScratch(graph, 11 * kScratchPage, Scratch::kAll).has_value());
}

}  // namespace
}  // namespace stowage::agent
