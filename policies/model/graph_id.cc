#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "policies/model/graph_proto.h"

namespace stowage::policies {
namespace {

// Hashes a sequence of fields with SHA-256, each with its length in front, so
// that no two different sequences hash the same bytes.
class StructureHash {
 public:
  StructureHash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }

  void Add(std::string_view text) {
    Append(static_cast<int64_t>(text.size()));
    Append(":");
    Append(text);
  }

  void Add(int64_t number) {
    std::array<char, kMostDigits> digits;
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), number);
    Add(std::string_view(digits.data(), end - digits.data()));
  }

  std::string Hex() {
    Flush();
    std::array<char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(),
                       reinterpret_cast<unsigned char*>(digest.data()), &size);
    return absl::BytesToHexString({digest.data(), size});
  }

 private:
  // Many short fields are collected and hashed at once.
  static constexpr size_t kBufferBytes = size_t{1} << 14;
  // The most characters of an int64_t, with its sign.
  static constexpr size_t kMostDigits = 20;

  void Append(int64_t number) {
    if (kBufferBytes - used_ < kMostDigits) Flush();
    char* const begin = buffer_.data() + used_;
    used_ =
        std::to_chars(begin, begin + kMostDigits, number).ptr - buffer_.data();
  }

  void Append(std::string_view text) {
    if (kBufferBytes - used_ < text.size()) Flush();
    if (kBufferBytes < text.size()) return Hash(text);
    std::copy(text.begin(), text.end(), buffer_.data() + used_);
    used_ += text.size();
  }

  void Hash(std::string_view text) {
    EVP_DigestUpdate(context_.get(), text.data(), text.size());
  }

  void Flush() {
    Hash({buffer_.data(), used_});
    used_ = 0;
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  std::array<char, kBufferBytes> buffer_;
  size_t used_ = 0;
};

void AddTensor(const Tensor& tensor, StructureHash& hash) {
  hash.Add(tensor.size_bytes);
  hash.Add(static_cast<int64_t>(tensor.kind));
  hash.Add(tensor.persistent);
  hash.Add(tensor.birth_kernel);
  hash.Add(tensor.death_kernel);
  hash.Add(tensor.pinned);
}

void AddKernel(const Kernel& kernel, StructureHash& hash) {
  hash.Add(std::string_view(kernel.name));
  hash.Add(static_cast<int64_t>(kernel.operands.size()));
  for (const Operand& operand : kernel.operands) {
    hash.Add(operand.tensor);
    hash.Add(operand.read);
    hash.Add(operand.write);
  }
  if (kernel.alternatives.empty()) return;
  // Without a choice, what follows here is the next kernel's name, which is not
  // empty.
  hash.Add(std::string_view());
  hash.Add(static_cast<int64_t>(kernel.alternatives.size()));
  for (const KernelImplementation& alternative : kernel.alternatives) {
    hash.Add(alternative.workspace_bytes);
  }
}

}  // namespace

std::string GraphId(const Graph& graph) {
  StructureHash hash;
  hash.Add("stowage graph 1");
  hash.Add(graph.unmanaged_peak_bytes);
  hash.Add(graph.tensor_count());
  for (const Tensor& tensor : graph.tensors) AddTensor(tensor, hash);
  hash.Add(graph.kernel_count());
  for (const Kernel& kernel : graph.kernels) AddKernel(kernel, hash);
  return hash.Hex();
}

}  // namespace stowage::policies
