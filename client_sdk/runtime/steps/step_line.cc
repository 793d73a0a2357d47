#include "client_sdk/runtime/steps/step_line.h"

#include <stdio.h>
#include <string.h>

#include <utility>

namespace stowage::runtime {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

// Adds fields to an object.
class Fields {
 public:
  void AddNull(std::string_view name) { Begin(name) += "null"; }
  void Add(std::string_view name, int64_t number) {
    Begin(name) += std::to_string(number);
  }
  // Adds null for an empty text.
  void Add(std::string_view name, std::string_view text);
  void AddSeconds(std::string_view name, int64_t ns);
  std::string Take() { return std::move(text_) + "}"; }

 private:
  std::string& Begin(std::string_view name);

  std::string text_ = "{";
};

std::string& Fields::Begin(std::string_view name) {
  if (text_.size() > 1) text_ += ",";
  return text_.append("\"").append(name).append("\":");
}

void Fields::Add(std::string_view name, std::string_view text) {
  if (text.empty()) return AddNull(name);
  Begin(name) += "\"";
  for (const char c : text) {
    char escaped[8] = {c};
    if (c == '"' || c == '\\') {
      snprintf(escaped, sizeof(escaped), "\\%c", c);
    } else if (static_cast<unsigned char>(c) < ' ') {
      snprintf(escaped, sizeof(escaped), "\\u%04x", c);
    }
    text_ += escaped;
  }
  text_ += "\"";
}

void Fields::AddSeconds(std::string_view name, int64_t ns) {
  char text[40];
  snprintf(text, sizeof(text), "%lld.%06lld",
           static_cast<long long>(ns / kSecondNs),
           static_cast<long long>(ns % kSecondNs / 1000));
  Begin(name) += text;
}

std::string_view NameOf(uint32_t mode) {
  if (mode == session::kStepPlan) return "plan";
  return mode == session::kStepProfile ? "profile" : "demand";
}

std::string_view SkipName(uint32_t skip) {
  if (skip == session::kDemandFaster) return "demand-faster";
  return skip == session::kDemandTrial ? "demand-trial" : "";
}

void AddProcess(const StepLineFacts& facts, Fields* fields) {
  fields->Add("job", facts.job_id);
  fields->Add("pid", facts.pid);
  if (facts.rank.has_value()) {
    fields->Add("rank", *facts.rank);
  } else {
    fields->AddNull("rank");
  }
  fields->AddSeconds("time_s", facts.time_ns);
}

void AddTimes(const session::StepRecord& record, Fields* fields) {
  fields->AddSeconds("duration_s", record.duration_ns);
  if (record.predicted.step_ns > 0) {
    fields->AddSeconds("predicted_s", record.predicted.step_ns);
  } else {
    fields->AddNull("predicted_s");
  }
  fields->AddSeconds("stall_s", record.stall_ns);
  fields->AddSeconds("kernels_s", record.times.kernels_ns);
  fields->AddSeconds("gaps_s", record.times.gaps_ns);
  fields->AddSeconds("faults_s", record.times.faults_ns);
  fields->AddSeconds("plan_wait_s", record.times.plan_wait_ns);
}

void AddBytes(const session::StepRecord& record, Fields* fields) {
  fields->Add("moved_in_bytes", record.moved_in_bytes);
  fields->Add("moved_out_bytes", record.moved_out_bytes);
  fields->Add("fast_peak_bytes", record.fast_peak_bytes);
  if (record.limit_bytes > 0) {
    fields->Add("limit_bytes", record.limit_bytes);
  } else {
    fields->AddNull("limit_bytes");
  }
}

}  // namespace

std::string StepLine(const session::StepRecord& record,
                     const StepLineFacts& facts) {
  Fields fields;
  AddProcess(facts, &fields);
  fields.Add("step", record.index);
  fields.Add("kind", facts.kind);
  fields.Add("mode", NameOf(record.mode));
  fields.Add("phase",
             std::string_view(record.phase,
                              strnlen(record.phase, sizeof(record.phase))));
  fields.Add("kernel_count", record.kernel_count);
  AddTimes(record, &fields);
  AddBytes(record, &fields);
  fields.Add("plan_skip", SkipName(record.plan_skip));
  fields.Add("surprise", facts.surprise);
  return fields.Take();
}

}  // namespace stowage::runtime
