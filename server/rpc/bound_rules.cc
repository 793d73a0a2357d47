#include "server/rpc/bound_rules.h"

#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace stowage {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;

// Thread-safe.
class RuleBook {
 public:
  const MessageRules& Of(const Descriptor* type) {
    absl::MutexLock lock(&mutex_);
    return *Find(type);
  }

 private:
  const MessageRules* Find(const Descriptor* type)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto known = rules_.find(type);
    if (known != rules_.end()) return known->second.get();
    auto rules = std::make_unique<MessageRules>();
    for (int i = 0; i < type->field_count(); ++i) {
      Add(type->field(i), rules.get());
    }
    return (rules_[type] = std::move(rules)).get();
  }

  void Add(const FieldDescriptor* field, MessageRules* rules)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    FieldRule rule = {.field = field};
    const bool bounded = field->options().HasExtension(v1::bounds);
    if (bounded) rule.bounds = field->options().GetExtension(v1::bounds);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const MessageRules* nested = Find(field->message_type());
      if (!nested->fields.empty()) rule.nested = nested;
      if (nested->has_digests) rules->has_digests = true;
    }
    if (rule.bounds.form() == v1::FORM_DIGEST) rules->has_digests = true;
    if (bounded || rule.nested != nullptr) rules->fields.push_back(rule);
  }

  absl::Mutex mutex_;
  absl::flat_hash_map<const Descriptor*, std::unique_ptr<MessageRules>> rules_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace

const MessageRules& RulesOf(const Descriptor* type) {
  static RuleBook* const book = new RuleBook;
  return book->Of(type);
}

}  // namespace stowage
