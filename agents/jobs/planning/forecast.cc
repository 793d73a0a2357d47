#include "agents/jobs/planning/forecast.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents/jobs/planning/limit_too_small.h"
#include "agents/jobs/planning/profile_drift.h"
#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/size_spec.h"
#include "stowage/v1/status.pb.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Returns how many times as long a step takes: "1.07x", "13x".
std::string Factor(int64_t step_ns, int64_t alone_ns) {
  const double factor = static_cast<double>(step_ns) / alone_ns;
  return absl::StrFormat("%.*fx", factor < 9.95 ? 2 : 0, factor);
}

// Returns the limit as an argument of --fast: whole MiB, and the share of the
// peak if one is enough. Adds a little, because what is set aside grows a
// little with the limit.
std::string LimitThatPlans(int64_t least_bytes, int64_t tensor_peak_bytes) {
  const int64_t bytes = least_bytes + least_bytes / 128;
  std::string text = absl::StrCat("--fast ", (bytes + kMiB - 1) / kMiB, "MiB");
  if (bytes <= tensor_peak_bytes) {
    const double percent = std::ceil(100.0 * bytes / tensor_peak_bytes);
    absl::StrAppendFormat(&text, " (%.0f%%)", percent);
  }
  return text;
}

// Returns the part of the forecast that says how much streams.
std::string WhatStreams(const v1::Plan& plan, const v1::Graph& graph) {
  if (plan.streams().empty()) return "";
  int64_t bytes = 0;
  for (const v1::Stream& stream : plan.streams()) {
    for (const int32_t t : stream.tensors()) {
      if (t >= 0 && t < graph.tensors_size()) {
        bytes += graph.tensors(t).size_bytes();
      }
    }
  }
  return absl::StrCat(", with kernels that stream ", session::SizeText(bytes),
                      " that the limit has no room for");
}

std::string WhyNoPlan(const absl::Status& status,
                      const std::optional<v1::LimitTooSmall>& limit_too_small,
                      int64_t limit_bytes) {
  if (!limit_too_small.has_value()) return std::string(status.message());
  return absl::StrCat("kernel ", limit_too_small->kernel(), " (",
                      limit_too_small->kernel_name(), ") needs ",
                      session::SizeText(limit_too_small->least_limit_bytes()),
                      " and the limit is ", session::SizeText(limit_bytes));
}

}  // namespace

void ForecastWriter::NotePlan(const v1::Plan& plan, const v1::Graph& graph) {
  if (written_ || (found_limit_bytes_ == 0 && LimitToTell() == 0)) return;
  session::Forecast& forecast = report_->forecast;
  forecast.kernel = -1;
  forecast.alone_step_ns = KernelsNs(graph);
  forecast.step_ns = plan.prediction().step_time_ns();
  forecast.least_limit_bytes = 0;
  std::string line = absl::StrCat(FoundLimit(), "planned by ", plan.policy());
  if (forecast.alone_step_ns > 0) {
    // The profiled step streamed less, or in another way.
    absl::StrAppend(&line, plan.streams().empty() ? ": " : ": at least ",
                    Factor(forecast.step_ns, forecast.alone_step_ns),
                    " the time of training alone expected",
                    WhatStreams(plan, graph));
  }
  SetText(forecast.line, line);
  Publish(session::kForecastPlan);
}

void ForecastWriter::NoteNoPlan(const absl::Status& status,
                                const v1::Graph& graph, int64_t step_ns) {
  const int64_t limit_bytes = LimitToTell();
  if (limit_bytes == 0) return;
  const std::optional<v1::LimitTooSmall> too_small = LimitTooSmallOf(status);
  session::Forecast& forecast = report_->forecast;
  forecast.kernel = too_small.has_value() ? too_small->kernel() : -1;
  forecast.alone_step_ns = KernelsNs(graph);
  forecast.step_ns = step_ns;
  forecast.least_limit_bytes =
      too_small.has_value() ? too_small->least_limit_bytes() : 0;
  std::string line =
      absl::StrCat("no plan: ", WhyNoPlan(status, too_small, limit_bytes));
  // At least: the kernels of the profiled step waited for faults, too.
  if (step_ns > 0 && forecast.alone_step_ns > 0) {
    absl::StrAppend(&line, "; steps take at least ",
                    Factor(step_ns, forecast.alone_step_ns),
                    " as long as alone");
  }
  if (too_small.has_value()) {
    const int64_t peak_bytes =
        report_->tensor_peak_bytes.load(std::memory_order_relaxed);
    absl::StrAppend(&line, "; ",
                    LimitThatPlans(too_small->least_limit_bytes(), peak_bytes),
                    " would plan");
  }
  SetText(forecast.line, line);
  Publish(session::kForecastNoPlan);
}

std::string ForecastWriter::FoundLimit() const {
  if (found_limit_bytes_ == 0) return "";
  const int64_t peak_bytes =
      report_->tensor_peak_bytes.load(std::memory_order_relaxed);
  const double share =
      100.0 * found_limit_bytes_ / std::max<int64_t>(1, peak_bytes);
  return absl::StrFormat("--fast %s (%.0f%% of the tensor peak) found; ",
                         session::SizeText(found_limit_bytes_), share);
}

int64_t ForecastWriter::LimitToTell() const {
  return written_ ? 0 : report_->limit_bytes.load(std::memory_order_relaxed);
}

void ForecastWriter::Publish(session::ForecastKind kind) {
  report_->forecast.kind.store(kind, std::memory_order_release);
  written_ = true;
}

}  // namespace stowage::agent
