#include "server/rpc/request_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "server/rpc/bound_rules.h"
#include "stowage/v1/bounds.pb.h"

namespace stowage {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

constexpr size_t kMaxNameBytes = 128;
constexpr size_t kMaxIdBytes = 256;
constexpr size_t kDigestDigits = 64;
// The most bytes of a value that a message quotes.
constexpr size_t kMaxQuotedBytes = 64;

// Where a value is in a request. It is spelt out only if the value is refused.
struct Place {
  const Place* parent = nullptr;  // null: the request
  const FieldDescriptor* field = nullptr;
  int index = -1;  // of an entry of a repeated field

  std::string Spelt() const {
    return absl::StrCat(parent == nullptr ? "" : parent->Spelt() + ".",
                        field->name(),
                        index < 0 ? "" : absl::StrCat("[", index, "]"));
  }
};

absl::Status Refuse(const Place& place, absl::string_view is,
                    absl::string_view send) {
  return absl::InvalidArgumentError(
      absl::StrCat(place.Spelt(), " ", is, "; send ", send));
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::CHexEscape(text.substr(0, kMaxQuotedBytes)),
                      text.size() > kMaxQuotedBytes ? "...'" : "'");
}

bool IsNameCharacter(unsigned char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
}

template <typename Allowed>
bool Consists(absl::string_view text, size_t max_bytes, Allowed allowed) {
  return text.size() <= max_bytes &&
         std::all_of(text.begin(), text.end(), allowed);
}

bool HasForm(v1::Form form, absl::string_view text) {
  switch (form) {
    case v1::FORM_NAME:
      return Consists(text, kMaxNameBytes, IsNameCharacter);
    case v1::FORM_ID:
      return Consists(text, kMaxIdBytes, absl::ascii_isgraph);
    case v1::FORM_DIGEST:
      return text.size() == kDigestDigits &&
             Consists(text, kDigestDigits, absl::ascii_isxdigit);
    default:
      return true;
  }
}

std::string Describe(v1::Form form) {
  switch (form) {
    case v1::FORM_NAME:
      return absl::StrCat("1 to ", kMaxNameBytes,
                          " letters, digits, '.', '_' or '-'");
    case v1::FORM_ID:
      return absl::StrCat("1 to ", kMaxIdBytes,
                          " characters of ASCII without blanks");
    case v1::FORM_DIGEST:
      return absl::StrCat(kDigestDigits, " hex digits");
    default:
      return "a value";
  }
}

absl::Status CheckText(const FieldRule& rule, const Place& place,
                       const std::string& text) {
  const v1::Bounds& bounds = rule.bounds;
  const auto size = static_cast<int64_t>(text.size());
  if (text.empty()) {
    if (!bounds.required()) return absl::OkStatus();
    return Refuse(place, "is not set", Describe(bounds.form()));
  }
  const bool fits = bounds.max_bytes() == 0 || size <= bounds.max_bytes();
  if (fits && HasForm(bounds.form(), text)) return absl::OkStatus();
  const std::string is =
      rule.field->type() == FieldDescriptor::TYPE_BYTES
          ? absl::StrCat("has ", size, " bytes")
          : absl::StrCat("is ", Quoted(text), " (", size, " bytes)");
  return Refuse(place, is,
                fits ? Describe(bounds.form())
                     : absl::StrCat("at most ", bounds.max_bytes(), " bytes"));
}

std::string RangeOf(const v1::Bounds& bounds) {
  if (!bounds.has_most()) return absl::StrCat(bounds.least(), " or more");
  if (!bounds.has_least()) return absl::StrCat("at most ", bounds.most());
  return absl::StrCat(bounds.least(), " to ", bounds.most());
}

// Checks a number. `Number` is int64_t or double.
template <typename Number>
absl::Status CheckNumber(const FieldRule& rule, const Place& place,
                         Number value) {
  const v1::Bounds& bounds = rule.bounds;
  const bool inside =
      std::isfinite(static_cast<double>(value)) &&
      (!bounds.has_least() || value >= static_cast<Number>(bounds.least())) &&
      (!bounds.has_most() || value <= static_cast<Number>(bounds.most()));
  if (inside) return absl::OkStatus();
  return Refuse(place, absl::StrCat("is ", value), RangeOf(bounds));
}

