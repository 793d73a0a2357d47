#include "daemon/reload.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "daemon/log.h"

namespace stowage {
namespace {

void LogChange(LogLevel level, const char* message,
               const SettingChange& change) {
  Log(level, message,
      {{"setting", change.name},
       {"before", change.before},
       {"after", change.after}});
}

}  // namespace

ReloadedSettings Reload(const std::vector<SettingValue>& running,
                        const std::vector<SettingValue>& loaded,
                        const std::vector<std::string>& reloadable) {
  ReloadedSettings reloaded{.running = running};
  for (const SettingChange& change : Changes(running, loaded)) {
    const bool takes = std::find(reloadable.begin(), reloadable.end(),
                                 change.name) != reloadable.end();
    (takes ? reloaded.in_use : reloaded.need_a_restart).push_back(change);
    const auto has_name = [&change](const SettingValue& value) {
      return value.name == change.name;
    };
    if (!takes) continue;
    *std::find_if(reloaded.running.begin(), reloaded.running.end(), has_name) =
        *std::find_if(loaded.begin(), loaded.end(), has_name);
  }
  return reloaded;
}

void LogReload(const ReloadedSettings& reloaded) {
  for (const SettingChange& change : reloaded.in_use) {
    LogChange(LogLevel::kInfo, "a setting has changed and is in use", change);
  }
  for (const SettingChange& change : reloaded.need_a_restart) {
    LogChange(LogLevel::kWarning,
              "a setting has changed and needs a restart; the value before "
              "stays in use",
              change);
  }
  if (reloaded.in_use.empty() && reloaded.need_a_restart.empty()) {
    Log(LogLevel::kInfo, "the configuration was read again: nothing changed");
  }
}

void LogCertificates(const absl::Status& status) {
  if (status.ok()) {
    return Log(LogLevel::kInfo, "the certificates have changed and are in use");
  }
  Log(LogLevel::kError,
      absl::StrCat(status.message(), "; the certificates before stay in use"));
}

void LogRefusedReload(const absl::Status& status) {
  Log(LogLevel::kError,
      "the new configuration is refused; the one before stays in use",
      {{"reason", status.message()}});
}

}  // namespace stowage
