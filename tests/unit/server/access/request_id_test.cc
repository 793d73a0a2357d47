#include "server/access/request_id.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace stowage {
namespace {

std::string IdOf(const std::string& sent) {
  return RequestIdOf({{kRequestIdKey, sent}});
}

TEST(RequestIdTest, TakesTheIdOfTheClient) {
  EXPECT_EQ(IdOf("0af7651916cd43dd-8448eb211c80319c"),
            "0af7651916cd43dd-8448eb211c80319c");
  EXPECT_EQ(IdOf(std::string(kMaxRequestIdBytes, 'x')),
            std::string(kMaxRequestIdBytes, 'x'));
}

TEST(RequestIdTest, MakesAnIdWhereThereIsNoneThatServes) {
  for (const std::string& sent :
       {std::string(), std::string("a b"), std::string("a\nb"),
        std::string("\xc3\xa4"), std::string(kMaxRequestIdBytes + 1, 'x')}) {
    const std::string id = IdOf(sent);
    EXPECT_NE(id, sent);
    EXPECT_TRUE(IsRequestId(id)) << id;
  }
  EXPECT_TRUE(IsRequestId(RequestIdOf({})));
}

TEST(RequestIdTest, NoTwoCallsGetTheSame) {
  EXPECT_NE(RequestIdOf({}), RequestIdOf({}));
}

}  // namespace
}  // namespace stowage
