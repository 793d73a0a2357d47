#include "server/placement/plan_request.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "policies/model/memory_system_proto.h"
#include "server/graphs/content_hash.h"

namespace stowage {
namespace {

std::string SystemBytes(const policies::MemorySystem& system) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    policies::MemorySystemToProto(system).SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace

std::string PlanId(const PlanRequest& request) {
  std::vector<std::string> fields = {
      request.graph_id, SystemBytes(request.system), request.policy,
      absl::StrCat(request.fast_limit_bytes), absl::StrCat(request.seed)};
  if (!request.dqn_digest.empty()) fields.push_back(request.dqn_digest);
  if (request.think_time != absl::ZeroDuration()) {
    fields.push_back(absl::FormatDuration(request.think_time));
  }
  return HashFields(fields);
}

}  // namespace stowage
