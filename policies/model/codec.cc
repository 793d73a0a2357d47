#include "policies/model/codec.h"

#include <zlib.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/util/json_util.h"

namespace stowage::policies {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // zlib: + 16 selects gzip framing
constexpr int kProtobufRecursionLimit = 100;

bool IsGzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

bool IsJson(std::string_view bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

absl::Status TooLarge(size_t max_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "the data has ", max_bytes,
      " bytes or more once decompressed and is refused; capture fewer steps"));
}

absl::Status ParseJson(std::string_view bytes,
                       google::protobuf::Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = false;
  const google::protobuf::util::Status status =
      google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()},
                                                  &message, options);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("not a ", message.GetDescriptor()->full_name(),
                   " in proto JSON: ", std::string(status.message()),
                   "; field names stand in proto/stowage/v1"));
}

absl::Status ParseBinary(std::string_view bytes,
                         google::protobuf::Message& message) {
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t*>(bytes.data()),
      static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kProtobufRecursionLimit);
  // The status says what is wrong; the library would say it on stderr.
  const google::protobuf::LogSilencer silencer;
  const bool parsed =
      message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  if (parsed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("not a binary ", message.GetDescriptor()->full_name(),
                   ": damaged or "
                   "truncated near byte ",
                   stream.CurrentPosition(), " of ", bytes.size(),
                   "; write the file again (JSON must begin with '{')"));
}

absl::Status ParsePlain(std::string_view bytes,
                        google::protobuf::Message& message) {
  if (bytes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no data; expected a ", message.GetDescriptor()->full_name(),
        ", binary or proto JSON"));
  }
  if (bytes.size() >= kMaxMessageBytes) return TooLarge(kMaxMessageBytes);
  return IsJson(bytes) ? ParseJson(bytes, message)
                       : ParseBinary(bytes, message);
}

template <typename Message>
absl::StatusOr<Message> Parse(std::string_view bytes) {
  Message message;
  absl::Status status;
  if (IsGzip(bytes)) {
    absl::StatusOr<std::string> plain = Gunzip(bytes);
    if (!plain.ok()) return plain.status();
    status = ParsePlain(*plain, message);
  } else {
    status = ParsePlain(bytes, message);
  }
  if (!status.ok()) return status;
  return message;
}

std::string SerializeBinary(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream sink(&bytes);
  google::protobuf::io::CodedOutputStream stream(&sink);
  stream.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&stream);
  stream.Trim();
  return bytes;
}

std::string SerializeJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  // Printing a message of generated code cannot fail.
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);
  return json;
}

// Writes no time stamp, so that equal input gives equal bytes.
std::string Gzip(const std::string& plain) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, 8,
               Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = plain.size();
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = packed.size();
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t max_bytes) {
  if (bytes.size() >= max_bytes) return TooLarge(max_bytes);
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return absl::InternalError("zlib could not start; is memory exhausted?");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = bytes.size();
  std::string plain;
  char chunk[1 << 16];
  int code = Z_OK;
  while (code == Z_OK && plain.size() < max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof(chunk);
    code = inflate(&stream, Z_NO_FLUSH);
    plain.append(chunk, sizeof(chunk) - stream.avail_out);
  }
  const uint64_t position = stream.total_in;
  inflateEnd(&stream);
  if (plain.size() >= max_bytes) return TooLarge(max_bytes);
  if (code == Z_STREAM_END) return plain;
  return absl::InvalidArgumentError(
      absl::StrCat("damaged or truncated gzip data at byte ", position, " of ",
                   bytes.size(), "; write or copy the file again"));
}

absl::StatusOr<v1::Graph> ParseGraph(std::string_view bytes) {
  return Parse<v1::Graph>(bytes);
}

absl::StatusOr<v1::MemorySystem> ParseMemorySystem(std::string_view bytes) {
  return Parse<v1::MemorySystem>(bytes);
}

absl::StatusOr<v1::Plan> ParsePlan(std::string_view bytes) {
  return Parse<v1::Plan>(bytes);
}

std::string Serialize(const google::protobuf::Message& message,
                      const Encoding& encoding) {
  const std::string plain = encoding.format == WireFormat::kJson
                                ? SerializeJson(message)
                                : SerializeBinary(message);
  return encoding.gzip ? Gzip(plain) : plain;
}

Encoding EncodingForPath(std::string_view path) {
  absl::string_view rest(path.data(), path.size());
  Encoding encoding;
  encoding.gzip = absl::ConsumeSuffix(&rest, ".gz");
  if (absl::EndsWithIgnoreCase(rest, ".json")) {
    encoding.format = WireFormat::kJson;
  }
  return encoding;
}

}  // namespace stowage::policies
