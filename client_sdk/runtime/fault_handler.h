// Sends faults at addresses of a file tier to the Job. Chains to the handler
// that was there before.
//
//   InstallFaultHandler(job);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_FAULT_HANDLER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_FAULT_HANDLER_H_

namespace stowage::runtime {

class Job;

// Installs the SIGSEGV handler; `job` lives until the process ends. Call it
// once. The handler uses the stack that UseSignalStack() gives a thread
// (process/signal_stack.h): each that may fault needs one.
void InstallFaultHandler(Job* job);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_FAULT_HANDLER_H_
