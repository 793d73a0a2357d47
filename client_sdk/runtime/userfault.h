// Page faults that a thread of the process serves, those of system calls among
// them: a shell over userfaultfd(2).
//
//   std::unique_ptr<Userfault> userfault = Userfault::Open();  // or null
//   userfault->Watch(address, bytes);    // its pages are missing from here on
//   Userfault::Fault fault;
//   while (userfault->Next(&fault)) {
//     userfault->Fill(page, bytes, memory, /*read_only=*/!fault.write);
//     userfault->Wake(page, bytes);
//   }
//
// Faults whose pages are there by the time are woken in vain and go on. Errors
// are errnos, 0 is none. Thread-safe. Only system calls: Next() blocks.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_USERFAULT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_USERFAULT_H_

#include <cstdint>
#include <memory>

namespace stowage::runtime {

class Userfault {
 public:
  struct Fault {
    char* page;
    bool write;
  };

  // Null where the host does not let this process serve the faults of system
  // calls, or its kernel cannot move pages (before 6.8).
  static std::unique_ptr<Userfault> Open();
  ~Userfault();
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;

  // The calling thread keeps the descriptor and those of `others`, and loses
  // all others, without closing them for the rest of the process. So a program
  // that closes every descriptor it finds does not take this one away: memory
  // that nobody watches any more would read as zeros.
  void KeepForThread(const int* others, int count);

  // Private anonymous memory without pages, which may be closed (PROT_NONE): an
  // access waits for Fill() and Wake() from here on. Where it fails the memory
  // is closed.
  int Watch(char* begin, int64_t bytes);

  // Waits for the next fault. False if there can be none.
  bool Next(Fault* fault);

  // Copies `from` into pages that are missing. A write to a read-only page is a
  // fault. ENOENT: not all of them are watched; then some may be filled.
  int Fill(char* begin, int64_t bytes, const char* from, bool read_only);
  // Makes pages that are there read-only or writable.
  int Protect(char* begin, int64_t bytes, bool read_only);
  // Takes pages away to others that are missing and watched, as they are: an
  // access waits at once. EBUSY: a device is reading or writing one of them
  // (direct I/O, a registered buffer), so that all stay where they are.
  int MoveAway(char* begin, int64_t bytes, char* to);
  // Takes pages away, with what they hold.
  int Drop(char* begin, int64_t bytes);
  void Wake(char* begin, int64_t bytes);

 private:
  explicit Userfault(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_USERFAULT_H_
