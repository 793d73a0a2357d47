// Reads what other programs wrote: execution traces of PyTorch and Chakra,
// profiled graphs, and archives of them.
#include <cstddef>
#include <cstdint>
#include <string>

#include "google/protobuf/stubs/logging.h"
#include "policies/model/graph_validation.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/tar_archive.h"

namespace stowage {
namespace {

void Import(absl::string_view bytes) {
  for (const int iteration : {-1, 0}) {
    const auto loaded =
        cli::ParseGraphFile(bytes, "fuzzed", {.iteration = iteration});
    RequireRefusal(loaded.status());
    if (!loaded.ok()) continue;
    Require(policies::ValidateGraph(loaded->graph).ok(), "the graph is valid");
    Require(!loaded->format.empty(), "the format has a name");
  }
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  const std::string bytes(FuzzInput(data, size).Rest());
  if (!cli::IsTar(bytes)) {
    Import(bytes);
    return;
  }
  for (const char* member : {"", "rank0.json"}) {
    const auto content = cli::ExtractMember(bytes, member);
    RequireRefusal(content.status());
    if (content.ok()) Import(*content);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
