// Loads a plan from a file.
//
//   absl::StatusOr<policies::Plan> plan = LoadPlan("resnet50.plan.pb");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_PLAN_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_PLAN_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/plan/plan.h"

namespace stowage::cli {

// Reads a plan, binary or proto JSON, gzipped or not. Blocks on the disk.
// Errors begin with the path.
absl::StatusOr<policies::Plan> LoadPlan(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_PLAN_FILE_H_
