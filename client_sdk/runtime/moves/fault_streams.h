// Finds the sequential streams that faults make, as threads of a kernel sweep
// over their parts of its operands: what a stream needs next can be read ahead,
// and what it has passed can leave.
//
//   FaultStreams streams;
//   FaultStreams::Stream& stream = streams.Note(block->id, chunk);
//   if (stream.moved_on) WriteBehind(stream.passed);
//   stream.at = {begin, end};    // the chunks that serve this fault
//   stream.next = end;           // or beyond it: what is mapped raises none
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
  static constexpr int kStreams = 128;

  struct Stream {
    uint64_t block_id = 0;  // 0: none
    int direction = 0;      // of addresses: 1 up, -1 down; 0: not known
    int64_t batch = 1;      // chunks that the next fault brings in
    ChunkRange at;          // where it is; the caller's to set
    // Where it raises its next fault: beyond `at` and what is mapped; the
    // caller's to set. Rows are streams of their own, not one that leaps.
    int64_t next = 0;
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

  // Returns how many pieces should come in beside each other for each stream.
  // One where there are more streams than the room is made for: a batch
  // normalisation sweeps over the channel of each image, and comes to the next
  // piece of a stream when it has been to all others. None where they would
  // take the room of what the streams are at.
  int PiecesAhead() const {
    if (room_ < 3 * live_) return 0;
    return room_ < kBatches * live_ ? 1 : 2;
  }

  // From here on there is room for so many chunks, and no batch has more than
  // `most_batch`. Forgets all streams.
  void Begin(int64_t room, int64_t most_batch);

 private:
  // Each stream has room for so many batches: where it is, two that come in, two
  // that go out, and one for whatever is no stream.
  static constexpr int64_t kBatches = 6;

  int64_t Live() const;
  bool Continues(const Stream& stream, int64_t chunk) const;
  void MoveOn(Stream& stream, int64_t chunk);

  int64_t room_ = 0;
  int64_t most_batch_ = 1;
  int64_t faults_ = 0;
  int64_t live_ = 1;
  std::array<Stream, kStreams> streams_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_STREAMS_H_
