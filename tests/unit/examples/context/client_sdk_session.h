// Declares the names that the examples of client_sdk/session use.
//
//   namespace stowage::session::examples { extern Segment* segment; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_SESSION_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_SESSION_H_

#include <memory>
#include <string>
#include <vector>

namespace stowage::session::examples {

extern std::atomic<uint32_t> bell;
extern Segment* segment;
extern MoveLane lane;
extern ProfileArea* profile;
extern PlanArea* plan;
extern HintArea* hints;
extern Report* report;
extern std::vector<uint64_t> keys;
extern int64_t bytes, offset_bytes, size_bytes;
extern char *fast, *slow;
extern int kernel, socket;
extern std::atomic<uint64_t>* table;
extern Hello hello;
extern Welcome welcome;
extern std::vector<int> fds;
void Run(int kernel);
void Begin(const PlanMove& move);
void Follow(const Hint& hint);
bool HasWork();
void Refuse(const std::string& why);
void Refuse(const std::string& option, const std::string& why);
void Tell(const std::string& text);

}  // namespace stowage::session::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_SESSION_H_
