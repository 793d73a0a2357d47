#include "tools/stowage/output/exit_code.h"

#include <iostream>

#include "tools/stowage/output/output_file.h"

namespace stowage::cli {

int ExitCodeFor(const absl::Status& status) {
  if (IsOutputError(status)) return kExitCannotCreate;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kResourceExhausted:
      return kExitBadData;
    case absl::StatusCode::kNotFound:
      return kExitNoInput;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnavailable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitNoPermission;
    case absl::StatusCode::kFailedPrecondition:
      return kExitInfeasible;
    default:
      return kExitFailure;
  }
}

int ReportError(const absl::Status& status) {
  if (!status.ok()) std::cerr << "stowage: " << status.message() << "\n";
  return ExitCodeFor(status);
}

int ReportUsageError(const absl::Status& status) {
  ReportError(status);
  return kExitUsage;
}

}  // namespace stowage::cli
