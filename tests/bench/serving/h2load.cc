#include "tests/bench/serving/h2load.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

// Returns a message as gRPC frames it: not compressed, its size, its bytes.
std::string Framed(const std::string& message) {
  std::string framed(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed.push_back(static_cast<char>(message.size() >> shift));
  }
  return framed + message;
}

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  while (const size_t size = fread(buffer, 1, sizeof(buffer), pipe)) {
    output.append(buffer, size);
  }
  pclose(pipe);
  return output;
}

}  // namespace

bool HasH2load() { return std::system("command -v h2load > /dev/null") == 0; }

absl::StatusOr<double> RunH2load(const Load& load) {
  const TemporaryDirectory directory;
  const std::string body = directory.path() + "/request";
  std::ofstream(body, std::ios::binary) << Framed(load.request);
  const int connections = std::min(4, load.callers);
  const std::string output = OutputOf(absl::StrFormat(
      "h2load -c %d -m %d -D %d --warm-up-time 1 -d %s"
      " -H 'content-type: application/grpc' -H 'te: trailers'"
      " http://%s%s 2>&1",
      connections, load.callers / connections,
      absl::ToInt64Seconds(absl::Ceil(load.time, absl::Seconds(1))), body,
      load.address, load.method));
  std::smatch rate;
  std::smatch failed;
  if (!std::regex_search(output, rate, std::regex("([0-9.]+) req/s")) ||
      !std::regex_search(output, failed, std::regex("([0-9]+) failed")) ||
      failed[1] != "0") {
    return absl::InternalError(absl::StrCat("h2load says: ", output));
  }
  double answers_per_second = 0;
  if (!absl::SimpleAtod(rate[1].str(), &answers_per_second)) {
    return absl::InternalError(absl::StrCat("h2load says: ", output));
  }
  return answers_per_second;
}

}  // namespace stowage
