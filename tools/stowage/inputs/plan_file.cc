#include "tools/stowage/inputs/plan_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/codec.h"
#include "policies/plan/plan_proto.h"
#include "tools/stowage/inputs/input_file.h"

namespace stowage::cli {

absl::StatusOr<policies::Plan> LoadPlan(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<v1::Plan> proto = policies::ParsePlan(*bytes);
  absl::StatusOr<policies::Plan> plan =
      proto.ok() ? policies::PlanFromProto(*proto) : proto.status();
  if (plan.ok()) return plan;
  return absl::Status(plan.status().code(),
                      absl::StrCat(path, ": ", plan.status().message()));
}

}  // namespace stowage::cli
