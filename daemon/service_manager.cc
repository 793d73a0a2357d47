#include "daemon/service_manager.h"

#include <systemd/sd-daemon.h>

namespace stowage {

void TellReady() { sd_notify(/*unset_environment=*/0, "READY=1"); }

void TellStopping() { sd_notify(/*unset_environment=*/0, "STOPPING=1"); }

}  // namespace stowage
