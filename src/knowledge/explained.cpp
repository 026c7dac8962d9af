#include "knowledge/explained.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace starling {

void record_explained() {
  const char* path = ::secure_getenv("STARLING_EXPLAINED");
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;  // on another node, or starling run has ended
  struct stat there {};
  constexpr char library = 'l';
  if (::fstat(file, &there) == 0 && S_ISREG(there.st_mode)) static_cast<void>(!::write(file, &library, 1));
  ::close(file);
}

}  // namespace starling
