// Takes values from the front of a fuzzer's input.
//
//   FuzzInput input(data, size);
//   const auto kernels = input.Take<uint8_t>();
//   const std::string_view graph = input.Rest();
//
// Every input means something: behind its end there are zeros.
#ifndef STOWAGE_TESTS_FUZZ_FUZZ_INPUT_H_
#define STOWAGE_TESTS_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace stowage {

// Does not own the bytes. Not thread-safe.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : bytes_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return bytes_.empty(); }

  // Returns a plain value, in the byte order of the machine.
  template <typename T>
  T Take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const std::string_view bytes = TakeBytes(sizeof(T));
    if (!bytes.empty()) {
      std::memcpy(static_cast<void*>(&value), bytes.data(), bytes.size());
    }
    return value;
  }

  // Returns a number from 0 to `below` - 1.
  int64_t TakeBelow(int64_t below) { return Take<uint16_t>() % below; }

  // Returns so many bytes, or those that are left.
  std::string_view TakeBytes(size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  // Returns what comes before the next `end`, which is taken as well, or what
  // is left.
  std::string_view TakeUntil(std::string_view end) {
    const size_t at = std::min(bytes_.find(end), bytes_.size());
    const std::string_view taken = TakeBytes(at);
    TakeBytes(end.size());
    return taken;
  }

  std::string_view Rest() { return TakeBytes(bytes_.size()); }

 private:
  std::string_view bytes_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_FUZZ_INPUT_H_
