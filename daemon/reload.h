// Says what of a new configuration a running program takes over, and what needs
// a restart.
//
//   ReloadedSettings reloaded = Reload(running, loaded, {"log-format"});
//   for (const SettingChange& change : reloaded.in_use) Tell(change.name);
//   running = reloaded.running;
//   LogReload(reloaded);
#ifndef STOWAGE_DAEMON_RELOAD_H_
#define STOWAGE_DAEMON_RELOAD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "daemon/setting_value.h"

namespace stowage {

// Plain data.
struct ReloadedSettings {
  std::vector<SettingChange> in_use;          // from now on
  std::vector<SettingChange> need_a_restart;  // and stay as they were
  std::vector<SettingValue> running;          // what is in use now
};

// Compares what a program runs with and what it has read anew. Pure.
ReloadedSettings Reload(const std::vector<SettingValue>& running,
                        const std::vector<SettingValue>& loaded,
                        const std::vector<std::string>& reloadable);

// Writes a log line for each change, or one that nothing has changed.
void LogReload(const ReloadedSettings& reloaded);

// Writes that the files of mutual TLS have changed: OK, they are in use; else
// why those before stay in use.
void LogCertificates(const absl::Status& status);

// Writes that a new configuration is refused and the one before stays in use.
void LogRefusedReload(const absl::Status& status);

}  // namespace stowage

#endif  // STOWAGE_DAEMON_RELOAD_H_
