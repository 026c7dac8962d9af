#pragma once

#include <cstdint>
#include <string>

namespace starling {

/// Writes `text` to the regular file `path`, all of it or nothing: into a temporary file beside it, which then takes
/// its name. A file that was there is replaced. Returns what went wrong as a sentence that names the path, empty if
/// nothing did; then nothing is left behind. Does not make directories.
std::string write_whole(const std::string& path, const std::string& text);

/// A file that was written under a name that none had before.
struct NewFile {
  std::string name;
  std::string trouble;  ///< what went wrong, as `write_whole` says it; empty if nothing did
};

/// When a file is on the disk, where the end of the machine does not harm it. To wait for that may take as long as the
/// beginning of a program.
enum class OnDisk : std::uint8_t {
  later,          ///< when the system sees fit
  before_return,  ///< for what takes the place of other files
};

/// Writes like `write_whole` into a directory, but replaces nothing: where the name is taken, `-2`, `-3`, ... goes
/// before its `.json`.
NewFile write_new_whole(const std::string& directory, const std::string& name, const std::string& text,
                        OnDisk on_disk = OnDisk::later);

/// Makes a directory and those it lies in, where they are missing. Returns what went wrong, empty if nothing did.
std::string make_directory(const std::string& path);

}  // namespace starling
