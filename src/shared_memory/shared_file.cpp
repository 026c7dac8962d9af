#include "shared_memory/shared_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <random>
#include <string_view>
#include <utility>

namespace starling {
namespace {

constexpr const char* folder = "/dev/shm";
constexpr std::string_view prefix = "starling-";

std::string name_of(std::int64_t secret) {
  return folder + ("/" + std::string(prefix)) + std::to_string(static_cast<std::uint64_t>(secret));
}

std::string path_in_proc(std::int64_t process, std::int64_t descriptor) {
  return "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
}

/// Whether this process may make a file so large: it is killed if it may not and does.
bool may_be_so_large(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

/// Removes what killed processes of this user have left: a file has its name only while its maker holds its lock.
void remove_left() {
  DIR* const all = opendir(folder);
  if (all == nullptr) return;
  while (const dirent* const one = readdir(all)) {
    if (!std::string_view(one->d_name).starts_with(prefix)) continue;
    const int file = openat(dirfd(all), one->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    struct stat of {};
    if (fstat(file, &of) == 0 && S_ISREG(of.st_mode) && of.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0)
      unlinkat(dirfd(all), one->d_name, 0);
    close(file);
  }
  closedir(all);
}

/// A file without a name, which gets that one when it is locked.
int named(const std::string& name) {
  const int file = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return -1;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file)).c_str(),
                                                    AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace

SharedFile SharedFile::make(Means means, std::size_t bytes) {
  if (!may_be_so_large(bytes)) return {};
  std::random_device random;
  const auto secret = static_cast<std::int64_t>((std::uint64_t{random()} << 32U) | random());
  std::string name;
  if (means == Means::named_file) {
    remove_left();
    errno = 0;
    name = name_of(secret);
  }
  SharedFile made(name.empty() ? memfd_create("starling", MFD_CLOEXEC) : named(name), bytes);
  if (!made) return {};
  made.secret_ = secret;
  made.name_ = std::move(name);
  const bool is_whole = ftruncate(made.descriptor_, static_cast<off_t>(bytes)) == 0 && made.allocate(0, secret_bytes) &&
                        pwrite(made.descriptor_, &secret, sizeof secret, 0) == ssize_t{sizeof secret};
  return is_whole ? std::move(made) : SharedFile();
}

SharedFile SharedFile::open(Means means, const Address& address, std::size_t bytes) {
  const std::string path =
      means == Means::named_file ? name_of(address.secret) : path_in_proc(address.process, address.descriptor);
  // In another container the path may name something else, whose opening must neither wait nor do anything.
  SharedFile opened(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), bytes);
  const bool is_whole = opened && lseek(opened.descriptor_, 0, SEEK_END) == static_cast<off_t>(bytes);
  const bool is_ours =
      is_whole &&
      pread(opened.descriptor_, &opened.secret_, sizeof opened.secret_, 0) == ssize_t{sizeof opened.secret_} &&
      opened.secret_ == address.secret;
  return is_ours ? std::move(opened) : SharedFile();
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_),
      secret_(other.secret_),
      name_(std::exchange(other.name_, {})) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  std::swap(secret_, other.secret_);
  std::swap(name_, other.name_);
  return *this;
}

SharedFile::~SharedFile() {
  if (descriptor_ < 0) return;
  if (!name_.empty()) unlink(name_.c_str());
  close(descriptor_);
}

SharedFile::Address SharedFile::address() const {
  return *this ? Address{getpid(), descriptor_, secret_} : Address{};
}

bool SharedFile::allocate(std::size_t first, std::size_t bytes) const {
  // Many kernels give up here for any signal, as those of a timer of a profiler, and would do so again and again.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Stopping and freezing cannot be kept off.
  constexpr int tries = 10;
  int error = EINTR;
  for (int i = 0; i < tries && error == EINTR; ++i)
    error = posix_fallocate(descriptor_, static_cast<off_t>(first), static_cast<off_t>(bytes));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

char* SharedFile::map() const {
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

}  // namespace starling
