// Damages bytes by chance; the same seed gives the same damage everywhere.
//
//   Mutator mutator(7);
//   for (int i = 0; i < 1000; ++i) Feed(mutator.Damage(valid_bytes));
#ifndef STOWAGE_TESTS_FUZZ_MUTATOR_H_
#define STOWAGE_TESTS_FUZZ_MUTATOR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace stowage {

// Not thread-safe.
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : engine_(seed) {}

  // Returns `bytes` with one or two things wrong.
  std::string Damage(std::string bytes) {
    for (size_t i = 0, count = 1 + Roll(2); i < count; ++i) DamageOnce(bytes);
    return bytes;
  }

  // Damages bytes in the same way, without a change of length.
  void DamageInPlace(char* bytes, size_t size) {
    for (size_t i = 0, count = 1 + Roll(2); i < count && size > 0; ++i) {
      if (Roll(2) == 0) {
        bytes[Roll(size)] ^= static_cast<char>(1 << Roll(8));
      } else {
        Overwrite(bytes, size);
      }
    }
  }

 private:
  size_t Roll(size_t below) { return engine_() % below; }

  // Writes a number at the end of some range, little-endian, at any place.
  void Overwrite(char* bytes, size_t size) {
    constexpr std::array<uint64_t, 8> kNumbers = {
        0,          1,          0x7f,         0xff,
        0x7fffffff, 0xffffffff, ~uint64_t{0}, ~uint64_t{0} >> 1};
    const uint64_t number = kNumbers[Roll(kNumbers.size())];
    const size_t at = Roll(size);
    const size_t width = std::min(size_t{1} << Roll(4), size - at);
    for (size_t i = 0; i < width; ++i) {
      bytes[at + i] = static_cast<char>(number >> (8 * i));
    }
  }

  // Changes the first digit from `at` on, if there is one: in text, another
  // number.
  void ChangeDigit(size_t at, std::string& bytes) {
    const size_t digit = bytes.find_first_of("0123456789", at);
    if (digit == std::string::npos) return;
    bytes[digit] = static_cast<char>('0' + Roll(10));
  }

  void DamageOnce(std::string& bytes) {
    if (bytes.empty()) return;
    const size_t at = Roll(bytes.size());
    const size_t length = 1 + Roll(std::min<size_t>(16, bytes.size() - at));
    switch (Roll(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 3:
        bytes.insert(at, 1, static_cast<char>(Roll(256)));
        break;
      case 4:
      case 5:
        ChangeDigit(at, bytes);
        break;
      default:
        DamageInPlace(bytes.data(), bytes.size());
    }
  }

  std::mt19937_64 engine_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_MUTATOR_H_
