// Makes graphs on memory systems under limits, on which learned-prices is
// trained and judged.
//
//   std::vector<Case> cases =
//       MakeCases({"vgg19-b8.pb.gz", "training:30"}, {"optane"}, {0.2, 0.5});
#ifndef STOWAGE_TESTS_BENCH_LEARNED_PRICES_CORPUS_H_
#define STOWAGE_TESTS_BENCH_LEARNED_PRICES_CORPUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct Case {
  std::string label;  // "vgg19-b8 optane 0.20"
  Graph graph;        // with the durations of the system's processor
  MemorySystem system;
  int64_t limit_bytes = 0;
  int64_t fast_ns = 0;  // the step with all operands fast
};

// Returns all combinations, graphs first, except those that need no moves or
// have no plan. A graph is a file or "training:N", the tests' training step
// with N layers. Limits below the least one that works are raised to it. Ends
// the program with a message if a file is not a graph.
std::vector<Case> MakeCases(const std::vector<std::string>& graphs,
                            const std::vector<std::string>& systems,
                            const std::vector<double>& ratios);

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_BENCH_LEARNED_PRICES_CORPUS_H_
