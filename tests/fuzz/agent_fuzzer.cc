// Plays hostile jobs to a running agent: greetings, resizes, descriptors, moves,
// and whatever a job may write into the segment that it shares with the agent.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/engine/tier_catalog.h"
#include "agents/jobs/job_server.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/sharing/fast_memory.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/resize.h"
#include "client_sdk/session/session.h"
#include "google/protobuf/stubs/logging.h"
#include "policies/model/graph_proto.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_profile.h"
#include "tests/fuzz/hostile_job.h"
#include "tests/fuzz/require.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/server/testing.h"

namespace stowage::agent {
namespace {

constexpr int kMostDeeds = 24;
constexpr size_t kMostJobs = 3;

// Answers as a service would: refuses graphs that are none, and places what it
// is asked for at the front of fast memory.
absl::StatusOr<v1::Plan> PlanOf(const PlanQuery& query) {
  if (!query.graph_id.empty()) return absl::NotFoundError("no such graph");
  const auto graph = policies::GraphFromProto(query.graph);
  Require(graph.ok(), "the service accepts the graph of a profile");
  v1::Plan plan;
  plan.set_policy("fake");
  int64_t offset_bytes = 0;
  for (int t = 0; t < query.graph.tensors_size(); ++t) {
    const v1::Tensor& tensor = query.graph.tensors(t);
    const bool starts =
        tensor.persistent() || tensor.birth_kernel() > tensor.death_kernel();
    v1::Allocation& at = starts ? *plan.add_initial() : *plan.add_allocations();
    at.set_tensor(t);
    at.mutable_at()->set_offset_bytes(offset_bytes);
    offset_bytes += (tensor.size_bytes() + session::kPageBytes - 1) /
                    session::kPageBytes * session::kPageBytes;
  }
  return plan;
}

v1::PlaceResponse HintsFor(const v1::PlaceRequest& request) {
  v1::PlaceResponse response;
  v1::KernelDecision& decision = *response.add_decisions();
  decision.set_kernel(request.kernel());
  for (const v1::Resident& resident : request.residents()) {
    decision.add_actions()->set_tensor(resident.tensor());
  }
  return response;
}

class AgentFuzzer {
 public:
  explicit AgentFuzzer(int64_t fast_total_bytes)
      : fast_memory_(fast_total_bytes) {
    service_.SetAnswer(PlanOf);
    service_.SetPlace([](const v1::PlaceRequest& request) {
      return absl::StatusOr<v1::PlaceResponse>(HintsFor(request));
    });
    v1::PolicyCapabilities capabilities;
    capabilities.set_answers_online(true);
    service_.SetCapabilities(capabilities);
    auto started = JobServer::Start(
        socket_path_, {}, {.fast = "40%", .slow = kSlow, .policy = ""},
        {.node = "node",
         .directories = {.report_dir = directory_.path(),
                         .graph_dir = directory_.path(),
                         .slow = *SlowDirectories::Resolve(
                             kSlow, {directory_.path()})},
         .catalog = Catalog(),
         .service = &service_,
         .fast_memory = &fast_memory_,
         .plan_refresh_interval = absl::Milliseconds(1),
         .plan_retry_interval = absl::Milliseconds(1)});
    Require(started.ok(), "the agent starts");
    server_ = *std::move(started);
  }
  ~AgentFuzzer() {
    jobs_.clear();
    server_->Stop();
  }

  void Do(FuzzInput& input) {
    switch (input.Take<uint8_t>() % 10) {
      case 0:
        return Greet(input);
      case 1:
        return SendAnything(input);
      case 2:
        return AskForResize(input);
      case 3:
        return EndJob();
      default:
        if (segment() != nullptr) DoWithSegment(input);
    }
  }

 private:
  static constexpr char kSlow[] = "emulated:cxl,size=64MiB";

