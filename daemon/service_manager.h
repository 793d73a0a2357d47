// Tells systemd how far a daemon is, where systemd started it (Type=notify).
//
//   TellReady();     // it listens; what is ordered after its unit may start
//   TellStopping();  // it has begun to end
#ifndef STOWAGE_DAEMON_SERVICE_MANAGER_H_
#define STOWAGE_DAEMON_SERVICE_MANAGER_H_

namespace stowage {

// These do nothing where no service manager has set $NOTIFY_SOCKET, and nobody
// hears of a socket at which nobody listens: the daemon serves all the same.
void TellReady();
void TellStopping();

}  // namespace stowage

#endif  // STOWAGE_DAEMON_SERVICE_MANAGER_H_
