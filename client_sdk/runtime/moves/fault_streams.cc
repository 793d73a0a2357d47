#include "client_sdk/runtime/moves/fault_streams.h"

#include <algorithm>

namespace stowage::runtime {
namespace {

// A stream that had no fault among so many has ended.
constexpr int64_t kLiveFaults = 64;
// Each stream has room for so many batches: where it is, two that come in, two
// that go out, and one for whatever is no stream.
constexpr int64_t kBatches = 6;

}  // namespace

void FaultStreams::Begin(int64_t room, int64_t most_batch) {
  room_ = room;
  most_batch_ = most_batch;
  streams_ = {};
}

int64_t FaultStreams::MostBatch() const {
  const auto live = std::count_if(
      streams_.begin(), streams_.end(), [this](const Stream& stream) {
        return stream.direction != 0 &&
               stream.last_fault > faults_ - kLiveFaults;
      });
  return std::clamp<int64_t>(room_ / (kBatches * live), 1, most_batch_);
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

// Returns whether the chunk is next to where the stream is, or up to a batch
// beyond what was read ahead: chunks that are there raise no fault.
bool FaultStreams::Continues(const Stream& stream, int64_t chunk) const {
  const int64_t up = std::max(stream.at.end, stream.ahead.end) + stream.batch;
  const int64_t down =
      (stream.ahead.empty() ? stream.at.begin
                            : std::min(stream.at.begin, stream.ahead.begin)) -
      stream.batch;
  switch (stream.direction) {
    case 1:
      return chunk >= stream.at.end && chunk < up;
    case -1:
      return chunk < stream.at.begin && chunk >= down;
    default:
      return chunk == stream.at.end || chunk == stream.at.begin - 1;
  }
}

void FaultStreams::MoveOn(Stream& stream, int64_t chunk) {
  stream.direction = chunk >= stream.at.end ? 1 : -1;
  stream.batch = std::min(2 * stream.batch, MostBatch());
  stream.passed = stream.at;
  stream.at = {chunk, chunk + 1};
}

}  // namespace stowage::runtime