  // Media are measured once, and before a job waits for it.
  static TierCatalog* Catalog() {
    static TierCatalog* const catalog = [] {
      auto* made = new TierCatalog("node", "dram");
      const TemporaryDirectory directory;
      Require(made->Slow(kSlow).ok(), "media can be measured");
      Require(made->Slow(FileIn(directory.path())).ok(),
              "a disk can be measured");
      return made;
    }();
    return catalog;
  }
  static std::string FileIn(const std::string& directory) {
    return absl::StrCat("file:", directory, ",size=1MiB");
  }

  session::Segment* segment() const {
    return jobs_.empty() ? nullptr : jobs_.back()->segment();
  }
  std::vector<int> fds() const {
    return jobs_.empty() ? std::vector<int>() : jobs_.back()->fds();
  }

  void Join(std::string_view greeting, const std::vector<int>& descriptors) {
    auto job = std::make_unique<HostileJob>(socket_path_);
    job->Send(greeting, descriptors);
    if (job->Receive()) jobs_.push_back(std::move(job));
    if (jobs_.size() > kMostJobs) jobs_.erase(jobs_.begin());
  }

  // Sends a greeting in which some bytes are others, and maybe descriptors.
  void Greet(FuzzInput& input) {
    session::Hello hello{};
    hello.magic = session::kMagic;
    hello.version = session::kVersion;
    SetText(hello.run_id, "run");
    const auto flags = input.Take<uint8_t>();
    if ((flags & 1) != 0) SetText(hello.slow, FileIn(directory_.path()));
    if ((flags & 2) != 0) SetText(hello.policy, "deeptm");
    if ((flags & 16) != 0) SetText(hello.floor, "4000000TiB");
    hello.wants_hints = (flags & 2) != 0;
    hello.wants_sums = (flags & 4) != 0;
    hello.comes_back = (flags & 8) != 0;
    for (int patches = flags / 64; patches > 0; --patches) {
      Overwrite(input, &hello, sizeof(hello));
    }
    // A job may name a file that fills the disk; this one does not.
    if (std::strstr(hello.slow, "file:") != nullptr) {
      SetText(hello.slow, FileIn(directory_.path()));
    }
    Join({reinterpret_cast<const char*>(&hello), sizeof(hello)},
         (flags & 8) != 0 ? LeftFds(input) : std::vector<int>());
  }

  // Returns descriptors of the last job, maybe in another order, or others.
  std::vector<int> LeftFds(FuzzInput& input) const {
    std::vector<int> left = fds();
    const auto how = input.Take<uint8_t>();
    if ((how & 1) != 0 && left.size() > 2) std::swap(left[0], left[2]);
    if ((how & 2) != 0) left.push_back(directory_fd_.get());
    if ((how & 4) != 0) left.assign(how / 8 % 7, directory_fd_.get());
    left.resize(std::min<size_t>(left.size(), session::kMostDescriptors));
    return left;
  }

  void SendAnything(FuzzInput& input) {
    Join(input.TakeBytes(input.Take<uint16_t>() % 2048), {});
  }

  void AskForResize(FuzzInput& input) {
    session::ResizeRequest request{.magic = session::kResizeMagic,
                                   .version = session::kVersion};
    SetText(request.job, "run");
    SetText(request.limit, "1MiB");
    const auto flags = input.Take<uint8_t>();
    if ((flags & 1) != 0) {
      Overwrite(input, request.limit, sizeof(request.limit));
    }
    if ((flags & 2) != 0) Overwrite(input, &request, sizeof(request));
    Join({reinterpret_cast<const char*>(&request), sizeof(request)}, {});
  }

  void EndJob() {
    if (!jobs_.empty()) jobs_.pop_back();
  }

  // Writes some bytes somewhere into a part of the segment.
  static void Overwrite(FuzzInput& input, void* part, size_t size) {
    const size_t at = input.Take<uint16_t>() % size;
    const auto bytes = input.TakeBytes(input.Take<uint8_t>() % 80);
    std::memcpy(static_cast<char*>(part) + at, bytes.data(),
                std::min(bytes.size(), size - at));
  }

