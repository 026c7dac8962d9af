#include "runtime/execution/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "shared_memory/other_process.hpp"

namespace starling {
namespace {

/// What went wrong on some rank, by how much it tells.
enum class Failure : std::uint8_t { none, unreachable, no_memory, no_room };

/// Bytes that this process may share in all its segments together.
constexpr std::size_t most_bytes = std::size_t{256} << 20U;
std::atomic<std::size_t> shared_bytes{0};

/// Segments that were left, but are still mapped. The last one of a node to unmap 0.5 MiB gives it back to the system,
/// which takes 100 us: too long for MPI_Comm_free.
class Left {
 public:
  void add(char* memory, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    if (bytes_ + bytes > most) unmap_all();
    all_.emplace_back(memory, bytes);
    bytes_ += bytes;
    if (bytes > most) unmap_all();
  }
  void unmap() {
    const std::lock_guard lock(guard_);
    unmap_all();
  }

 private:
  static constexpr std::size_t most = std::size_t{4} << 20U;  ///< bytes

  void unmap_all() {
    for (const auto& [memory, bytes] : all_) munmap(memory, bytes);
    all_.clear();
    shared_bytes -= std::exchange(bytes_, 0);
  }

  std::mutex guard_;
  std::vector<std::pair<char*, std::size_t>> all_;
  std::size_t bytes_ = 0;
};

/// Until the process ends: a communicator may be freed as late as that.
Left& left() {
  static Left& all = *new Left;
  return all;
}

/// Where a node's segment is found, as its first rank tells the others; a descriptor of -1 where there is none.
struct Address {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::int64_t secret = 0;
};
constexpr int words_of_address = sizeof(Address) / sizeof(std::int64_t);

/// In front of the rings: what tells the segment from other memory that the same address may name in another container,
/// and what each rank of the node tells of itself, in the order of their places.
constexpr std::size_t secret_bytes = 64;
std::size_t front_bytes(int ranks) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = secret_bytes + (static_cast<std::size_t>(ranks) * sizeof(ProcessWord));
  return (bytes + line - 1) / line * line;
}
std::span<ProcessWord> introductions(char* memory, int ranks) {
  return {reinterpret_cast<ProcessWord*>(memory + secret_bytes), static_cast<std::size_t>(ranks)};
}

/// A file that is closed at the end.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Ways to have memory with a name for the time in which others open it.
enum class Means : std::uint8_t { anonymous_file, named_file };

std::string path_of(const Address& address, Means means) {
  return means == Means::anonymous_file
             ? "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.descriptor)
             : "/dev/shm/starling-" + std::to_string(static_cast<std::uint64_t>(address.secret));
}

/// A file of so many bytes of zeros, all of which the system has; -1 where it has not.
int make_file(Means means, const Address& address, std::size_t bytes) {
  rlimit limit{};
  // A process that grows a file beyond its limit is killed.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) return -1;
  const int file = means == Means::anonymous_file ? memfd_create("starling", MFD_CLOEXEC)
                                                  : open(path_of(address, means).c_str(),
                                                         O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return -1;
  if (posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0) return file;
  if (means == Means::named_file) unlink(path_of(address, means).c_str());
  close(file);
  return -1;
}

char* mapped(int file, std::size_t bytes) {
  // At once with its pages, as candidates are judged by their first calls, which should not wait for them. Of large
  // ones, which many ranks share, a rank uses few, and to clear and map them all takes milliseconds.
  constexpr std::size_t most_at_once = std::size_t{4} << 20U;
  if (file < 0) return nullptr;
  const int how = MAP_SHARED | (bytes <= most_at_once ? MAP_POPULATE : 0);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

/// The ranks of this rank's node, and what they agree by.
struct Node {
  RankSet ranks;
  int rank;
  std::size_t place;  ///< of the rank among them
  Channel& channel;
  std::size_t bytes;
};

/// Tells or hears the address. Every rank of the communicator calls it, so that their tags stay alike.
Address agreed_address(const Node& node, const Address& mine) {
  const int tag = node.channel.next_tag();
  const int* const peers = node.channel.peers();
  Address told = mine;
  if (node.ranks.rank(0) != node.rank) {
    if (pmpi.Recv(&told, words_of_address, handles.int64, peers[node.ranks.rank(0)], tag, process().world,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS)
      told = {};
    return told;
  }
  for (int i = 1; i < node.ranks.size(); ++i)
    pmpi.Send(&told, words_of_address, handles.int64, peers[node.ranks.rank(i)], tag, process().world);
  return told;
}

template <class Value>
Value worst_of_all(Channel& channel, Value mine) {
  std::array<double, 1> worst{static_cast<double>(mine)};
  channel.reduce_to_first(worst, {}, SampleReduction::max);
  channel.broadcast(worst);
  return static_cast<Value>(static_cast<int>(worst[0]));
}

/// The memory, mapped, or nothing and why. On all ranks of the communicator, which agree on it.
char* share(const Node& node, Means means, Failure& failure) {
  const bool has_room = node.ranks.size() == 1 || shared_bytes.load() + node.bytes <= most_bytes;
  const bool makes = has_room && node.ranks.size() > 1 && node.ranks.rank(0) == node.rank;
  Address mine;
  if (makes) {
    std::random_device random;
    mine = {getpid(), -1, static_cast<std::int64_t>((std::uint64_t{random()} << 32U) | random())};
  }
  const File made(makes ? make_file(means, mine, node.bytes) : -1);
  mine.descriptor = made.get();
  char* memory = makes ? mapped(made.get(), node.bytes) : nullptr;
  if (memory != nullptr) std::memcpy(memory, &mine.secret, sizeof mine.secret);
  if (memory == nullptr) mine.descriptor = -1;
  failure = !has_room ? Failure::no_room : makes && memory == nullptr ? Failure::no_memory : Failure::none;

  const Address address = agreed_address(node, mine);
  if (has_room && !makes && node.ranks.size() > 1 && address.descriptor >= 0) {
    // In another container the path may name something else, whose opening must neither wait nor do anything.
    const File opened(open(path_of(address, means).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const bool is_whole = opened.get() >= 0 && lseek(opened.get(), 0, SEEK_END) == static_cast<off_t>(node.bytes);
    auto secret = address.secret;
    const bool is_ours = is_whole && pread(opened.get(), &secret, sizeof secret, 0) == ssize_t{sizeof secret} &&
                         secret == address.secret;
    memory = is_ours ? mapped(opened.get(), node.bytes) : nullptr;
    if (memory == nullptr) failure = Failure::unreachable;
  }
  if (memory != nullptr) introductions(memory, node.ranks.size())[node.place] = ProcessWord::mine();
  // All have opened it and said who they are, or never will: after this the file is closed, and a name of it is gone.
  failure = worst_of_all(node.channel, failure);
  if (means == Means::named_file && made.get() >= 0) unlink(path_of(mine, means).c_str());
  if (failure == Failure::none) return memory;
  if (memory != nullptr) munmap(memory, node.bytes);
  return nullptr;
}

}  // namespace

std::unique_ptr<Segment> Segment::open(const Places& places, int rank, Channel& channel, std::string& why) {
  left().unmap();  // here it is not in the way: to make a segment takes longer
  const RankSet ranks = places.on_node(places.node_of(rank));
  const Node node{ranks, rank, static_cast<std::size_t>(places.position(rank)), channel,
                  front_bytes(ranks.size()) + SharedRings::bytes(ranks.size())};
  Failure failure = Failure::none;
  char* memory = share(node, Means::anonymous_file, failure);
  if (failure != Failure::none && failure != Failure::no_room) memory = share(node, Means::named_file, failure);
  if (failure != Failure::none) {
    why = failure == Failure::no_room
              ? "ranks of a node already share " + std::to_string(most_bytes >> 20U) + " MiB on other communicators"
          : failure == Failure::no_memory
              ? "ranks of a node cannot share memory: the system has none for them, or no file may be so large"
              : "ranks of a node cannot share memory: one cannot open another's, as in containers of their own";
    return nullptr;
  }
  const auto everyone = memory != nullptr ? introductions(memory, ranks.size()) : std::span<ProcessWord>();
  auto reading = Reading::possible;
  for (const ProcessWord& one : everyone) reading = std::max(reading, try_reading(one));
  reading = worst_of_all(channel, reading);

  std::unique_ptr<Segment> made(new Segment);
  if (reading != Reading::possible)
    made->note_ =
        "large data is copied twice: " +
        std::string(reading == Reading::forbidden
                        ? "the system does not let ranks read each other's memory"
                        : "ranks of a node cannot find each other's processes, as in PID namespaces of their own");
  if (memory == nullptr) return made;
  made->memory_ = memory;
  made->bytes_ = node.bytes;
  shared_bytes += node.bytes;
  std::vector<std::int32_t> members(static_cast<std::size_t>(places.ranks()));
  for (int one = 0; one < places.ranks(); ++one) members[static_cast<std::size_t>(one)] = places.position(one);
  made->rings_ =
      std::make_unique<SharedRings>(memory + front_bytes(ranks.size()), ranks.size(), std::move(members), rank);
  std::vector<std::int64_t> processes;
  for (const ProcessWord& one : everyone) processes.push_back(one.process);
  if (reading == Reading::possible) made->rings_->let_stay_in_place(std::move(processes));
  return made;
}

Segment::~Segment() {
  if (memory_ == nullptr) return;
  left().add(memory_, bytes_);
}

}  // namespace starling