// Checks a message. `place` is null for the request itself.
absl::Status CheckMessage(const MessageRules& rules, const Place* place,
                          const Message& message);

absl::Status CheckSubmessage(const FieldRule& rule, const Place& place,
                             const Message& message) {
  if (rule.bounds.max_bytes() > 0) {
    const auto size = static_cast<int64_t>(message.ByteSizeLong());
    if (size > rule.bounds.max_bytes()) {
      return Refuse(place, absl::StrCat("has ", size, " bytes"),
                    absl::StrCat("at most ", rule.bounds.max_bytes()));
    }
  }
  if (rule.nested == nullptr) return absl::OkStatus();
  return CheckMessage(*rule.nested, &place, message);
}

// Checks entry `place.index` of a repeated field, or the field if it is not
// repeated.
absl::Status CheckValue(const FieldRule& rule, const Place& place,
                        const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const FieldDescriptor* field = rule.field;
  const int index = place.index;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return CheckNumber<int64_t>(
          rule, place,
          index < 0 ? reflection.GetInt32(message, field)
                    : reflection.GetRepeatedInt32(message, field, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return CheckNumber<int64_t>(
          rule, place,
          index < 0 ? reflection.GetInt64(message, field)
                    : reflection.GetRepeatedInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return CheckNumber<double>(
          rule, place,
          index < 0 ? reflection.GetDouble(message, field)
                    : reflection.GetRepeatedDouble(message, field, index));
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      return CheckText(
          rule, place,
          index < 0 ? reflection.GetStringReference(message, field, &scratch)
                    : reflection.GetRepeatedStringReference(message, field,
                                                            index, &scratch));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return CheckSubmessage(
          rule, place,
          index < 0 ? reflection.GetMessage(message, field)
                    : reflection.GetRepeatedMessage(message, field, index));
    default:
      return absl::OkStatus();
  }
}

absl::Status CheckRepeated(const FieldRule& rule, Place place,
                           const Message& message) {
  const int size = message.GetReflection()->FieldSize(message, rule.field);
  const int64_t most = rule.bounds.max_items();
  if (most > 0 && size > most) {
    return Refuse(place, absl::StrCat("has ", size, " entries"),
                  absl::StrCat("at most ", most));
  }
  for (place.index = 0; place.index < size; ++place.index) {
    absl::Status valid = CheckValue(rule, place, message);
    if (!valid.ok()) return valid;
  }
  return absl::OkStatus();
}

absl::Status CheckField(const FieldRule& rule, const Place& place,
                        const Message& message) {
  if (rule.field->is_repeated()) return CheckRepeated(rule, place, message);
  const bool set = !rule.field->has_presence() ||
                   message.GetReflection()->HasField(message, rule.field);
  if (set) return CheckValue(rule, place, message);
  if (!rule.bounds.required()) return absl::OkStatus();
  return Refuse(place, "is not set", "one");
}

absl::Status CheckMessage(const MessageRules& rules, const Place* place,
                          const Message& message) {
  for (const FieldRule& rule : rules.fields) {
    absl::Status valid =
        CheckField(rule, {.parent = place, .field = rule.field}, message);
    if (!valid.ok()) return valid;
  }
  return absl::OkStatus();
}

void LowerDigests(const MessageRules& rules, Message* message) {
  if (!rules.has_digests) return;
  const Reflection& reflection = *message->GetReflection();
  for (const FieldRule& rule : rules.fields) {
    const FieldDescriptor* field = rule.field;
    if (field->is_repeated()) continue;  // none of them has digests
    if (rule.bounds.form() == v1::FORM_DIGEST) {
      std::string text = reflection.GetString(*message, field);
      absl::AsciiStrToLower(&text);
      reflection.SetString(message, field, std::move(text));
    } else if (rule.nested != nullptr && reflection.HasField(*message, field)) {
      LowerDigests(*rule.nested, reflection.MutableMessage(message, field));
    }
  }
}

}  // namespace

absl::Status CheckBounds(const Message& request) {
  return CheckMessage(RulesOf(request.GetDescriptor()), nullptr, request);
}

void Normalize(Message* request) {
  request->DiscardUnknownFields();
  LowerDigests(RulesOf(request->GetDescriptor()), request);
}

}  // namespace stowage
