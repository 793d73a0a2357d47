#include "agents/jobs/admission/hello.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

// More than this is a mistake, and means no more.
constexpr int64_t kMostLocalRanks = 1024;

// Reads a string, which must end within its array; else clears `ended`.
template <size_t N>
std::string Text(const char (&array)[N], bool& ended) {
  const size_t size = strnlen(array, N);
  if (size == N) ended = false;
  return std::string(array, size);
}

bool IsRunId(absl::string_view text) {
  const auto allowed = [](char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
  };
  return absl::c_all_of(text, allowed) && (text.empty() || text[0] != '.');
}

const std::string& Or(const std::string& asked, const std::string& fallback) {
  return asked.empty() ? fallback : asked;
}

// Returns the limit of a job that comes back; nullopt if it makes no sense.
std::optional<session::Limit> LimitOf(const session::LimitOrder& order) {
  const bool is_share = order.limit_fraction > 0 && order.limit_fraction <= 1;
  if (order.limit_bytes < 0 || (order.limit_fraction != 0 && !is_share)) {
    return std::nullopt;
  }
  return session::Limit{
      .bytes = order.limit_bytes,
      .fraction = is_share ? order.limit_fraction : 0,
      .slowdown = order.is_awaited != 0 ? session::kDefaultSlowdown : 0};
}

// Returns the limit that the text names. One for the host does not say what
// this job may have: the agent's bound on all jobs does, if it is as low.
absl::StatusOr<session::Limit> ParseFast(const std::string& fast,
                                         const JobDefaults& defaults) {
  const std::optional<int64_t> host_bytes = session::ParseHostLimit(fast);
  if (!host_bytes) {
    if (const auto limit = session::ParseLimit(fast)) return *limit;
    return absl::InvalidArgumentError(absl::StrCat("fast memory limit '",
                                                   absl::CHexEscape(fast), "' ",
                                                   session::WhyNoLimit(fast)));
  }
  const int64_t total_bytes = defaults.fast_total_bytes;
  if (total_bytes > 0 && total_bytes <= *host_bytes) return session::Limit{};
  return absl::InvalidArgumentError(absl::StrCat(
      "fast memory limit '", fast,
      "' is for all ranks on this host, and no "
      "launcher says how many there are (LOCAL_WORLD_SIZE); start them with "
      "torchrun, set LOCAL_WORLD_SIZE, or train without --agent: a private "
      "agent divides the limit among whatever trains"));
}

absl::Status CheckVersion(absl::string_view bytes,
                          const session::Hello& hello) {
  if (bytes.size() == sizeof(hello) && hello.magic == session::kMagic &&
      hello.version == session::kVersion) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "this is not a greeting of session protocol version ", session::kVersion,
      " (", bytes.size(), " bytes, version ", hello.version,
      "); install the same release of agent and plug-in"));
}

}  // namespace

absl::StatusOr<JobRequest> ParseHello(absl::string_view bytes, Peer peer,
                                      const JobDefaults& defaults) {
  session::Hello hello{};
  std::memcpy(&hello, bytes.data(), std::min(bytes.size(), sizeof(hello)));
  if (absl::Status s = CheckVersion(bytes, hello); !s.ok()) return s;
  bool ended = true;
  JobRequest job{.peer = std::move(peer),
                 .run_id = Text(hello.run_id, ended),
                 .command = Text(hello.command, ended)};
  const std::string fast = Or(Text(hello.fast, ended), defaults.fast);
  job.slow = Or(Text(hello.slow, ended), defaults.slow);
  job.policy = Or(Text(hello.policy, ended), defaults.policy);
  const std::string floor = Text(hello.floor, ended);
  job.job_id = Text(hello.job_id, ended);
  if (!ended) {
    return absl::InvalidArgumentError(
        "the greeting has a string without an end; install the same release "
        "of agent and plug-in");
  }
  if (!IsRunId(job.run_id)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "run id '", absl::CHexEscape(job.run_id),
        "' must be letters, digits, '.', '_' and '-', not starting with '.'"));
  }
  const absl::StatusOr<session::Limit> limit = ParseFast(fast, defaults);
  if (!limit.ok()) return limit.status();
  job.fast_limit = *limit;
  job.local_ranks = static_cast<int32_t>(
      std::clamp<int64_t>(hello.local_ranks, 1, kMostLocalRanks));
  job.address_bytes = std::max<int64_t>(hello.address_bytes, 0);
  job.wants_hints = hello.wants_hints != 0;
  job.wants_sums = hello.wants_sums != 0;
  if (!floor.empty()) {
    const std::optional<int64_t> floor_bytes = session::ParseSize(floor);
    if (!floor_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("floor '", absl::CHexEscape(floor), "' is not ",
                       session::kSizeForms));
    }
    job.floor_bytes = *floor_bytes;
  }
  if (hello.comes_back != 0) {
    job.comes_back = true;
    const std::optional<session::Limit> kept = LimitOf(hello.limit);
    if (!kept) {
      return absl::InvalidArgumentError(
          "the job that comes back has a limit that makes no sense");
    }
    job.fast_limit = *kept;
  }
  return job;
}

}  // namespace stowage::agent
