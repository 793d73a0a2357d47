#include "server/placement/plan_request.h"

#include <openssl/sha.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "policies/model/memory_system_proto.h"

namespace stowage {
namespace {

std::string SystemBytes(const MemorySystem& system) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    MemorySystemToProto(system).SerializeToCodedStream(&coded);
  }
  return bytes;
}

// The length keeps neighbouring fields apart.
std::string Field(absl::string_view value) {
  return absl::StrCat(value.size(), ":", value);
}

}  // namespace

std::string PlanId(const PlanRequest& request) {
  const std::string key = absl::StrCat(
      Field(request.graph_id), Field(SystemBytes(request.system)),
      Field(request.policy), Field(absl::StrCat(request.fast_limit_bytes)),
      Field(absl::StrCat(request.seed)));
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(),
         digest.data());
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace stowage
