#include "agents/jobs/resizing.h"

#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/session.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

constexpr absl::Duration kLookAgain = absl::Milliseconds(10);

struct Wish {
  std::string job;
  session::Limit limit;
};

absl::StatusOr<Wish> ParseRequest(absl::string_view bytes) {
  session::ResizeRequest request;
  if (bytes.size() != sizeof(request)) {
    return absl::InvalidArgumentError(
        "the request has another size; install the same release of agent and "
        "stowage");
  }
  std::memcpy(&request, bytes.data(), sizeof(request));
  if (request.version != session::kVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("the request is of session protocol version ",
                     request.version, " and the agent of ", session::kVersion,
                     "; install the same release of agent and stowage"));
  }
  const std::string text(request.limit,
                         strnlen(request.limit, sizeof(request.limit)));
  const std::optional<session::Limit> limit = session::ParseLimit(text);
  if (!limit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "limit '", absl::CHexEscape(text), "' ", session::WhyNoLimit(text)));
  }
  if (limit->slowdown > 0) {
    return absl::InvalidArgumentError(
        "a running job cannot look for a limit; name a size or a share");
  }
  return Wish{
      std::string(request.job, strnlen(request.job, sizeof(request.job))),
      *limit};
}

absl::Status CheckMayResize(const Peer& peer, const RunningJob& job) {
  if (peer.uid == 0 || peer.uid == geteuid() || peer.uid == job.uid) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      absl::StrCat("job '", job.job_id, "' is one of user ", job.uid,
                   "; ask that user, or the agent's"));
}

session::ResizeAnswer AnswerOf(session::ResizeResult result,
                               absl::string_view text,
                               absl::string_view job_id = "") {
  session::ResizeAnswer answer{};
  answer.magic = session::kResizeMagic;
  answer.version = session::kVersion;
  answer.result = result;
  SetText(answer.text, text);
  SetText(answer.job_id, job_id);
  return answer;
}

session::ResizeAnswer AnswerOf(const LimitOutcome& outcome,
                               const std::string& job_id) {
  switch (outcome.state) {
    case LimitOutcome::kObeyed:
      return AnswerOf(session::kResizeObeyed, "", job_id);
    case LimitOutcome::kAwaited:
      return AnswerOf(session::kResizeAwaited,
                      "the job has not ended a step meanwhile; it obeys when "
                      "its step ends",
                      job_id);
    case LimitOutcome::kEnded:
    case LimitOutcome::kRefused:
      break;
  }
  return AnswerOf(session::kResizeRefused, WhyNotObeyed(outcome), job_id);
}

}  // namespace

bool IsResizeRequest(absl::string_view bytes) {
  uint64_t magic = 0;
  if (bytes.size() < sizeof(magic)) return false;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == session::kResizeMagic;
}

session::ResizeAnswer Resize(absl::string_view bytes, const Peer& peer,
                             const RunningJobs& jobs,
                             absl::FunctionRef<bool()> is_over) {
  const absl::StatusOr<Wish> wish = ParseRequest(bytes);
  if (!wish.ok()) {
    return AnswerOf(session::kResizeRefused, wish.status().message());
  }
  const absl::StatusOr<RunningJob> job = jobs.Find(wish->job);
  const absl::Status allowed =
      job.ok() ? CheckMayResize(peer, *job) : job.status();
  if (!allowed.ok()) {
    return AnswerOf(session::kResizeRefused, allowed.message());
  }
  const uint64_t number = job->limits->SetLimit(wish->limit);
  const int64_t end_ns = session::NowNs() + session::kResizePatienceNs;
  LimitOutcome outcome = job->limits->OutcomeOf(number);
  while (outcome.state == LimitOutcome::kAwaited && session::NowNs() < end_ns &&
         !is_over()) {
    absl::SleepFor(kLookAgain);
    outcome = job->limits->OutcomeOf(number);
  }
  return AnswerOf(outcome, job->job_id);
}

}  // namespace stowage::agent
