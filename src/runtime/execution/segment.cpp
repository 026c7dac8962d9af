#include "runtime/execution/segment.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "shared_memory/other_process.hpp"
#include "shared_memory/shared_file.hpp"
#include "topology/available_memory.hpp"

namespace starling {
namespace {

/// What went wrong on some rank, by how much it tells.
enum class Failure : std::uint8_t { none, unreachable, no_memory, no_descriptor, little_memory, no_room };

/// Bytes that this process shares in all its segments together, and may share.
std::atomic<std::size_t> shared_bytes{0};
std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
/// So much it may share by what was available when that was asked last.
std::atomic<std::size_t> known_up_to{0};

/// Whether all segments of this process, with one more of so many bytes, have at most a quarter of the memory that
/// processes could have without them. A container's limit counts what ranks share, and its processes are killed beyond
/// it.
bool leaves_memory(std::size_t bytes) {
  constexpr std::size_t part = 4;
  constexpr std::size_t asked_again_after = std::size_t{4} << 20U;
  const std::size_t shared = shared_bytes.load();
  if (shared + bytes <= known_up_to.load()) return true;
  const auto available = static_cast<std::size_t>(available_memory());
  const std::size_t most = available == 0 ? std::numeric_limits<std::size_t>::max() : (available + shared) / part;
  known_up_to = std::min(most, shared + bytes + asked_again_after);
  return shared + bytes <= most;
}

bool lacks_descriptors() {
  return errno == EMFILE || errno == ENFILE;
}

std::string in_words(Failure failure) {
  constexpr auto cannot = "ranks of a node cannot share memory: ";
  switch (failure) {
    case Failure::no_room:
      return "ranks of a node may share no more than " + std::to_string(most_bytes >> 20U) + " MiB";
    case Failure::little_memory: return std::string(cannot) + "it would take more than a quarter of what is available";
    case Failure::no_descriptor: return std::string(cannot) + "one can open no more files";
    case Failure::no_memory: return std::string(cannot) + "the system has none for them, or no file may be so large";
    default: return std::string(cannot) + "one cannot open another's, as in containers of their own";
  }
}

/// Segments that were left, but are still mapped. The last one of a node to unmap 0.5 MiB gives it back to the system,
/// which takes 100 us: too long for MPI_Comm_free.
class Left {
 public:
  void add(char* memory, std::size_t bytes) {
    const std::scoped_lock lock(guard_);
    if (bytes_ + bytes > most) unmap_all();
    all_.emplace_back(memory, bytes);
    bytes_ += bytes;
    if (bytes > most) unmap_all();
  }
  void unmap() {
    const std::scoped_lock lock(guard_);
    unmap_all();
  }

 private:
  static constexpr std::size_t most = std::size_t{4} << 20U;  ///< bytes

