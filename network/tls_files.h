// Names the files of one side of mutual TLS, and reads what is in them.
//
//   TlsFiles files = {.certificate = "tls.crt", .key = "tls.key",
//                     .authorities = "ca.crt"};
//   absl::StatusOr<TlsSecrets> secrets = ReadTlsFiles(files);
#ifndef STOWAGE_NETWORK_TLS_FILES_H_
#define STOWAGE_NETWORK_TLS_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage {

// Paths of PEM files: Kubernetes calls them tls.crt, tls.key and ca.crt.
struct TlsFiles {
  std::string certificate;  // this side's, then those between it and its root
  std::string key;          // of the certificate
  std::string authorities;  // roots that the other side's certificate leads to

  bool empty() const {
    return certificate.empty() && key.empty() && authorities.empty();
  }
  bool operator==(const TlsFiles&) const = default;
};

// What is in the files.
struct TlsSecrets {
  std::string certificate;
  std::string key;
  std::string authorities;
  absl::Time expires;  // the certificate does

  bool operator==(const TlsSecrets&) const = default;
};

// Returns INVALID_ARGUMENT unless all three files are named, or none. `prefix`
// is that of their flags, "--tls-".
absl::Status CheckNamed(const TlsFiles& files, const std::string& prefix);

// Reads the files. NOT_FOUND or PERMISSION_DENIED if one cannot be read;
// INVALID_ARGUMENT if one is not what it should be, the key is another
// certificate's, or the certificate has expired. Blocks on the file system.
absl::StatusOr<TlsSecrets> ReadTlsFiles(const TlsFiles& files);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_TLS_FILES_H_
