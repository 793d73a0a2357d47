#include "network/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"

namespace stowage {
namespace {

constexpr std::streamsize kMostFileBytes = 1 << 20;

template <auto kFree>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, FreeWith<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

BioPtr BioOf(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// Returns null if the text does not begin with a certificate.
X509Ptr FirstCertificate(const std::string& pem) {
  X509Ptr certificate(
      PEM_read_bio_X509(BioOf(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

// Returns null if there is none, or a pass phrase guards it.
KeyPtr KeyOf(const std::string& pem) {
  const auto no_phrase = [](char*, int, int, void*) { return 0; };
  KeyPtr key(
      PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, +no_phrase, nullptr));
  ERR_clear_error();
  return key;
}

absl::Time ExpiryOf(const X509& certificate) {
  tm utc = {};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &utc);
  return absl::FromTimeT(timegm(&utc));
}

absl::Status Wrong(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("'", path, "' ", what));
}

absl::StatusOr<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot read '", path,
                            "'; name a file that this user may read"));
  }
  std::string text(kMostFileBytes, '\0');
  file.read(text.data(), kMostFileBytes);
  text.resize(file.gcount());
  return text;
}

}  // namespace

absl::Status CheckNamed(const TlsFiles& files, const std::string& prefix) {
  const bool all = !files.certificate.empty() && !files.key.empty() &&
                   !files.authorities.empty();
  if (all || files.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(prefix, "certificate, ", prefix, "key and ", prefix,
                   "authorities go together; name the files of all three, or "
                   "of none for plain text"));
}

absl::StatusOr<TlsSecrets> ReadTlsFiles(const TlsFiles& files) {
  TlsSecrets secrets;
  for (const auto& [path, text] :
       {std::pair(&files.certificate, &secrets.certificate),
        std::pair(&files.key, &secrets.key),
        std::pair(&files.authorities, &secrets.authorities)}) {
    absl::StatusOr<std::string> read = Read(*path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  const X509Ptr certificate = FirstCertificate(secrets.certificate);
  if (certificate == nullptr) {
    return Wrong(files.certificate, "holds no certificate in PEM");
  }
  const KeyPtr key = KeyOf(secrets.key);
  if (key == nullptr) {
    return Wrong(files.key, "holds no private key in PEM without pass phrase");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return Wrong(files.key, absl::StrCat("is not the key of the certificate '",
                                         files.certificate, "'"));
  }
  if (FirstCertificate(secrets.authorities) == nullptr) {
    return Wrong(files.authorities, "holds no certificate in PEM");
  }
  secrets.expires = ExpiryOf(*certificate);
  if (secrets.expires <= absl::Now()) {
    return Wrong(
        files.certificate,
        absl::StrCat("expired ",
                     absl::FormatTime(secrets.expires, absl::UTCTimeZone()),
                     "; issue another"));
  }
  return secrets;
}

}  // namespace stowage
