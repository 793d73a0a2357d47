// Makes claims as the API server has them once they are allocated.
//
//   nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
#ifndef STOWAGE_TESTS_UNIT_AGENTS_KUBERNETES_ALLOCATED_CLAIM_H_
#define STOWAGE_TESTS_UNIT_AGENTS_KUBERNETES_ALLOCATED_CLAIM_H_

#include <string>

#include "agents/kubernetes/claim_grant.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

inline nlohmann::json ResultOf(const std::string& device,
                               const std::string& amount) {
  return {{"request", device},
          {"driver", "memory.stowage.dev"},
          {"pool", "node1"},
          {"device", device},
          {"shareID", "share-of-" + device},
          {"consumedCapacity", {{"memory", amount}}}};
}

inline nlohmann::json AllocatedClaim(const std::string& fast,
                                     const std::string& slow) {
  return {
      {"metadata", {{"namespace", "default"}, {"name", "mlp"}, {"uid", "1-2"}}},
      {"status",
       {{"allocation",
         {{"devices",
           {{"results",
             {ResultOf("fast", fast), ResultOf("slow", slow)}}}}}}}}};
}

inline ClaimRef RefOfTheClaim() {
  return {.namespace_name = "default", .name = "mlp", .uid = "1-2"};
}

inline nlohmann::json& ResultsOf(nlohmann::json& claim) {
  return claim["status"]["allocation"]["devices"]["results"];
}

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_KUBERNETES_ALLOCATED_CLAIM_H_
