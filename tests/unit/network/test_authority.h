// Issues certificates for tests.
//
//   const TestAuthority authority;
//   const TestCertificate agent =
//       authority.Issue("URI:spiffe://stowage/agent/node-7");
//   const TlsFiles files =
//       WriteTlsFiles(directory.path(), "agent", agent, authority);
#ifndef STOWAGE_TESTS_UNIT_NETWORK_TEST_AUTHORITY_H_
#define STOWAGE_TESTS_UNIT_NETWORK_TEST_AUTHORITY_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "network/tls_files.h"

namespace stowage {

// In PEM.
struct TestCertificate {
  std::string certificate;
  std::string key;
};

// Immutable.
class TestAuthority {
 public:
  TestAuthority() : key_(EVP_EC_gen("P-256")), certificate_(Blank(key_.get())) {
    AddExtension(NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  }

  std::string certificate() const {
    return Pem([&](BIO* to) { PEM_write_bio_X509(to, certificate_.get()); });
  }

  // `names` are subject alternative names, as "DNS:localhost,URI:spiffe://a/b".
  // The certificate is valid until `lifetime` from now on.
  TestCertificate Issue(const std::string& names,
                        absl::Duration lifetime = absl::Hours(1)) const {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate issued = Blank(key.get());
    X509_set_issuer_name(issued.get(),
                         X509_get_subject_name(certificate_.get()));
    X509_gmtime_adj(X509_getm_notAfter(issued.get()),
                    absl::ToInt64Seconds(lifetime));
    AddTo(issued.get(), NID_subject_alt_name, names);
    X509_sign(issued.get(), key_.get(), EVP_sha256());
    return {.certificate =
                Pem([&](BIO* to) { PEM_write_bio_X509(to, issued.get()); }),
            .key = Pem([&](BIO* to) {
              PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0,
                                       nullptr, nullptr);
            })};
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;

  // Returns a certificate of the key, without names and not signed.
  static Certificate Blank(EVP_PKEY* key) {
    static long serial = 0;
    Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600 * 24);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    const auto common_name = std::to_string(serial);
    X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_ASC,
        reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    return certificate;
  }

  static void AddTo(X509* certificate, int what, const std::string& value) {
    X509_EXTENSION* extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  void AddExtension(int what, const std::string& value) {
    AddTo(certificate_.get(), what, value);
  }

  template <typename Write>
  static std::string Pem(const Write& write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()),
                                                        BIO_free);
    write(bio.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return std::string(text, size);
  }

  Key key_;
  Certificate certificate_;
};

inline void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// Writes what one side needs, which trusts `authority`, to files of its name.
inline TlsFiles WriteTlsFiles(const std::string& directory,
                              const std::string& name,
                              const TestCertificate& own,
                              const TestAuthority& authority) {
  const std::string stem = directory + "/" + name;
  const TlsFiles files = {.certificate = stem + ".crt",
                          .key = stem + ".key",
                          .authorities = stem + ".ca.crt"};
  WriteText(files.certificate, own.certificate);
  WriteText(files.key, own.key);
  WriteText(files.authorities, authority.certificate());
  return files;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_NETWORK_TEST_AUTHORITY_H_
