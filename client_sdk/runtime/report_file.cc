#include "client_sdk/runtime/report_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

namespace stowage::runtime {

bool WriteReportFile(const std::string& directory, const std::string& run_id,
                     const session::Report& report) {
  const std::string path =
      directory + "/" + run_id + "-" + std::to_string(report.pid) + ".session";
  const std::string temporary = path + ".tmp";
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written = write(fd, &report, sizeof(report)) ==
                       static_cast<ssize_t>(sizeof(report));
  return close(fd) == 0 && written &&
         rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace stowage::runtime