  void DoWithSegment(FuzzInput& input) {
    session::Segment& segment = *this->segment();
    switch (input.Take<uint8_t>() % 9) {
      case 0:
        FillProfile(input, &segment.profile);
        segment.profiles_written.fetch_add(1);
        break;
      case 1:
        return IssueMove(input, segment.lanes[input.Take<uint8_t>() % 2]);
      case 2:
        Overwrite(input, &segment.situation, 256);
        segment.situations_stated.fetch_add(1);
        session::FutexRing(segment.situation_bell);
        break;
      case 3:
        segment.limits.refused_below_bytes = input.Take<int64_t>();
        segment.limits.taken = segment.limits.ordered.load();
        break;
      case 4:
        segment.plans_taken = segment.plans_written.load();
        break;
      case 5:
        return OverwriteSomewhere(input, segment);
      case 6:
        segment.report.steps.written.fetch_add(1);
        segment.report.limit_bytes = input.Take<int64_t>();
        segment.report.tensor_peak_bytes = input.Take<int64_t>();
        break;
      case 7:
        return Cut(input);
      default:
        // As long as the agent's threads look away.
        std::this_thread::sleep_for(std::chrono::milliseconds(12));
    }
  }

  static void IssueMove(FuzzInput& input, session::MoveLane& lane) {
    const uint64_t number = lane.issued.load();
    session::MoveRequest& request =
        lane.entries[number % session::kLaneEntries];
    request.from_tier = input.Take<uint8_t>() % 3;
    request.to_tier = input.Take<uint8_t>() % 3;
    const auto flags = input.Take<uint8_t>();
    const auto page = [&](bool is_wild) {
      return is_wild ? input.Take<int64_t>()
                     : input.Take<uint8_t>() % 32 * session::kPageBytes;
    };
    request.from_offset_bytes = page((flags & 1) != 0);
    request.to_offset_bytes = page((flags & 2) != 0);
    request.size_bytes = page((flags & 4) != 0);
    request.deadline_ns = (flags & 8) != 0 ? input.Take<int64_t>() : 0;
    request.status = session::kMovePending;
    lane.issued.store(number +
                      ((flags & 16) != 0 ? input.Take<uint32_t>() : 1));
    session::FutexRing(lane.issue_bell);
  }

  static void OverwriteSomewhere(FuzzInput& input, session::Segment& segment) {
    const std::array<std::pair<void*, size_t>, 6> parts = {
        {{&segment, 256},
         {&segment.report, 1024},
         {&segment.report.steps, 4096},
         {segment.lanes, 256},
         {&segment.lanes[1], 256},
         {&segment.hints, 64}}};
    const auto& [part, size] = parts[input.Take<uint8_t>() % parts.size()];
    Overwrite(input, part, size);
  }

  // Sets the size of what a descriptor is for, of the segment and the tiers.
  void Cut(FuzzInput& input) {
    const std::vector<int> fds = this->fds();
    const int fd = fds[input.Take<uint8_t>() % fds.size()];
    // The job may; that it does not work is fine.
    if (ftruncate(fd, input.Take<uint16_t>() * 64) != 0) return;
  }

  TemporaryDirectory directory_;
  const std::string socket_path_ = directory_.path() + "/agent.sock";
  const OwnedFd directory_fd_{
      open(directory_.path().c_str(), O_RDONLY | O_CLOEXEC)};
  FakeService service_;
  FastMemory fast_memory_;
  std::unique_ptr<JobServer> server_;
  std::vector<std::unique_ptr<HostileJob>> jobs_;
};

}  // namespace
}  // namespace stowage::agent

namespace stowage {
namespace {

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  FuzzInput input(data, size);
  const int64_t total_bytes = int64_t{input.Take<uint8_t>()} << 16;
  agent::AgentFuzzer agent(total_bytes);
  for (int deeds = 0; deeds < agent::kMostDeeds && !input.empty(); ++deeds) {
    agent.Do(input);
  }
}

}  // namespace
}  // namespace stowage

// The thread sanitizer asks for it. A hostile job has both lanes copy the same of
// its bytes at a time, and spoils nothing but these.
extern "C" const char* __tsan_default_suppressions();   // NOLINT
extern "C" const char* __tsan_default_suppressions() {  // NOLINT
  return "race:^stowage::session::CopyPastCaches";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
