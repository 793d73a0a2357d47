// Plays a training process: a Job, the agent behind it, and kernels that check
// every byte they read. Faults at the file tier reach the Job.
//
//   FakeProcess process({.limit_bytes = 4 << 20});
//   TensorPtr a = process.New(1 << 20);
//   auto out = process.Run("relu", {.reads = {a.get()}, .births = {1 << 20}});
//   process.job().EndStep();
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_PROCESS_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_PROCESS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client_sdk/runtime/job.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/fake_storage.h"

namespace stowage::runtime {

// Frees itself; the process outlives it.
struct FakeTensor {
  explicit FakeTensor(Job* job) : job(job) {}
  ~FakeTensor() { job->Free(storage.Kill()); }
  FakeTensor(const FakeTensor&) = delete;
  FakeTensor& operator=(const FakeTensor&) = delete;

  bool fast() const { return block->place.tier == session::kFastTier; }

  Job* job;
  FakeStorage storage;
  Block* block = nullptr;
  int64_t size_bytes = 0;
  uint64_t seed = 0;  // of its contents
};
using TensorPtr = std::unique_ptr<FakeTensor>;

struct FakeKernel {
  std::vector<FakeTensor*> reads;
  std::vector<FakeTensor*> writes;  // overwritten, not read
  std::vector<int64_t> births;      // sizes in bytes
  // Runs after the births, while the kernel holds its operands.
  std::function<void()> body = [] {};
};

// Plans come when they come and drive what they can, however loaded the machine
// is.
inline constexpr JobSettings kPatient{.plans_only = true,
                                      .plan_wait_ns = 300'000'000'000};

// Thread-safe as the Job is; one at a time.
class FakeProcess {
 public:
  explicit FakeProcess(const FakeAgentOptions& options,
                       const JobSettings& settings = kPatient);
  ~FakeProcess();

  // Runs a kernel; returns its outputs. Contents are checked when it begins and
  // again, at the same addresses, once it has allocated.
  std::vector<TensorPtr> Run(std::string_view name, const FakeKernel& kernel);
  // Returns one tensor that is born outside of any kernel.
  TensorPtr New(int64_t size_bytes);
  // Returns whether the tensor's bytes, read where they are, are those last
  // written.
  static bool Intact(const FakeTensor& tensor);
  // Writes the tensor where it is, and tells nobody.
  void WriteUnseen(FakeTensor* tensor) {
    Fill(tensor->storage.address, tensor);
  }
  // Returns the time that faults took so far, of all processes together.
  static int64_t FaultNs();

  FakeAgent& agent() { return agent_; }
  SessionClient& client() { return client_; }
  Job& job() { return *job_; }
  // Returns the bytes of the fast arena in use, the streaming window included.
  int64_t FastBytes() const;
  const session::StepRecord& last_step();
  // Returns the reasons of the events, in order.
  std::vector<std::string> Events();

 private:
  TensorPtr Allocate(RunningKernel* kernel, int64_t size_bytes);
  void Fill(char* memory, FakeTensor* tensor);

  FakeAgent agent_;
  SessionClient client_;
  std::unique_ptr<Job> job_;
  std::atomic<uint64_t> next_seed_{1};
};

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_PROCESS_H_
