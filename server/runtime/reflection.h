// Turns off gRPC reflection, which its library turns on for every server of a
// process that links it.
//
//   grpc::ServerBuilder builder;
//   if (!config.reflection) DisableReflection(&builder);
#ifndef STOWAGE_SERVER_RUNTIME_REFLECTION_H_
#define STOWAGE_SERVER_RUNTIME_REFLECTION_H_

#include "grpcpp/server_builder.h"

namespace stowage {

void DisableReflection(grpc::ServerBuilder* builder);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_REFLECTION_H_
