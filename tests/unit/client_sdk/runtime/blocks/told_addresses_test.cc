#include "client_sdk/runtime/blocks/told_addresses.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr char kRoom[2] = {};  // two addresses

TEST(ToldAddressesTest, AnAddressIsOfTheBlockThatItWasToldFor) {
  const Block block{.id = 1}, other{.id = 2};
  ToldAddresses told;
  EXPECT_FALSE(told.IsOf(kRoom, block));
  EXPECT_FALSE(told.IsOfAnother(kRoom, other));
  told.Add(kRoom, block);
  EXPECT_TRUE(told.IsOf(kRoom, block));
  EXPECT_FALSE(told.IsOfAnother(kRoom, block));
  EXPECT_TRUE(told.IsOfAnother(kRoom, other));
}

TEST(ToldAddressesTest, ABlockThatMovesKeepsWhatItWasToldBefore) {
  const Block block{.id = 1}, other{.id = 2};
  ToldAddresses told;
  told.Add(kRoom, block);
  told.Add(kRoom + 1, block);
  told.Add(kRoom, block);
  EXPECT_TRUE(told.IsOfAnother(kRoom, other));
  EXPECT_TRUE(told.IsOfAnother(kRoom + 1, other));
}

TEST(ToldAddressesTest, WhatABlockWasToldMayBeToldAgainWhenItHasDied) {
  const Block block{.id = 1}, other{.id = 2}, third{.id = 3};
  ToldAddresses told;
  told.Add(kRoom, block);
  told.Add(kRoom + 1, other);
  told.Forget(block);
  told.Forget(third);
  EXPECT_FALSE(told.IsOfAnother(kRoom, other));
  EXPECT_TRUE(told.IsOfAnother(kRoom + 1, third));
}

TEST(ToldAddressesTest, NothingIsToldAfterAStep) {
  const Block block{.id = 1}, other{.id = 2};
  ToldAddresses told;
  told.Add(kRoom, block);
  told.Clear();
  EXPECT_FALSE(told.IsOf(kRoom, block));
  EXPECT_FALSE(told.IsOfAnother(kRoom, other));
}

}  // namespace
}  // namespace stowage::runtime
