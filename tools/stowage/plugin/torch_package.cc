#include "tools/stowage/plugin/torch_package.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client_sdk/preload/plugin_choice.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

constexpr char kFind[] =
    "import importlib.util as util; spec = util.find_spec('torch'); "
    "print(spec.submodule_search_locations[0] if spec else '')";
// Versions 2.x between these, with both.
constexpr int kOldestMinor = 6;
constexpr int kNewestMinor = 15;

}  // namespace

absl::StatusOr<std::string> FindTorch(const std::string& python) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return directory.status();
  const std::string answer_path = absl::StrCat(directory->path(), "/answer");
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(
      {.argv = {python, "-c", kFind}, .log_path = answer_path});
  if (!child.ok()) return child.status();
  const int exit_status = child->Wait();
  absl::StatusOr<std::string> answer = ReadFile(answer_path);
  if (!answer.ok()) return answer.status();
  answer->erase(std::find(answer->begin(), answer->end(), '\n'), answer->end());
  if (exit_status == 0 && !answer->empty()) return answer;
  return absl::NotFoundError(
      absl::StrCat("'", python,
                   "' finds no PyTorch; name the interpreter that trains with "
                   "--python, or the directory of its torch with --torch"));
}

absl::StatusOr<TorchPackage> ReadTorch(const std::string& directory) {
  const std::string c10 = absl::StrCat(directory, "/lib/libc10.so");
  if (!std::filesystem::exists(c10)) {
    return absl::NotFoundError(
        absl::StrCat("'", directory,
                     "' is not the directory of a PyTorch: it has no "
                     "lib/libc10.so"));
  }
  preload::PluginChoice choice;
  preload::ChoosePlugin(c10.c_str(), "", &choice);
  if (choice.version[0] != '\0') {
    return TorchPackage{choice.torch_dir, choice.version};
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the PyTorch in '", directory,
                   "' is the distribution's: its plug-in is installed with "
                   "Stowage, and there is nothing to build"));
}

absl::Status CheckSupported(const TorchPackage& torch) {
  const std::vector<std::string> parts = absl::StrSplit(torch.version, '.');
  int minor = 0;
  if (parts.size() >= 3 && parts[0] == "2" &&
      absl::SimpleAtoi(parts[1], &minor) && minor >= kOldestMinor &&
      minor <= kNewestMinor) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "PyTorch ", torch.version, " in '", torch.directory,
      "' is not supported: 2.", kOldestMinor, " to 2.", kNewestMinor,
      " are, and Debian's 1.13; --untested builds the plug-in all the same"));
}

}  // namespace stowage::cli
