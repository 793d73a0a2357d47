// Says in words why a transfer failed.
//
//   Tell(std::string("cannot read a tensor back: ") + ErrorText(kBadSum));
#ifndef STOWAGE_CLIENT_SDK_SESSION_ERROR_TEXT_H_
#define STOWAGE_CLIENT_SDK_SESSION_ERROR_TEXT_H_

#include <cerrno>
#include <cstring>

namespace stowage::session {

// Stands among errno values for bytes that are not those that were written.
inline constexpr int kBadSum = EBADMSG;

// Returns the text of an errno, or of kBadSum. The text may be overwritten by
// the thread's next call.
inline const char* ErrorText(int error) {
  if (error == kBadSum) {
    return "its bytes changed there: their checksum is another one";
  }
  return std::strerror(error);
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_ERROR_TEXT_H_
