#include "tools/stowage/import/imported_graph.h"

#include <algorithm>
#include <cctype>

namespace stowage::cli {
namespace {

constexpr size_t kMaxNameBytes = 128;

bool IsAllowed(unsigned char c) {
  return std::isalnum(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string GraphNameFrom(const std::string& name) {
  std::string result = name.substr(0, kMaxNameBytes);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !IsAllowed(c); }, '-');
  return result.empty() ? "graph" : result;
}

}  // namespace stowage::cli
