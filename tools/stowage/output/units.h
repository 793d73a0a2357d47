// Formats sizes, times and counts for people.
//
//   FormatBytes(943718400);     // "900 MiB"
//   FormatDurationNs(1720000);  // "1.72 ms"
//   FormatShare(9, 1000);       // "0.9 %"
#ifndef STOWAGE_TOOLS_STOWAGE_OUTPUT_UNITS_H_
#define STOWAGE_TOOLS_STOWAGE_OUTPUT_UNITS_H_

#include <cstdint>
#include <string>

namespace stowage::cli {

// Returns a size as the runtime and the agent write it, too.
std::string FormatBytes(int64_t bytes);

// Returns a duration in the unit in which it has one to three digits before the
// point.
std::string FormatDurationNs(int64_t duration_ns);

// Returns a part of a whole in percent; empty if the whole is nothing.
std::string FormatShare(int64_t part, int64_t whole);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_UNITS_H_
