// Fills the areas of a session segment as a job may, with anything.
//
//   const auto area = std::make_unique<session::ProfileArea>();
//   FuzzInput input(data, size);
//   FillProfile(input, area.get());
//
// An input is a list of records, so that small inputs are whole profiles.
#ifndef STOWAGE_TESTS_FUZZ_FUZZ_PROFILE_H_
#define STOWAGE_TESTS_FUZZ_FUZZ_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "client_sdk/session/session.h"
#include "tests/fuzz/fuzz_input.h"

namespace stowage {

// Writes the next record `1 + times` times, as long as there is room.
template <typename T, size_t N>
void AddRecords(const T& record, int times, T (&records)[N], uint32_t* count) {
  for (int i = 0; i <= times && *count < N; ++i) records[(*count)++] = record;
}

inline void AddNames(FuzzInput& input, session::ProfileArea* area) {
  const std::string_view name = input.TakeBytes(input.Take<uint8_t>() % 32);
  if (area->name_bytes + name.size() >= session::kMaxNameBytes) return;
  std::memcpy(area->names + area->name_bytes, name.data(), name.size());
  area->name_bytes += static_cast<uint32_t>(name.size());
  area->names[area->name_bytes++] = '\0';
}

inline void FillHead(FuzzInput& input, session::ProfileArea* area) {
  const auto head = input.TakeBytes(offsetof(session::ProfileArea, kernels));
  std::memcpy(static_cast<void*>(area), head.data(), head.size());
}

// Fills an area whose counts are 0, from the records up to an end.
inline void FillProfile(FuzzInput& input, session::ProfileArea* area) {
  constexpr int kMostTimes = 1 << 14;
  while (!input.empty()) {
    const auto what = input.Take<uint8_t>();
    const int times = what >= 128 ? input.Take<uint16_t>() % kMostTimes : 0;
    switch (what % 8) {
      case 0:
        return;
      case 1:
        AddRecords(input.Take<session::KernelRecord>(), times, area->kernels,
                   &area->kernel_count);
        break;
      case 2:
        AddRecords(input.Take<session::OperandRecord>(), times, area->operands,
                   &area->operand_count);
        break;
      case 3:
        AddRecords(input.Take<session::BlockRecord>(), times, area->blocks,
                   &area->block_count);
        break;
      case 4:
        AddNames(input, area);
        break;
      case 5:
        FillHead(input, area);
        break;
      default:
        area->duration_ns = input.Take<int64_t>();
        area->tensor_peak_bytes = input.Take<int64_t>();
    }
  }
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_FUZZ_PROFILE_H_
