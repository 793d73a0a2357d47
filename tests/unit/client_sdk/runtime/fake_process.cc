#include "tests/unit/client_sdk/runtime/fake_process.h"

#include <signal.h>
#include <stdlib.h>

#include <utility>

#include "client_sdk/session/clock.h"
#include "client_sdk/session/hash.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

std::atomic<Job*> g_job{nullptr};
std::atomic<int64_t> g_fault_ns{0};

// Like InstallFaultHandler(), which serves one Job for a whole process.
void OnFault(int, siginfo_t* info, void*) {
  Job* job = g_job;
  const int64_t begin_ns = session::NowNs();
  if (job == nullptr || !job->HandleFault(info->si_addr, Access::kUnknown)) {
    signal(SIGSEGV, SIG_DFL);
  }
  g_fault_ns += session::NowNs() - begin_ns;
}

void SendFaultsTo(Job* job) {
  g_job = job;
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

uint64_t Word(uint64_t seed, int64_t index) {
  return seed * 0x9e3779b97f4a7c15 + index;
}

bool Holds(const char* memory, int64_t size_bytes, uint64_t seed) {
  const auto* words = reinterpret_cast<const uint64_t*>(memory);
  for (int64_t i = 0; i < size_bytes / 8; ++i) {
    if (words[i] != Word(seed, i)) return false;
  }
  return true;
}

}  // namespace

FakeProcess::FakeProcess(const FakeAgentOptions& options,
                         const JobSettings& settings)
    : agent_(options) {
  const std::string error =
      client_.Connect(agent_.socket_path(), FakeAgent::Hello());
  if (!error.empty()) abort();
  agent_.UseMappingsOf(client_);
  job_ = std::make_unique<Job>(&client_, FakeStorageAccess(), settings);
  SendFaultsTo(job_.get());
}

FakeProcess::~FakeProcess() { g_job = nullptr; }

int64_t FakeProcess::FaultNs() { return g_fault_ns; }

std::vector<TensorPtr> FakeProcess::Run(std::string_view name,
                                        const FakeKernel& kernel) {
  RunningKernel running{.key = session::HashString(name), .name = name};
  std::vector<KernelOperand> operands;
  for (FakeTensor* tensor : kernel.reads) {
    operands.push_back({tensor->block, session::kOperandRead});
  }
  for (FakeTensor* tensor : kernel.writes) {
    operands.push_back({tensor->block, session::kOperandWrite});
  }
  job_->BeginKernel(&running, operands);

  std::vector<const char*> addresses;
  for (const FakeTensor* tensor : kernel.reads) {
    addresses.push_back(tensor->storage.address);
    EXPECT_TRUE(Intact(*tensor)) << name << " begins";
  }
  std::vector<char*> targets;
  for (const FakeTensor* tensor : kernel.writes) {
    targets.push_back(tensor->storage.address);
  }
  std::vector<TensorPtr> born;
  std::vector<KernelOperand> outputs;
  try {
    for (int64_t size_bytes : kernel.births) {
      born.push_back(Allocate(&running, size_bytes));
      outputs.push_back({born.back()->block, session::kOperandWrite});
    }
  } catch (...) {
    job_->EndKernel(&running, {});
    throw;
  }
  kernel.body();
  for (size_t i = 0; i < kernel.reads.size(); ++i) {
    EXPECT_TRUE(
        Holds(addresses[i], kernel.reads[i]->size_bytes, kernel.reads[i]->seed))
        << name << " has allocated";
  }
  for (size_t i = 0; i < kernel.writes.size(); ++i) {
    Fill(targets[i], kernel.writes[i]);
  }
  job_->EndKernel(&running, outputs);
  return born;
}

TensorPtr FakeProcess::New(int64_t size_bytes) {
  return Allocate(nullptr, size_bytes);
}

TensorPtr FakeProcess::Allocate(RunningKernel* kernel, int64_t size_bytes) {
  char* address = static_cast<char*>(job_->Allocate(kernel, size_bytes));
  auto tensor = std::make_unique<FakeTensor>(job_.get());
  tensor->storage.address = address;
  tensor->size_bytes = size_bytes;
  Fill(address, tensor.get());
  tensor->block = job_->BlockOf(&tensor->storage, false);
  return tensor;
}

void FakeProcess::Fill(char* memory, FakeTensor* tensor) {
  tensor->seed = next_seed_++;
  auto* words = reinterpret_cast<uint64_t*>(memory);
  for (int64_t i = 0; i < tensor->size_bytes / 8; ++i) {
    words[i] = Word(tensor->seed, i);
  }
}

bool FakeProcess::Intact(const FakeTensor& tensor) {
  return Holds(tensor.storage.address, tensor.size_bytes, tensor.seed);
}

int64_t FakeProcess::FastBytes() const {
  int64_t bytes = StreamWindow::BytesFor(0);
  for (const Block* block : job_->blocks()) {
    if (block->place.tier == session::kFastTier) bytes += block->room_bytes();
  }
  return bytes;
}

const session::StepRecord& FakeProcess::last_step() {
  const session::StepLog& log = client_.segment()->report.steps;
  return log.entries[(log.written - 1) % session::kStepEntries];
}

std::vector<std::string> FakeProcess::Events() {
  const session::EventLog& log = client_.segment()->report.process_events;
  std::vector<std::string> reasons;
  for (uint64_t i = 0; i < log.written; ++i) {
    reasons.push_back(log.entries[i].reason);
  }
  return reasons;
}

}  // namespace stowage::runtime
