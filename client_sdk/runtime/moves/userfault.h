// Lets a thread serve the page faults of the process, also those of system
// calls. Wraps userfaultfd(2).
//
//   std::unique_ptr<Userfault> userfault = Userfault::Open();  // or null
//   userfault->Watch(address, bytes);    // its pages are missing from here on
//   Userfault::Fault fault;
//   while (userfault->Next(&fault)) {
//     userfault->Fill(page, bytes, memory, /*read_only=*/!fault.write);
//     userfault->Wake(page, bytes);
//   }
//
// A fault whose page is there by then is woken in vain and goes on. Functions
// that return int return 0 or an errno. Thread-safe. Makes system calls alone;
// Next() blocks.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_USERFAULT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_USERFAULT_H_

#include <cstdint>
#include <memory>

namespace stowage::runtime {

class Userfault {
 public:
  struct Fault {
    char* page;
    bool write;
  };

  // Returns null if the host does not let this process serve the faults of
  // system calls, or if its Linux cannot move pages (before 6.8).
  static std::unique_ptr<Userfault> Open();
  ~Userfault();
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;

  // Gives the calling thread a table of descriptors that holds this one and
  // `others` alone. The rest of the process keeps its descriptors. So a program
  // that closes every descriptor that it finds does not close this one; memory
  // that nobody watches any more would read as zeros.
  void KeepForThread(const int* others, int count);

  // Makes each access to the memory wait for Fill() and Wake() from here on.
  // The memory must be private and anonymous, without pages; it may be closed
  // (PROT_NONE), and is closed after an error.
  int Watch(char* begin, int64_t bytes);

  // Waits for the next fault. Returns false if there can be none.
  bool Next(Fault* fault);

  // Copies `from` into pages that are missing. A write to a read-only page is a
  // fault. ENOENT: not all of them are watched, and some may be filled.
  int Fill(char* begin, int64_t bytes, const char* from, bool read_only);
  // Makes pages that are there read-only or writable.
  int Protect(char* begin, int64_t bytes, bool read_only);
  // Moves pages as they are to others that are missing and watched. An access
  // to the old ones waits at once. EBUSY: a device is reading or writing one of
  // them (direct I/O, a registered buffer), so that all stay where they are.
  int MoveAway(char* begin, int64_t bytes, char* to);
  // Drops pages with what they hold.
  int Drop(char* begin, int64_t bytes);
  void Wake(char* begin, int64_t bytes);

 private:
  explicit Userfault(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_USERFAULT_H_
