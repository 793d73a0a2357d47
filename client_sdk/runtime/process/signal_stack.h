// Gives threads a stack of their own for signal handlers.
//
//   UseSignalStack();  // on each thread that may fault
//
// A handler's frames go below the stack pointer, wherever that is. Generated
// code may use it for something else: matrix products of oneDNN let it point to
// a buffer of the heap while they copy panels there, and the frames of a handler
// then overwrite what is allocated below.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_SIGNAL_STACK_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_SIGNAL_STACK_H_

namespace stowage::runtime {

// Gives the calling thread such a stack until it ends, unless it has one. Where
// there is no memory for it, handlers go on to use the thread's own. Cheap when
// called again.
void UseSignalStack();

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_SIGNAL_STACK_H_
