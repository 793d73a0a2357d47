// Runs a fuzzer over the files of a corpus, once each, where libFuzzer is not
// linked.
//
//   graph_fuzzer tests/fuzz/corpus/graph [FILE...]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesAt(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Run(const fs::path& path) {
  // The last name in the output is that of the input that ended the process.
  std::cout << path.string() << std::endl;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return false;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : FilesAt(argv[i])) {
      if (!Run(path)) {
        std::cerr << "cannot read " << path << std::endl;
        return 1;
      }
      ++inputs;
    }
  }
  std::cout << inputs << " inputs" << std::endl;
  return inputs > 0 ? 0 : 1;
}
