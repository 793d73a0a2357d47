// Keeps the certificate, key and authorities of one side of mutual TLS, and
// reads them again when their files change. Files that do not hold together, in
// the middle of a change or for good, are refused, and what was read last stays
// in use.
//
//   absl::StatusOr<std::shared_ptr<Certificates>> certificates =
//       Certificates::Load(files);
//   Watch((*certificates)->copies());   // as gRPC does
//
// gRPC watches files itself (FileWatcherCertificateProvider), but takes whatever
// they hold: with garbage in one of them, gRPC 1.51 refuses every connection
// from then on. So it watches copies in memory, which only ever hold what is
// valid.
#ifndef STOWAGE_NETWORK_CERTIFICATES_H_
#define STOWAGE_NETWORK_CERTIFICATES_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "network/owned_fd.h"
#include "network/tls_files.h"
#include "timing/bell.h"

namespace stowage {

// Thread-safe. Owns a thread, and the copies.
class Certificates {
 public:
  struct Options {
    absl::Duration look_interval = absl::Seconds(1);
    // A thread of this object calls it once for each change: OK if it is in
    // use, else why it is not.
    std::function<void(const absl::Status&)> on_change = nullptr;
  };

  // Errors are those of ReadTlsFiles(), and RESOURCE_EXHAUSTED without
  // descriptors.
  static absl::StatusOr<std::shared_ptr<Certificates>> Load(
      const TlsFiles& files, Options options);
  static absl::StatusOr<std::shared_ptr<Certificates>> Load(
      const TlsFiles& files);
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Returns paths of the copies, which this process alone can use.
  const TlsFiles& copies() const { return copies_; }
  // Returns when the certificate in use expires.
  absl::Time expires() const;

 private:
  Certificates(TlsFiles files, Options options);

  absl::Status Open();
  absl::Status Use(const TlsSecrets& secrets);
  void Look();

  const TlsFiles files_;
  const Options options_;
  OwnedFd certificate_, key_, authorities_;
  TlsFiles copies_;
  mutable absl::Mutex mutex_;
  TlsSecrets in_use_ ABSL_GUARDED_BY(mutex_);
  absl::Status last_error_;  // of the thread
  Bell stop_;
  std::thread thread_;  // last: it uses all above
};

}  // namespace stowage

#endif  // STOWAGE_NETWORK_CERTIFICATES_H_
