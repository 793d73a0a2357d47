// Makes what the tests of the service share: small graphs and systems, and a
// directory of one's own.
//
//   TemporaryDirectory directory;
//   std::string path = directory.path() + "/a.db";
//   v1::Graph graph = ChainGraph(/*kernel_count=*/3);
#ifndef STOWAGE_TESTS_UNIT_SERVER_TESTING_H_
#define STOWAGE_TESTS_UNIT_SERVER_TESTING_H_

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/time/time.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage {

// Makes a directory, and removes it with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const char* root = std::getenv("TEST_TMPDIR");
    path_ = std::string(root == nullptr ? "/tmp" : root) + "/stowage.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline constexpr int64_t kChainTensorBytes = 1 << 20;
// A limit under which two of them fit.
inline constexpr int64_t kLimitBytes = 2 * kChainTensorBytes;
inline constexpr absl::Duration kLease = absl::Seconds(15);  // of a node
inline const absl::Time kStart = absl::FromUnixSeconds(1'000'000);

// Returns a chain of kernels. Kernel k reads tensor k (the weights for k = 0)
// and writes tensor k + 1; each takes 1 MiB and each kernel 1 ms. At most two
// activations and the weights are alive at once.
inline v1::Graph ChainGraph(int kernel_count) {
  v1::Graph graph;
  graph.set_schema_version(1);
  graph.set_name("chain");
  for (int t = 0; t <= kernel_count; ++t) {
    v1::Tensor* tensor = graph.add_tensors();
    tensor->set_size_bytes(kChainTensorBytes);
    tensor->set_kind(t == 0 ? v1::TENSOR_KIND_WEIGHT
                            : v1::TENSOR_KIND_ACTIVATION);
    tensor->set_persistent(t == 0);
  }
  for (int k = 0; k < kernel_count; ++k) {
    v1::Kernel* kernel = graph.add_kernels();
    kernel->set_name("op");
    v1::Operand* input = kernel->add_operands();
    input->set_tensor(k);
    input->set_read(true);
    v1::Operand* output = kernel->add_operands();
    output->set_tensor(k + 1);
    output->set_write(true);
    v1::ProfiledDuration* fast =
        kernel->mutable_profile()->mutable_fast_inputs_fast_outputs();
    fast->set_duration_ns(1'000'000);
    fast->set_source(v1::DURATION_SOURCE_MEASURED);
  }
  return graph;
}

// Returns a system of two addressable tiers.
inline v1::MemorySystem TwoTiers() {
  v1::MemorySystem system;
  system.set_schema_version(1);
  system.set_name("two-tiers");
  for (const char* name : {"fast", "slow"}) {
    v1::Tier* tier = system.add_tiers();
    tier->set_name(name);
    tier->set_addressable(true);
    for (v1::BandwidthPoint* point : {tier->add_read(), tier->add_write()}) {
      point->set_threads(1);
      point->set_bytes_per_second(1'000'000'000);
    }
  }
  return system;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_TESTING_H_
