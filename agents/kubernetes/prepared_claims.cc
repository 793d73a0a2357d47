#include "agents/kubernetes/prepared_claims.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/jobs/whole_file.h"
#include "agents/kubernetes/cdi_spec.h"
#include "agents/kubernetes/json_text.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

// Makes the directory with this mode, whatever the umask. One that is there
// keeps its mode.
absl::Status MakeDirectory(const std::string& path, mode_t mode) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (!error && (!is_new || chmod(path.c_str(), mode) == 0)) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(
      error ? error.value() : errno,
      absl::StrCat("cannot make the directory '", path,
                   "'; let the agent's user write there"));
}

absl::Status Remove(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(
      error.value(), absl::StrCat("cannot remove '", path,
                                  "'; let the agent's user write there"));
}

nlohmann::json ReadJson(const std::string& path) {
  std::ifstream file(path);
  return ParseJson(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string Dump(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace

// Keeps other calls for the same claim out while it lives.
class PreparedClaims::Turn {
 public:
  Turn(PreparedClaims* claims, std::string uid)
      : claims_(claims), uid_(std::move(uid)) {
    absl::MutexLock lock(&claims_->mutex_);
    const auto is_free = [this] {
      claims_->mutex_.AssertReaderHeld();
      return !claims_->turns_.contains(uid_);
    };
    claims_->mutex_.Await(absl::Condition(&is_free));
    claims_->turns_.insert(uid_);
  }
  ~Turn() {
    absl::MutexLock lock(&claims_->mutex_);
    claims_->turns_.erase(uid_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  PreparedClaims* const claims_;
  const std::string uid_;
};

PreparedClaims::PreparedClaims(ClaimPlaces places, NodeMemory memory,
                               ClaimServing serving, FetchClaim fetch)
    : places_(std::move(places)),
      memory_(std::move(memory)),
      fetch_(std::move(fetch)),
      serving_(std::move(serving)) {}

std::string PreparedClaims::SocketDir(const std::string& uid) const {
  return absl::StrCat(places_.state_dir, "/", uid);
}

std::string PreparedClaims::StateFile(const std::string& uid) const {
  return absl::StrCat(places_.state_dir, "/", uid, ".json");
}

std::string PreparedClaims::CdiFile(const std::string& uid) const {
  return absl::StrCat(places_.cdi_dir, "/", CdiFileOf(uid));
}

void PreparedClaims::Restore() {
  std::error_code error;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(places_.state_dir, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  for (const std::string& file : files) RestoreFrom(file);
}

void PreparedClaims::RestoreFrom(const std::string& file) {
  const absl::StatusOr<ClaimGrant> grant = GrantOf(ReadJson(file));
  absl::Status status = grant.status();
  if (status.ok()) {
    absl::MutexLock lock(&mutex_);
    auto served = ServedClaim::Restart(
        *grant, absl::StrCat(SocketDir(grant->claim.uid), "/", kClaimSocket),
        serving_);
    status = served.status();
    if (status.ok()) claims_[grant->claim.uid] = *std::move(served);
  }
  if (status.ok()) status = WriteFiles(*grant);
  if (status.ok()) return;
  Log(LogLevel::kError, "a claim that was prepared cannot be served again",
      {{"file", file}, {"error", status.message()}});
}

absl::StatusOr<ClaimGrant> PreparedClaims::Prepare(
    const ClaimRef& ref, absl::FunctionRef<bool()> is_over) {
  const Turn turn(this, ref.uid);
  {
    absl::MutexLock lock(&mutex_);
    const auto found = claims_.find(ref.uid);
    if (found != claims_.end()) {
      const ClaimGrant& grant = found->second->grant();
      if (absl::Status s = WriteFiles(grant); !s.ok()) return s;
      return grant;
    }
  }
  absl::StatusOr<ClaimGrant> grant = PrepareAnew(ref, is_over);
  if (grant.ok()) {
    Log(LogLevel::kInfo, "a claim is prepared",
        {{"claim", NameOf(ref)},
         {"fast_bytes", grant->fast_bytes},
         {"slow_bytes", grant->slow_bytes}});
  } else {
    Log(LogLevel::kWarning, "a claim cannot be prepared",
        {{"claim", NameOf(ref)}, {"error", grant.status().message()}});
  }
  return grant;
}

absl::StatusOr<ClaimGrant> PreparedClaims::PrepareAnew(
    const ClaimRef& ref, absl::FunctionRef<bool()> is_over) {
  const absl::StatusOr<nlohmann::json> claim = fetch_(ref);
  if (!claim.ok()) return claim.status();
  absl::StatusOr<ClaimGrant> grant =
      ReadGrant(*claim, ref, places_.node, memory_);
  if (!grant.ok()) return grant;
  // Only the agent enters the first; containers have the second mounted.
  const std::string socket_dir = SocketDir(ref.uid);
  absl::Status made = MakeDirectory(places_.state_dir, 0700);
  made.Update(MakeDirectory(socket_dir, 0755));
  if (!made.ok()) return made;
  ClaimServing serving;
  {
    absl::MutexLock lock(&mutex_);
    serving = serving_;
  }
  auto served = ServedClaim::Start(
      *grant, absl::StrCat(socket_dir, "/", kClaimSocket), serving, is_over);
  absl::Status status = served.status();
  if (status.ok()) status = WriteFiles(*grant);
  if (!status.ok()) {
    RemoveFiles(ref.uid).IgnoreError();
    return status;
  }
  absl::MutexLock lock(&mutex_);
  claims_[ref.uid] = *std::move(served);
  return grant;
}

absl::Status PreparedClaims::WriteFiles(const ClaimGrant& grant) const {
  const std::string& uid = grant.claim.uid;
  absl::Status made = MakeDirectory(places_.cdi_dir, 0755);
  made.Update(WriteWholeFile(StateFile(uid), Dump(JsonOf(grant))));
  if (!made.ok()) return made;
  const nlohmann::json spec = CdiSpecOf(
      grant, {.socket_dir = SocketDir(uid), .sdk_dir = places_.sdk_dir});
  return WriteWholeFile(CdiFile(uid), Dump(spec));
}

absl::Status PreparedClaims::RemoveFiles(const std::string& uid) const {
  absl::Status removed = Remove(CdiFile(uid));
  removed.Update(Remove(StateFile(uid)));
  removed.Update(Remove(SocketDir(uid)));
  return removed;
}

absl::Status PreparedClaims::Unprepare(const ClaimRef& ref) {
  const Turn turn(this, ref.uid);
  std::unique_ptr<ServedClaim> claim = Take(ref.uid);
  if (claim == nullptr) return absl::OkStatus();
  claim->Close(JobServer::SocketFile::kRemove);
  CloseLater(std::move(claim));
  Log(LogLevel::kInfo, "a claim is cleaned up", {{"claim", NameOf(ref)}});
  return RemoveFiles(ref.uid);
}

std::unique_ptr<ServedClaim> PreparedClaims::Take(const std::string& uid) {
  absl::MutexLock lock(&mutex_);
  auto node = claims_.extract(uid);
  return node.empty() ? nullptr : std::move(node.mapped());
}

// Destroys the claim while nobody waits: a plan may take minutes.
void PreparedClaims::CloseLater(std::unique_ptr<ServedClaim> claim) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(closing_, [](const std::future<void>& closing) {
    return closing.wait_for(std::chrono::seconds(0)) ==
           std::future_status::ready;
  });
  closing_.push_back(
      std::async(std::launch::async,
                 [claim = std::move(claim)]() mutable { claim.reset(); }));
}

void PreparedClaims::Change(const JobDefaults& defaults,
                            const JobDirectories& directories) {
  absl::MutexLock lock(&mutex_);
  serving_.defaults = defaults;
  serving_.context.directories = directories;
  for (auto& [uid, claim] : claims_) claim->Change(defaults, directories);
}

void PreparedClaims::Stop() {
  std::map<std::string, std::unique_ptr<ServedClaim>> claims;
  {
    absl::MutexLock lock(&mutex_);
    claims.swap(claims_);
  }
  for (auto& [uid, claim] : claims) {
    claim->Close(JobServer::SocketFile::kLeave);
    CloseLater(std::move(claim));
  }
}

int PreparedClaims::count() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(claims_.size());
}

}  // namespace stowage::agent
