#include "network/certificates.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/network/test_authority.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CertificatesTest : public testing::Test {
 protected:
  // Loads the files, and looks at them all the time.
  std::shared_ptr<Certificates> Load() {
    auto loaded = Certificates::Load(
        files_, {.look_interval = absl::Milliseconds(1),
                 .on_change = [this](const absl::Status& status) {
                   change_ = status;
                   changed_.Ring();
                 }});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
  // Returns what the next change led to.
  absl::Status AwaitChange() {
    changed_.AwaitFor(absl::InfiniteDuration(), heard_++);
    return change_;
  }
  void ExpectRefused(const std::string& what) {
    EXPECT_THAT(Certificates::Load(files_).status().message(), HasSubstr(what));
  }

  const std::string directory_ = testing::TempDir();
  const TestAuthority authority_;
  const TestCertificate own_ = authority_.Issue("DNS:localhost");
  const TlsFiles files_ = WriteTlsFiles(directory_, "own", own_, authority_);
  Bell changed_;
  uint64_t heard_ = 0;
  absl::Status change_;
};

TEST_F(CertificatesTest, KeepsCopiesOfWhatItHasRead) {
  const auto certificates = Load();
  EXPECT_EQ(TextOf(certificates->copies().certificate), own_.certificate);
  EXPECT_EQ(TextOf(certificates->copies().key), own_.key);
  EXPECT_EQ(TextOf(certificates->copies().authorities),
            authority_.certificate());
}

TEST_F(CertificatesTest, UsesFilesThatHaveChanged) {
  const auto certificates = Load();
  const TestCertificate next =
      authority_.Issue("DNS:localhost", absl::Hours(48));
  WriteTlsFiles(directory_, "own", next, authority_);
  while (!AwaitChange().ok()) {  // in the middle of the change
  }
  EXPECT_EQ(TextOf(certificates->copies().certificate), next.certificate);
  EXPECT_EQ(TextOf(certificates->copies().key), next.key);
  EXPECT_GT(certificates->expires(), absl::Now() + absl::Hours(24));
}

TEST_F(CertificatesTest, GarbageChangesNothingAndIsToldOnce) {
  const auto certificates = Load();
  WriteText(files_.certificate, "garbage");
  EXPECT_THAT(AwaitChange().message(),
              HasSubstr("own.crt' holds no certificate in PEM"));
  EXPECT_EQ(TextOf(certificates->copies().certificate), own_.certificate);
  WriteText(files_.certificate, own_.certificate);
  EXPECT_TRUE(AwaitChange().ok());
}

TEST_F(CertificatesTest, RefusesWhatDoesNotHoldTogether) {
  WriteText(files_.key, authority_.Issue("DNS:other").key);
  ExpectRefused("own.key' is not the key of the certificate");
  WriteText(files_.key, "garbage");
  ExpectRefused("own.key' holds no private key");
  WriteTlsFiles(directory_, "own",
                authority_.Issue("DNS:localhost", -absl::Hours(1)), authority_);
  ExpectRefused("own.crt' expired");
  WriteTlsFiles(directory_, "own", own_, authority_);
  WriteText(files_.authorities, "");
  ExpectRefused("own.ca.crt' holds no certificate in PEM");
  EXPECT_TRUE(absl::IsNotFound(
      Certificates::Load({"/no/file", files_.key, files_.authorities})
          .status()));
}

TEST(TlsFilesTest, AllThreeFilesAreNamedOrNone) {
  EXPECT_TRUE(CheckNamed({}, "--tls-").ok());
  EXPECT_TRUE(CheckNamed({"a", "b", "c"}, "--tls-").ok());
  EXPECT_THAT(CheckNamed({.certificate = "a"}, "--tls-").message(),
              HasSubstr("--tls-key"));
}

}  // namespace
}  // namespace stowage
