#include "client_sdk/runtime/connection/report_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "client_sdk/session/packed_report.h"

namespace stowage::runtime {

bool WriteReportFile(const std::string& directory, const std::string& run_id,
                     const session::Report& report) {
  const std::string path =
      directory + "/" + run_id + "-" + std::to_string(report.pid) + ".session";
  const std::string temporary = path + ".tmp";
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const std::string bytes = session::PackReport(report);
  const bool written = write(fd, bytes.data(), bytes.size()) ==
                       static_cast<ssize_t>(bytes.size());
  return close(fd) == 0 && written &&
         rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace stowage::runtime
