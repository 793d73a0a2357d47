// Declares the names that the examples of client_sdk/preload use.
//
//   namespace stowage::preload::examples { extern int fd; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_PRELOAD_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_PRELOAD_H_

#include <unistd.h>

namespace stowage::preload::examples {

extern int fd;
extern char* buffer;
extern size_t bytes, capacity_bytes;
extern off_t offset;
extern iovec iov;
extern void* base;
extern Parts parts;
ssize_t read_piece(char* piece, size_t bytes, size_t done);

}  // namespace stowage::preload::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_PRELOAD_H_
