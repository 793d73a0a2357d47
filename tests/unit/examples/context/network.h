// Declares the names that the examples of network/ use.
//
//   namespace stowage::examples { void Serve(OwnedFd connection); }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_NETWORK_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_NETWORK_H_

#include <fcntl.h>

#include <cerrno>
#include <iostream>

#include "prometheus/registry.h"

namespace stowage::examples {

extern const TlsFiles files;
extern std::shared_ptr<GaugeCollector> gauges;
extern std::shared_ptr<prometheus::Registry> registry;
double Count();
void Connect(const std::string& address);
void Serve(OwnedFd connection);
void Watch(const TlsFiles& copies);
void Try(const sockaddr* address, socklen_t length);

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_NETWORK_H_