  void unmap_all() {
    for (const auto& [memory, bytes] : all_) munmap(memory, bytes);
    all_.clear();
    if (bytes_ > 0) known_up_to = 0;  // others may take it
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

constexpr int words_of_address = sizeof(SharedFile::Address) / sizeof(std::int64_t);

/// In front of the rings: what is the file's own, and what each rank of the node tells of itself, in the order of their
/// places.
std::size_t front_bytes(int ranks) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = SharedFile::secret_bytes + (static_cast<std::size_t>(ranks) * sizeof(ProcessWord));
  return (bytes + line - 1) / line * line;
}
std::span<ProcessWord> introductions(char* memory, int ranks) {
  return {reinterpret_cast<ProcessWord*>(memory + SharedFile::secret_bytes), static_cast<std::size_t>(ranks)};
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
SharedFile::Address agreed_address(const Node& node, const SharedFile::Address& mine) {
  const int tag = node.channel.next_tag();
  const int* const peers = node.channel.peers();
  SharedFile::Address told = mine;
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

/// Has these pages of the memory mapped, as candidates are judged by their first calls, which should not wait for them.
/// Of large memory, which many ranks share, a rank uses little, and to clear and map it all takes milliseconds.
void map_pages(const Node& node, const volatile char* memory, std::size_t first, std::size_t bytes) {
  constexpr std::size_t most_at_once = std::size_t{4} << 20U;
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (node.bytes > most_at_once) return;
  for (std::size_t at = first; at < first + bytes; at += page) static_cast<void>(memory[at]);
}

/// This rank's view of the file, with memory behind its own part, which thus lies in its domain; null where the system
/// has none.
char* mapped(const Node& node, const SharedFile& file) {
  const std::size_t front = front_bytes(node.ranks.size());
  const auto parts = SharedRings::parts_of(node.ranks.size(), node.place);
  if (!std::ranges::all_of(parts, [&](const auto& part) { return file.allocate(front + part.first, part.bytes); }))
    return nullptr;
  char* const memory = file.map();
  if (memory == nullptr) return nullptr;
  // The system clears pages when they are mapped: each rank those of its own part, at the same time.
  for (const auto& part : parts) map_pages(node, memory, front + part.first, part.bytes);
  introductions(memory, node.ranks.size())[node.place] = ProcessWord::mine();
  return memory;
}

/// The memory, mapped, or nothing and why. On all ranks of the communicator, which agree on it.
char* share(const Node& node, SharedFile::Means means, Failure& failure) {
  const bool shares = node.ranks.size() > 1;
  const bool has_room = !shares || shared_bytes.load() + node.bytes <= most_bytes;
  const bool is_small = !shares || !has_room || leaves_memory(node.bytes);
  const bool may = shares && has_room && is_small;
  const bool makes = may && node.ranks.rank(0) == node.rank;
  errno = 0;
  SharedFile file = makes ? SharedFile::make(means, node.bytes) : SharedFile();
  bool lacks = makes && !file && lacks_descriptors();
  if (file && !file.allocate(0, front_bytes(node.ranks.size()))) file = SharedFile();
  const SharedFile::Address address = agreed_address(node, file.address());
  if (may && !makes && address.descriptor >= 0) {
    errno = 0;
    file = SharedFile::open(means, address, node.bytes);
    lacks = !file && lacks_descriptors();
  }

  char* const memory = file ? mapped(node, file) : nullptr;
  failure = !has_room                      ? Failure::no_room
            : !is_small                    ? Failure::little_memory
            : lacks                        ? Failure::no_descriptor
            : !shares || memory != nullptr ? Failure::none
            : makes || file                ? Failure::no_memory
                                           : Failure::unreachable;
  // All have opened it and said who they are, or never will: after this the file is closed, and a name of it is gone.
  failure = worst_of_all(node.channel, failure);
  if (failure != Failure::none) {
    if (memory != nullptr) munmap(memory, node.bytes);
    return nullptr;
  }
  if (memory != nullptr) map_pages(node, memory, 0, node.bytes);
  return memory;
}

}  // namespace

void Segment::share_at_most(std::size_t bytes) {
  most_bytes = bytes;
}

std::unique_ptr<Segment> Segment::open(const Places& places, int rank, Channel& channel, std::string& why) {
  left().unmap();  // here it is not in the way: to make a segment takes longer
  const RankSet ranks = places.on_node(places.node_of(rank));
  const Node node{ranks, rank, static_cast<std::size_t>(places.position(rank)), channel,
                  front_bytes(ranks.size()) + SharedRings::bytes(ranks.size())};
  Failure failure = Failure::none;
  char* memory = share(node, SharedFile::Means::anonymous_file, failure);
  if (failure != Failure::none && failure < Failure::little_memory)
    memory = share(node, SharedFile::Means::named_file, failure);
  if (failure != Failure::none) {
    why = in_words(failure);
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
  made->rings_->know_processes({everyone.begin(), everyone.end()}, reading == Reading::possible);
  return made;
}

Segment::~Segment() {
  if (memory_ == nullptr) return;
  left().add(memory_, bytes_);
}

}  // namespace starling
