// Reads the files of one side of mutual TLS.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "network/tls_files.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

std::string Write(const std::string& name, std::string_view text) {
  static const TemporaryDirectory directory;
  std::string path = directory.path() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// Takes the certificate, the key and the authorities, with lines of "----"
// between them.
void Fuzz(const uint8_t* data, size_t size) {
  constexpr std::string_view kEnd = "\n----\n";
  FuzzInput input(data, size);
  const TlsFiles files = {
      .certificate = Write("tls.crt", input.TakeUntil(kEnd)),
      .key = Write("tls.key", input.TakeUntil(kEnd)),
      .authorities = Write("ca.crt", input.Rest())};
  RequireRefusal(ReadTlsFiles(files).status());
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
