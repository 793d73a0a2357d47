#include "client_sdk/runtime/blocks/byte_sample.h"

#include <string>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

uint64_t Sample(const std::string& bytes) {
  return SampleOf(bytes.data(), static_cast<int64_t>(bytes.size()));
}

TEST(ByteSampleTest, EqualBytesHaveEqualSamples) {
  for (const size_t size : {0, 1, 7, 1024, 1025, 1 << 20}) {
    EXPECT_EQ(Sample(std::string(size, 'a')), Sample(std::string(size, 'a')));
  }
}

TEST(ByteSampleTest, SeesAnyChangeOfAFewBytes) {
  const std::string before(1021, 'a');
  for (size_t i = 0; i < before.size(); ++i) {
    std::string after = before;
    after[i] = 'b';
    EXPECT_NE(Sample(after), Sample(before)) << i;
  }
}

TEST(ByteSampleTest, SeesAChangeOfAllButAFewElementsOfMany) {
  for (const size_t size : {1025, 4096, 100'001, 1 << 20}) {
    const std::string before(size, 'a');
    std::string after(size, 'b');
    for (size_t i = 0; i < size; i += 3) after[i] = 'a';
    EXPECT_NE(Sample(after), Sample(before)) << size;
  }
}

TEST(ByteSampleTest, SeesAChangeAtEitherEnd) {
  for (const size_t size : {1088, 4096, 1 << 20}) {
    const std::string before(size, 'a');
    std::string first = before, last = before;
    first.front() = last.back() = 'b';
    EXPECT_NE(Sample(first), Sample(before)) << size;
    EXPECT_NE(Sample(last), Sample(before)) << size;
  }
}

}  // namespace
}  // namespace stowage::runtime
