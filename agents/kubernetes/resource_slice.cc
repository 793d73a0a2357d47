#include "agents/kubernetes/resource_slice.h"

#include "absl/strings/str_cat.h"
#include "agents/claims/json_text.h"
#include "agents/kubernetes/names.h"
#include "agents/kubernetes/quantity.h"

namespace stowage::agent {
namespace {

// Claims get whole units, and a request that names no amount gets all.
nlohmann::json CapacityOf(int64_t bytes) {
  const std::string all = QuantityOf(bytes);
  const std::string unit = QuantityOf(kClaimUnitBytes);
  return {{"value", all},
          {"requestPolicy",
           {{"default", all},
            {"validRange", {{"min", unit}, {"max", all}, {"step", unit}}}}}};
}

nlohmann::json DeviceOf(const char* name, const TierMemory& memory) {
  return {{"name", name},
          {"attributes",
           {{"tier", {{"string", name}}},
            {"medium", {{"string", memory.medium}}},
            {"readBytesPerSecond", {{"int", memory.read_bytes_per_second}}},
            {"writeBytesPerSecond", {{"int", memory.write_bytes_per_second}}}}},
          {"capacity", {{kMemoryCapacity, CapacityOf(memory.bytes)}}},
          {"allowMultipleAllocations", true}};
}

// Returns what of a slice has to be equal.
nlohmann::json Core(const nlohmann::json& slice) {
  nlohmann::json owners = nlohmann::json::array();
  for (const nlohmann::json& owner :
       ListAt(slice, "/metadata/ownerReferences")) {
    owners.push_back(TextAt(owner, "/uid"));
  }
  return {{"owners", owners},
          {"driver", At(slice, "/spec/driver")},
          {"node", At(slice, "/spec/nodeName")},
          {"pool", At(slice, "/spec/pool/name")},
          {"slices", At(slice, "/spec/pool/resourceSliceCount")},
          {"devices", At(slice, "/spec/devices")}};
}

}  // namespace

nlohmann::json SliceOf(const NodeMemory& memory, const SliceOwner& owner,
                       int64_t generation) {
  return {
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "ResourceSlice"},
      {"metadata",
       {{"generateName", absl::StrCat(owner.node, "-", kDriverName, "-")},
        {"ownerReferences", nlohmann::json::array({{{"apiVersion", "v1"},
                                                    {"kind", "Node"},
                                                    {"name", owner.node},
                                                    {"uid", owner.node_uid},
                                                    {"controller", true}}})}}},
      {"spec",
       {{"driver", kDriverName},
        {"nodeName", owner.node},
        {"pool",
         {{"name", owner.node},
          {"generation", generation},
          {"resourceSliceCount", 1}}},
        {"devices",
         nlohmann::json::array({DeviceOf(kFastDevice, memory.fast),
                                DeviceOf(kSlowDevice, memory.slow)})}}}};
}

nlohmann::json WithoutSharing(nlohmann::json slice) {
  for (nlohmann::json& device : slice["spec"]["devices"]) {
    device.erase("allowMultipleAllocations");
    device["capacity"][kMemoryCapacity].erase("requestPolicy");
  }
  return slice;
}

bool TellsTheSame(const nlohmann::json& a, const nlohmann::json& b) {
  return Core(a) == Core(b);
}

}  // namespace stowage::agent
