#pragma once

#include <cstdint>
#include <string>

namespace starling {

/// Writes `text` to the regular file `path`, all of it or nothing: into a temporary file beside it, which is then
/// renamed. Replaces an existing file. Returns an error as a sentence that names the path, and then leaves nothing
/// behind; empty if there was none. Does not make directories.
std::string write_whole(const std::string& path, const std::string& text);

/// A file that was written under a new name.
struct NewFile {
  std::string name;
  std::string trouble;  ///< an error as from `write_whole`; empty if there was none
};

/// When a file is on the disk, safe from a crash of the machine. Waiting for it may take as long as starting a program.
enum class OnDisk : std::uint8_t {
  later,          ///< when the system writes it
  before_return,  ///< for files that replace others
};

/// Like `write_whole` into a directory, but replaces nothing: if the name exists, `-2`, `-3`, ... goes before its
/// `.json`.
NewFile write_new_whole(const std::string& directory, const std::string& name, const std::string& text,
                        OnDisk on_disk = OnDisk::later);

/// Reads the text of a regular file; returns whether it exists. Throws std::runtime_error, a sentence without the path,
/// if it cannot be read or is longer than `most_bytes`.
bool read_whole(const std::string& path, std::int64_t most_bytes, std::string& text);

/// Makes a directory and its parents if they are missing. Returns an error, empty if there was none.
std::string make_directory(const std::string& path);

}  // namespace starling
