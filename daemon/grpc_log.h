// Makes gRPC's own messages lines of our log.
//
//   LogWhatGrpcSays();   // in main, before gRPC starts
#ifndef STOWAGE_DAEMON_GRPC_LOG_H_
#define STOWAGE_DAEMON_GRPC_LOG_H_

namespace stowage {

// Those that gRPC would print: errors, or what GRPC_VERBOSITY asks for.
void LogWhatGrpcSays();

}  // namespace stowage

#endif  // STOWAGE_DAEMON_GRPC_LOG_H_
