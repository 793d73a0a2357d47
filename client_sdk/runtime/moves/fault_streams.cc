#include "client_sdk/runtime/moves/fault_streams.h"

#include <algorithm>

namespace stowage::runtime {
namespace {

// A stream that had no fault among so many has ended.
constexpr int64_t kLiveFaults = 64;

}  // namespace

void FaultStreams::Begin(int64_t room, int64_t most_batch) {
  room_ = room;
  most_batch_ = most_batch;
  live_ = 1;
  streams_ = {};
}

int64_t FaultStreams::Live() const {
  return std::count_if(streams_.begin(), streams_.end(),
                       [this](const Stream& stream) {
                         return stream.direction != 0 &&
                                stream.last_fault > faults_ - kLiveFaults;
                       });
}

FaultStreams::Stream& FaultStreams::Note(uint64_t block_id, int64_t chunk) {
  Stream* there = nullptr;
  Stream* continued = nullptr;
  Stream* oldest = &streams_[0];
  for (Stream& stream : streams_) {
    if (stream.last_fault < oldest->last_fault) oldest = &stream;
    if (stream.block_id != block_id) continue;
    if (stream.at.Contains(chunk)) there = &stream;
    if (Continues(stream, chunk)) continued = &stream;
  }
  Stream* stream = there != nullptr ? there : continued;
  if (stream == nullptr) {
    stream = oldest;
    *stream = {.block_id = block_id, .at = {chunk, chunk + 1}};
  }
  stream->moved_on = there == nullptr && continued != nullptr;
  stream->last_fault = ++faults_;
  if (stream->moved_on) MoveOn(*stream, chunk);
  return *stream;
}

// Returns whether the chunk is the next one that raises a fault, or one before it
// that has left meanwhile.
bool FaultStreams::Continues(const Stream& stream, int64_t chunk) const {
  switch (stream.direction) {
    case 1:
      return chunk >= stream.at.end &&
             chunk <= std::max(stream.at.end, stream.next);
    case -1:
      return chunk < stream.at.begin &&
             chunk >= std::min(stream.at.begin - 1, stream.next);
    default:
      return chunk == stream.at.end || chunk == stream.at.begin - 1;
  }
}

void FaultStreams::MoveOn(Stream& stream, int64_t chunk) {
  stream.direction = chunk >= stream.at.end ? 1 : -1;
  live_ = Live();
  const int64_t most_batch =
      std::clamp<int64_t>(room_ / (kBatches * live_), 1, most_batch_);
  stream.batch = std::min(2 * stream.batch, most_batch);
  stream.passed = stream.at;
  stream.at = {chunk, chunk + 1};
  stream.next = chunk;
}

}  // namespace stowage::runtime
