// Finds the sequential streams that faults make, as threads of a kernel sweep
// over their parts of its operands: what a stream needs next can be read ahead,
// and what it has passed can leave.
//
//   FaultStreams streams;
//   FaultStreams::Stream& stream = streams.Note(block->id, chunk);
//   if (stream.moved_on) WriteBehind(stream.passed);
//   stream.at = {begin, end};    // the chunks that serve this fault
//   stream.ahead = {end, end + 4};
//
// A stream is recognised by its second fault, next to the first: it goes up or
// down from then on. The faults of a stream bring in batches of chunks, each
// twice as large as the one before (as Linux reads ahead in files), since a
// long stream goes on, until the streams of the time share the room.
//
// Pure: fixed arrays, no system calls. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_STREAMS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_STREAMS_H_

#include <array>
#include <cstdint>

namespace stowage::runtime {

// Chunks of a block, from `begin` up to but not including `end`.
struct ChunkRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool Contains(int64_t chunk) const { return chunk >= begin && chunk < end; }
  bool empty() const { return begin >= end; }
  int64_t size() const { return end - begin; }
};

class FaultStreams {
 public:
  struct Stream {
    uint64_t block_id = 0;  // 0: none
    int direction = 0;      // of addresses: 1 up, -1 down; 0: not known
    int64_t batch = 1;      // chunks that the next fault brings in
    ChunkRange at;          // where it is; the caller's to set
    ChunkRange ahead;       // what was read ahead; the caller's to set
    // By the last call of Note(): whether the stream left `passed` behind.
    bool moved_on = false;
    ChunkRange passed;
    // Numbers of the pieces that it brought in last, the oldest at `oldest`. It
    // has room for two that come in, the one where it is and two that go out.
    std::array<uint64_t, 5> pieces{};
    int oldest = 0;
    int64_t last_fault = 0;
  };

  // Notes a fault. Returns the stream that it continues, begins, or has been at
  // all the time; valid until the next call.
  Stream& Note(uint64_t block_id, int64_t chunk);

  // From here on there is room for so many chunks, and no batch has more than
  // `most_batch`. Forgets all streams.
  void Begin(int64_t room, int64_t most_batch);

 private:
  static constexpr int kStreams = 32;

  int64_t MostBatch() const;
  bool Continues(const Stream& stream, int64_t chunk) const;
  void MoveOn(Stream& stream, int64_t chunk);

  int64_t room_ = 0;
  int64_t most_batch_ = 1;
  int64_t faults_ = 0;
  std::array<Stream, kStreams> streams_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_STREAMS_H_
