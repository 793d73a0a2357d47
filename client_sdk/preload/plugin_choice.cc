#include "client_sdk/preload/plugin_choice.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

namespace stowage::preload {
namespace {

constexpr size_t kVersionFileBytes = 4096;

// Cuts the last part off a path.
void CutName(char* path) {
  char* slash = strrchr(path, '/');
  *(slash != nullptr ? slash : path) = '\0';
}

// Joins two paths; returns whether the result fits into PATH_MAX.
bool Join(const char* directory, const char* name, char* path) {
  const int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);
  return length >= 0 && length < PATH_MAX;
}

// Reads the beginning of a file, as text; returns false if there is none.
bool ReadText(const char* directory, const char* name, char* text) {
  char path[PATH_MAX];
  if (!Join(directory, name, path)) return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t bytes = read(fd, text, kVersionFileBytes - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = '\0';
  return true;
}

// Copies the public part of a version: "2.15.0+cu132" is 2.15.0.
void CopyVersion(const char* text, char* version, size_t size) {
  const size_t length = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz._-");
  snprintf(version, size, "%.*s", static_cast<int>(length), text);
}

// Reads the version of the PyTorch in `directory`: from what the Python package
// says, or from what is in LibTorch's archive.
void ReadVersion(const char* directory, char* version, size_t size) {
  constexpr char kAssignment[] = "\n__version__ = '";
  char text[kVersionFileBytes];
  version[0] = '\0';
  if (ReadText(directory, "version.py", text)) {
    const char* found = strstr(text, kAssignment);
    if (found != nullptr) {
      CopyVersion(found + strlen(kAssignment), version, size);
    }
  } else if (ReadText(directory, "build-version", text)) {
    CopyVersion(text, version, size);
  }
}

// Stores DIRECTORY[/SUBDIRECTORY]/stowage/torch-VERSION/libstowage_torch.so and
// returns whether it can be read.
bool Find(const char* directory, const char* subdirectory,
          PluginChoice* choice) {
  char base[PATH_MAX];
  char name[PATH_MAX];
  snprintf(name, sizeof(name), "stowage/torch-%s/libstowage_torch.so",
           choice->version);
  return Join(directory, subdirectory, base) &&
         Join(base, name, choice->path) && access(choice->path, R_OK) == 0;
}

bool FindOfUser(PluginChoice* choice) {
  const char* data = getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return Find(data, ".", choice);
  const char* home = getenv("HOME");
  return home != nullptr && Find(home, ".local/share", choice);
}

}  // namespace

bool ChoosePlugin(const char* c10_path, const char* installed,
                  PluginChoice* choice) {
  *choice = {};
  if (realpath(c10_path, choice->torch_dir) != nullptr) {
    CutName(choice->torch_dir);
    CutName(choice->torch_dir);
    ReadVersion(choice->torch_dir, choice->version, sizeof(choice->version));
  }
  if (choice->version[0] == '\0') {
    choice->torch_dir[0] = '\0';
    snprintf(choice->path, sizeof(choice->path), "%s", installed);
    return true;
  }
  char beside[PATH_MAX];
  snprintf(beside, sizeof(beside), "%s", installed);
  CutName(beside);
  return Find(beside, ".", choice) || FindOfUser(choice);
}

}  // namespace stowage::preload
