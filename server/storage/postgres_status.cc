#include "server/storage/postgres_status.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

struct CodeOfPrefix {
  absl::string_view prefix;
  absl::StatusCode code;
};

// The first prefix that fits counts. The names are those of PostgreSQL's
// manual, appendix A.
constexpr auto kCodes = std::to_array<CodeOfPrefix>({
    {"08", absl::StatusCode::kUnavailable},         // connection exception
    {"22", absl::StatusCode::kInvalidArgument},     // data exception
    {"23", absl::StatusCode::kFailedPrecondition},  // integrity constraint
    {"25006", absl::StatusCode::kUnavailable},      // read-only transaction
    {"25P03", absl::StatusCode::kUnavailable},      // idle in transaction
    {"28", absl::StatusCode::kUnavailable},         // invalid authorization
    {"3D000", absl::StatusCode::kUnavailable},      // no such database
    {"40", absl::StatusCode::kUnavailable},         // transaction rollback
    {"42501", absl::StatusCode::kUnavailable},      // insufficient privilege
    {"53", absl::StatusCode::kUnavailable},         // insufficient resources
    {"54", absl::StatusCode::kResourceExhausted},   // program limit exceeded
    {"55", absl::StatusCode::kUnavailable},         // not in prerequisite state
    {"57", absl::StatusCode::kUnavailable},         // operator intervention
    {"58", absl::StatusCode::kUnavailable},         // system error
    {"XX001", absl::StatusCode::kDataLoss},         // data corrupted
    {"XX002", absl::StatusCode::kDataLoss},         // index corrupted
});

absl::StatusCode CodeOf(absl::string_view sql_state) {
  if (sql_state.empty()) return absl::StatusCode::kUnavailable;
  const auto* found =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const auto& entry) {
        return absl::StartsWith(sql_state, entry.prefix);
      });
  return found == kCodes.end() ? absl::StatusCode::kInternal : found->code;
}

absl::string_view RemedyOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return "; check that PostgreSQL runs, takes writes and lets the service "
             "in, and try again";
    case absl::StatusCode::kDataLoss:
      return "; stop the services and restore the database from a backup";
    case absl::StatusCode::kInvalidArgument:
      return "; send text without zero bytes";
    default:
      return "";
  }
}

}  // namespace

absl::Status PostgresStatus(absl::string_view sql_state,
                            absl::string_view message) {
  const absl::StatusCode code = CodeOf(sql_state);
  return absl::Status(
      code, absl::StrCat("database: ", absl::StripAsciiWhitespace(message),
                         RemedyOf(code)));
}

}  // namespace stowage
