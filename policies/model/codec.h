// Reads and writes graphs, memory systems and plans as bytes, the way files
// hold them: one message, binary or proto JSON, either of them gzipped. Pure
// functions; the caller reads and writes the file.
//
//   absl::StatusOr<v1::Graph> graph = ParseGraph(bytes);
//   std::string bytes = Serialize(*graph, {.format = WireFormat::kJson});
//
// A parsed message is well-formed, but not yet valid: GraphFromProto and its
// kin check it.
#ifndef STOWAGE_POLICIES_MODEL_CODEC_H_
#define STOWAGE_POLICIES_MODEL_CODEC_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/memory_system.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage::policies {

// The parsers refuse larger messages.
inline constexpr size_t kMaxMessageBytes = size_t{1} << 30;

enum class WireFormat { kBinary, kJson };

struct Encoding {
  WireFormat format = WireFormat::kBinary;
  bool gzip = false;
};

// Parse one message. They detect gzip by its magic and JSON by a leading '{'.
// INVALID_ARGUMENT says what is wrong and where; RESOURCE_EXHAUSTED means more
// than 1 GiB once decompressed.
absl::StatusOr<v1::Graph> ParseGraph(std::string_view bytes);
absl::StatusOr<v1::MemorySystem> ParseMemorySystem(std::string_view bytes);
absl::StatusOr<v1::Plan> ParsePlan(std::string_view bytes);

// Writes one message. The same message gives the same bytes.
std::string Serialize(const google::protobuf::Message& message,
                      const Encoding& encoding);

// Returns the encoding that a file's name asks for: "graph.json.gz" is gzipped
// JSON, "graph.pb" binary.
Encoding EncodingForPath(std::string_view path);

// Decompresses gzip data. INVALID_ARGUMENT if it is damaged or truncated;
// RESOURCE_EXHAUSTED if it gives more than `max_bytes`, before more memory is
// taken.
absl::StatusOr<std::string> Gunzip(std::string_view bytes,
                                   size_t max_bytes = kMaxMessageBytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_CODEC_H_
