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

namespace stowage::examples {

extern const TlsFiles files;
void Serve(OwnedFd connection);
void Watch(const TlsFiles& copies);
void Try(const sockaddr* address, socklen_t length);

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_NETWORK_H_
