// Makes a directory for one test, and removes it with all that is in it.
//
//   TempDirectory directory;
//   const std::string socket = directory.path() + "/agent.sock";
#ifndef STOWAGE_TESTS_UNIT_AGENTS_TEMP_DIRECTORY_H_
#define STOWAGE_TESTS_UNIT_AGENTS_TEMP_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "gtest/gtest.h"

namespace stowage::agent {

class TempDirectory {
 public:
  TempDirectory() : path_(testing::TempDir() + "/stowage-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) abort();
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_TEMP_DIRECTORY_H_
