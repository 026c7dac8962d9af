#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace starling {

/// A file in memory that processes of a machine share for as long as any of them has it mapped. It has a name only
/// while others open it. Nothing is left of it when all of them are killed; of a `named_file`, in the moment in which
/// it has its name, until the next one is made.
class SharedFile {
 public:
  enum class Means : std::uint8_t {
    anonymous_file,  ///< found through `/proc`
    named_file       ///< in `/dev/shm`, for where processes do not find each other in `/proc`
  };

  /// Where it is found, as its maker tells the others; a descriptor of -1 where there is none.
  struct Address {
    std::int64_t process = 0;
    std::int64_t descriptor = -1;
    /// What tells it from another that the same address may name in another container.
    std::int64_t secret = 0;
  };
  /// At its begin, which is not for its users.
  static constexpr std::size_t secret_bytes = 64;

  /// None.
  SharedFile() = default;
  /// A new one of so many bytes of zeros; none if the system refuses. Its memory is found by `allocate`.
  static SharedFile make(Means means, std::size_t bytes);
  /// That one, made by another process; none if this one cannot open it.
  static SharedFile open(Means means, const Address& address, std::size_t bytes);
  /// Its name, if this made it, is gone then. What is mapped stays.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  SharedFile(SharedFile&& other) noexcept;
  SharedFile& operator=(SharedFile&& other) noexcept;

  /// Whether there is one.
  [[nodiscard]] explicit operator bool() const { return descriptor_ >= 0; }
  [[nodiscard]] Address address() const;
  /// Has the system find memory for these bytes, near the processor on which this runs. False where it has none.
  [[nodiscard]] bool allocate(std::size_t first, std::size_t bytes) const;
  /// All of it; null where that fails. To be given back by munmap.
  [[nodiscard]] char* map() const;

 private:
  SharedFile(int descriptor, std::size_t bytes) : descriptor_(descriptor), bytes_(bytes) {}

  int descriptor_ = -1;
  std::size_t bytes_ = 0;
  std::int64_t secret_ = 0;
  std::string name_;  ///< to be removed
};

}  // namespace starling
