// Reads what jobs left behind: a packed report, and the JSON that
// `stowage run` made of one.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/server/testing.h"
#include "tools/stowage/report/explanation.h"
#include "tools/stowage/report/report_text.h"
#include "tools/stowage/report/session_file.h"

namespace stowage {
namespace {

void Tell(const cli::JobReport& job) {
  for (const cli::Explanation& explanation : cli::Explain(job.steps)) {
    cli::ExplanationToText(explanation);
    cli::ExplanationToJson(explanation);
  }
  cli::LateKernelsToText(job.kernels);
}

void ReadSession(std::string_view bytes) {
  static const TemporaryDirectory directory;
  const std::string path = directory.path() + "/run-1.session";
  std::ofstream(path, std::ios::binary) << bytes;
  const auto job = cli::ReadSessionFile(path);
  RequireRefusal(job.status());
  if (!job.ok()) return;
  Tell(*job);
  const cli::RunReport report = cli::MakeRunReport({*job}, "train", 0);
  cli::ReportToText(report);
  // As `stowage run` writes it: a job may have named itself anything.
  const std::string json = cli::ReportToJson(report).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto again = cli::ReadReport(json);
  Require(again.ok() == !job->steps.empty(), "what is written can be read");
}

void ReadJson(const std::string& text) {
  const auto job = cli::ReadReport(text);
  RequireRefusal(job.status());
  if (job.ok()) Tell(*job);
}

// JSON begins with '{', and a packed report with the magic number.
void Fuzz(const uint8_t* data, size_t size) {
  const std::string_view bytes = FuzzInput(data, size).Rest();
  if (!bytes.empty() && bytes.front() == '{') {
    ReadJson(std::string(bytes));
  } else {
    ReadSession(bytes);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
