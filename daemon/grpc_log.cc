#include "daemon/grpc_log.h"

#include "absl/strings/str_cat.h"
#include "daemon/log.h"
#include "grpc/support/log.h"

namespace stowage {
namespace {

void LogMessage(gpr_log_func_args* args) {
  Log(args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kError
                                               : LogLevel::kInfo,
      args->message, {{"grpc", absl::StrCat(args->file, ":", args->line)}});
}

}  // namespace

void LogWhatGrpcSays() { gpr_set_log_function(LogMessage); }

}  // namespace stowage
