// Describes the processor of this host for captured graphs.
//
//   HostProcessor processor = DescribeHostProcessor();
//   graph.processor = processor.name;
#ifndef STOWAGE_TOOLS_STOWAGE_GRAPHS_HOST_PROCESSOR_H_
#define STOWAGE_TOOLS_STOWAGE_GRAPHS_HOST_PROCESSOR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "policies/model/processor.h"

namespace stowage::cli {

struct HostProcessor {
  std::string name;  // "Intel(R) Xeon(R) Processor @ 2.50GHz, 2 cores"
  policies::ProcessorPeak peak;  // unknown where the host does not say enough
};

// Returns the processor that the text of /proc/cpuinfo describes. Its FLOP/s
// are cores x clock x what the vector units can do a cycle: 64 with AVX-512, 32
// with AVX2 and FMA, 16 with AVX, else 8. Its bandwidth stays unknown. Pure.
HostProcessor ProcessorFromCpuinfo(absl::string_view cpuinfo, int cores);

// Returns the processor of this host, with its bandwidth, which copies of all
// cores measure. Blocks for about half a second and takes 64 MiB a core.
HostProcessor DescribeHostProcessor();

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_GRAPHS_HOST_PROCESSOR_H_
