#include "knowledge/whole_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "messages/told.hpp"

namespace starling {
namespace {

std::string words_for(int error) {
  return std::generic_category().message(error);
}

/// Whether this process would be killed for making a file so large.
bool is_too_large(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes;
}

/// Writes all of `text` to an empty file; returns errno of an error, 0 for none.
int write_all(int file, std::string_view text, OnDisk on_disk) {
  if (is_too_large(text.size())) return EFBIG;
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return on_disk == OnDisk::later || ::fsync(file) == 0 ? 0 : errno;
}

/// Writes a new file at `path`; returns errno of an error, 0 for none.
int write_new(const std::string& path, std::string_view text, OnDisk on_disk) {
  constexpr mode_t readable = 0666;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable);
  if (file < 0) return errno;
  const int error = write_all(file, text, on_disk);
  return ::close(file) == 0 || error != 0 ? error : errno;
}

/// Renames a file to a new name; returns errno, EEXIST if the name exists.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot do this, like NFS, can link.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

std::string numbered(const std::string& name, int number) {
  const std::string ending = ".json";
  return number == 1 ? name : name.substr(0, name.size() - ending.size()) + "-" + std::to_string(number) + ending;
}

}  // namespace

NewFile write_new_whole(const std::string& directory, const std::string& name, const std::string& text,
                        OnDisk on_disk) {
  // Another process may write the same name now, even one with the same process id: in another container, or on another
  // host.
  std::string temporary;
  int error = EEXIST;
  for (int number = 1; error == EEXIST; ++number) {
    temporary = directory + "/." + name + "." + std::to_string(number) + ".tmp";
    error = write_new(temporary, text, on_disk);
  }
  if (error == 0) {
    std::string got;
    int number = 1;
    do {
      got = numbered(name, number++);
      error = rename_to_new(temporary, directory + "/" + got);
    } while (error == EEXIST);
    if (error == 0) return {got, {}};
  }
  ::unlink(temporary.c_str());
  return {{}, "cannot write '" + told(directory + "/" + name) + "': " + words_for(error)};
}

std::string write_whole(const std::string& path, const std::string& text) {
  const std::string trouble = "cannot write '" + told(path) + "': ";
  struct stat there {};
  // A rename would replace a device or a pipe by a plain file.
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return trouble + "it is not a regular file";
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  // Exists only if a process with the same id was killed while it wrote.
  ::unlink(temporary.c_str());
  int error = write_new(temporary, text, OnDisk::later);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return trouble + words_for(error);
}

bool read_whole(const std::string& path, std::int64_t most_bytes, std::string& text) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not hold up the run
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) return false;
  const auto fail = [&](const std::string& why) {
    if (file >= 0) ::close(file);
    throw std::runtime_error(why);
  };
  const auto fail_by = [&](int error) { fail("it cannot be read: " + words_for(error)); };
  if (file < 0) fail_by(errno);
  struct stat about {};
  if (::fstat(file, &about) != 0) fail_by(errno);
  if (!S_ISREG(about.st_mode)) fail("it is not a regular file");
  if (about.st_size > most_bytes) fail("it is too long");
  text.resize(static_cast<std::size_t>(about.st_size));
  std::size_t there = 0;
  while (there < text.size()) {
    const ssize_t got = ::read(file, text.data() + there, text.size() - there);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by(errno);
    if (got == 0) break;
    there += static_cast<std::size_t>(got);
  }
  ::close(file);
  text.resize(there);
  return true;
}

std::string make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return "cannot make the directory '" + told(path) + "': " + error.message();
  return {};
}

}  // namespace starling
