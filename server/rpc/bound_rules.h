// Reads the bounds that protos state (proto/stowage/v1/bounds.proto), by
// message type.
//
//   for (const FieldRule& rule : RulesOf(message.GetDescriptor()).fields) {
//     Check(rule.bounds, message, rule.field);
//   }
#ifndef STOWAGE_SERVER_RPC_BOUND_RULES_H_
#define STOWAGE_SERVER_RPC_BOUND_RULES_H_

#include <vector>

#include "google/protobuf/descriptor.h"
#include "stowage/v1/bounds.pb.h"

namespace stowage {

struct MessageRules;

// A field that has bounds, or that holds messages with such fields.
struct FieldRule {
  const google::protobuf::FieldDescriptor* field = nullptr;
  v1::Bounds bounds;
  const MessageRules* nested = nullptr;  // null: nothing in there has bounds
};

struct MessageRules {
  std::vector<FieldRule> fields;
  // Whether a field of the message, or of one in it, has FORM_DIGEST.
  bool has_digests = false;
};

// Returns the rules of a message type, which live as long as the process. Reads
// the descriptor the first time that somebody asks for the type. A type must
// not contain itself. Thread-safe.
const MessageRules& RulesOf(const google::protobuf::Descriptor* type);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_BOUND_RULES_H_
