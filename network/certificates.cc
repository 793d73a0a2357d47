#include "network/certificates.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

absl::StatusOr<OwnedFd> MakeCopy() {
  OwnedFd fd(memfd_create("stowage-tls", MFD_CLOEXEC));
  if (fd.valid()) return fd;
  return absl::ErrnoToStatus(errno, "cannot keep certificates in memory");
}

std::string PathOf(const OwnedFd& fd) {
  return absl::StrCat("/proc/self/fd/", fd.get());
}

// Who reads meanwhile may see a mixture, and looks again in a moment.
absl::Status Write(const OwnedFd& fd, const std::string& text) {
  const auto bytes = static_cast<ssize_t>(text.size());
  if (pwrite(fd.get(), text.data(), text.size(), 0) == bytes &&
      ftruncate(fd.get(), bytes) == 0) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(errno, "cannot keep certificates in memory");
}

}  // namespace

Certificates::Certificates(TlsFiles files, Options options)
    : files_(std::move(files)), options_(std::move(options)) {}

Certificates::~Certificates() {
  stop_.Ring();
  if (thread_.joinable()) thread_.join();
}

absl::StatusOr<std::shared_ptr<Certificates>> Certificates::Load(
    const TlsFiles& files) {
  return Load(files, Options());
}

absl::StatusOr<std::shared_ptr<Certificates>> Certificates::Load(
    const TlsFiles& files, Options options) {
  std::shared_ptr<Certificates> certificates(
      new Certificates(files, std::move(options)));
  if (absl::Status opened = certificates->Open(); !opened.ok()) return opened;
  certificates->thread_ =
      std::thread([self = certificates.get()] { self->Look(); });
  return certificates;
}

absl::Status Certificates::Open() {
  const absl::StatusOr<TlsSecrets> secrets = ReadTlsFiles(files_);
  if (!secrets.ok()) return secrets.status();
  for (OwnedFd* fd : {&certificate_, &key_, &authorities_}) {
    absl::StatusOr<OwnedFd> copy = MakeCopy();
    if (!copy.ok()) return copy.status();
    *fd = *std::move(copy);
  }
  copies_ = {.certificate = PathOf(certificate_),
             .key = PathOf(key_),
             .authorities = PathOf(authorities_)};
  return Use(*secrets);
}

absl::Status Certificates::Use(const TlsSecrets& secrets) {
  absl::Status written = Write(key_, secrets.key);
  written.Update(Write(certificate_, secrets.certificate));
  written.Update(Write(authorities_, secrets.authorities));
  absl::MutexLock lock(&mutex_);
  in_use_ = secrets;
  return written;
}

absl::Time Certificates::expires() const {
  absl::MutexLock lock(&mutex_);
  return in_use_.expires;
}

void Certificates::Look() {
  while (!stop_.AwaitFor(options_.look_interval)) {
    const absl::StatusOr<TlsSecrets> secrets = ReadTlsFiles(files_);
    absl::Status status = secrets.status();
    {
      absl::MutexLock lock(&mutex_);
      if (secrets.ok() && *secrets == in_use_ && last_error_.ok()) continue;
    }
    if (secrets.ok()) status = Use(*secrets);
    // An error that lasts is told once.
    if (!status.ok() && status == last_error_) continue;
    last_error_ = status;
    if (options_.on_change) options_.on_change(status);
  }
}

}  // namespace stowage
