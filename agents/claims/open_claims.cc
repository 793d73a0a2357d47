#include "agents/claims/open_claims.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/claims/claim_files.h"
#include "agents/claims/json_text.h"
#include "agents/jobs/records/whole_file.h"
#include "client_sdk/session/claim.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

nlohmann::json ReadJson(const std::string& path) {
  std::ifstream file(path);
  return ParseJson(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

// Keeps other calls for the same claim out while it lives.
class OpenClaims::Turn {
 public:
  Turn(OpenClaims* claims, std::string id)
      : claims_(claims), id_(std::move(id)) {
    absl::MutexLock lock(&claims_->mutex_);
    const auto is_free = [this] {
      claims_->mutex_.AssertReaderHeld();
      return !claims_->turns_.contains(id_);
    };
    claims_->mutex_.Await(absl::Condition(&is_free));
    claims_->turns_.insert(id_);
  }
  ~Turn() {
    absl::MutexLock lock(&claims_->mutex_);
    claims_->turns_.erase(id_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  OpenClaims* const claims_;
  const std::string id_;
};

OpenClaims::OpenClaims(ClaimsDirectory directory, ClaimServing serving)
    : directory_(std::move(directory)), serving_(std::move(serving)) {}

std::string OpenClaims::SocketDir(const std::string& id) const {
  return absl::StrCat(directory_.path, "/", id);
}

std::string OpenClaims::SocketOf(const std::string& id) const {
  return absl::StrCat(SocketDir(id), "/", session::kClaimSocket);
}

std::string OpenClaims::StateFile(const std::string& id) const {
  return absl::StrCat(directory_.path, "/", id, ".json");
}

void OpenClaims::Restore() {
  std::error_code error;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(directory_.path, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  for (const std::string& file : files) RestoreFrom(file);
}

void OpenClaims::RestoreFrom(const std::string& file) {
  const absl::StatusOr<MemoryClaim> claim = ReadMemoryClaim(ReadJson(file));
  absl::Status status = claim.status();
  if (status.ok()) {
    absl::MutexLock lock(&mutex_);
    auto served = ServedClaim::Restart(*claim, SocketOf(claim->id), serving_);
    status = served.status();
    if (status.ok()) claims_[claim->id] = *std::move(served);
  }
  if (status.ok()) status = WriteFiles(*claim);
  if (status.ok()) return;
  Log(LogLevel::kError, "a claim that was open cannot be served again",
      {{"file", file}, {"error", status.message()}});
}

absl::StatusOr<MemoryClaim> OpenClaims::Open(
    const std::string& id, FindClaim find, absl::FunctionRef<bool()> is_over) {
  if (absl::Status s = CheckClaimId(id); !s.ok()) return s;
  const Turn turn(this, id);
  std::optional<MemoryClaim> open;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = claims_.find(id);
    if (found != claims_.end()) open = found->second->claim();
  }
  if (!open) return OpenAnew(id, find, is_over);
  if (absl::Status s = WriteFiles(*open); !s.ok()) return s;
  return *std::move(open);
}

absl::StatusOr<MemoryClaim> OpenClaims::OpenAnew(
    const std::string& id, FindClaim find, absl::FunctionRef<bool()> is_over) {
  absl::StatusOr<MemoryClaim> claim = find();
  if (!claim.ok()) return claim;
  absl::Status made = MakeDirectory(directory_.path, directory_.mode);
  // Whoever gets to it may enter it; containers have it mounted.
  made.Update(MakeDirectory(SocketDir(id), 0755));
  if (!made.ok()) return made;
  ClaimServing serving;
  {
    absl::MutexLock lock(&mutex_);
    serving = serving_;
  }
  auto served = ServedClaim::Start(*claim, SocketOf(id), serving, is_over);
  absl::Status status = served.status();
  if (status.ok()) status = WriteFiles(*claim);
  if (!status.ok()) {
    RemoveFiles(id).IgnoreError();
    return status;
  }
  Log(LogLevel::kInfo, "a claim is open",
      {{"claim", claim->owner},
       {"fast_bytes", claim->fast_bytes},
       {"slow_bytes", claim->slow_bytes}});
  absl::MutexLock lock(&mutex_);
  claims_[id] = *std::move(served);
  return claim;
}

absl::Status OpenClaims::WriteFiles(const MemoryClaim& claim) const {
  absl::Status written =
      WriteWholeFile(StateFile(claim.id), TextOf(JsonOf(claim)));
  if (written.ok() && directory_.publish) written = directory_.publish(claim);
  return written;
}

absl::Status OpenClaims::RemoveFiles(const std::string& id) const {
  absl::Status removed =
      directory_.withdraw ? directory_.withdraw(id) : absl::OkStatus();
  removed.Update(RemoveAll(StateFile(id)));
  removed.Update(RemoveAll(SocketDir(id)));
  return removed;
}

absl::Status OpenClaims::Close(const std::string& id) {
  const Turn turn(this, id);
  std::unique_ptr<ServedClaim> claim = Take(id);
  if (claim == nullptr) return absl::OkStatus();
  Log(LogLevel::kInfo, "a claim is closed", {{"claim", claim->claim().owner}});
  claim->Close(JobServer::SocketFile::kRemove);
  CloseLater(std::move(claim));
  return RemoveFiles(id);
}

std::unique_ptr<ServedClaim> OpenClaims::Take(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  auto node = claims_.extract(id);
  return node.empty() ? nullptr : std::move(node.mapped());
}

// Destroys the claim while nobody waits: a plan may take minutes.
void OpenClaims::CloseLater(std::unique_ptr<ServedClaim> claim) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(closing_, [](const std::future<void>& closing) {
    return closing.wait_for(std::chrono::seconds(0)) ==
           std::future_status::ready;
  });
  closing_.push_back(
      std::async(std::launch::async,
                 [claim = std::move(claim)]() mutable { claim.reset(); }));
}

void OpenClaims::Change(const JobDefaults& defaults,
                        const JobDirectories& directories) {
  absl::MutexLock lock(&mutex_);
  serving_.defaults = defaults;
  serving_.context.directories = directories;
  for (auto& [id, claim] : claims_) claim->Change(defaults, directories);
}

void OpenClaims::Stop() {
  std::map<std::string, std::unique_ptr<ServedClaim>> claims;
  {
    absl::MutexLock lock(&mutex_);
    claims.swap(claims_);
  }
  for (auto& [id, claim] : claims) {
    claim->Close(JobServer::SocketFile::kLeave);
    CloseLater(std::move(claim));
  }
}

std::vector<OpenClaim> OpenClaims::List() const {
  absl::MutexLock lock(&mutex_);
  std::vector<OpenClaim> list;
  for (const auto& [id, claim] : claims_) {
    list.push_back({.claim = claim->claim(), .jobs = claim->jobs()});
  }
  return list;
}

int OpenClaims::count() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(claims_.size());
}

}  // namespace stowage::agent
