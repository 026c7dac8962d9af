#include "runtime/exchange/windows.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling::neighborhood {
namespace {

constexpr std::uintptr_t granule = 16;

WindowRange range_of(const char* buffer, MPI_Aint bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
  return {begin - (begin % granule), end + ((granule - (end % granule)) % granule)};
}

struct Buffer {
  char* base;
  MPI_Aint bytes;
};

Buffer buffer_for(const BlockMemory& memory, bool sends) {
  return sends ? Buffer{memory.send_base, memory.send_bytes} : Buffer{memory.receive_base, memory.receive_bytes};
}

/// What is in windows of this process now. Never destroyed: windows may live until MPI_Finalize.
struct LiveWindows {
  std::mutex mutex;
  std::vector<WindowRange> ranges;
};
LiveWindows& live_windows() {
  static LiveWindows& all = *new LiveWindows;
  return all;
}

int make_some(MPI_Comm comm, char* buffer, MPI_Aint bytes, int count, std::vector<MPI_Win>& windows) {
  if (static_cast<int>(windows.size()) >= count) return MPI_SUCCESS;
  MPI_Info info{};
  if (const int error = pmpi.Info_create(&info); error != MPI_SUCCESS) return error;
  pmpi.Info_set(info, "no_locks", "true");
  const MPI_Aint before = into_window(buffer);
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS && static_cast<int>(windows.size()) < count) {
    MPI_Win window{};
    error = pmpi.Win_create(buffer - before, before + bytes, 1, info, comm, &window);
    if (error != MPI_SUCCESS) break;
    windows.push_back(window);
    error = pmpi.Win_set_errhandler(window, handles.errors_return);
  }
  pmpi.Info_free(&info);
  return error;
}

void free_all(std::vector<MPI_Win>& windows) {
  for (MPI_Win& window : windows) pmpi.Win_free(&window);
  windows.clear();
}

void add_to_live(const WindowRange& range) {
  const std::scoped_lock lock(live_windows().mutex);
  live_windows().ranges.push_back(range);
}

void remove_from_live(const WindowRange& range) {
  const std::scoped_lock lock(live_windows().mutex);
  auto& ranges = live_windows().ranges;
  if (const auto found = std::find(ranges.begin(), ranges.end(), range); found != ranges.end()) ranges.erase(found);
}

}  // namespace

MPI_Aint into_window(const void* buffer) {
  return static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(buffer) % granule);
}

bool library_mixes_windows_up() {
  return flavour().name == "mpich" && flavour().version.starts_with("4.");
}

bool Windows::begin_in_another(const BlockMemory& memory, bool for_gets, bool one_buffer) {
  const Buffer buffer = buffer_for(memory, for_gets && !one_buffer);
  const WindowRange mine = range_of(buffer.base, buffer.bytes);
  const std::scoped_lock lock(live_windows().mutex);
  const auto& ranges = live_windows().ranges;
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const WindowRange& other) { return other.begin < mine.begin && mine.begin < other.end; });
}

int Windows::make(MPI_Comm comm, const BlockMemory& memory, bool for_gets, bool one_buffer, int count) {
  const bool sends = for_gets && !one_buffer;
  const Buffer buffer = buffer_for(memory, sends);
  std::vector<MPI_Win>& windows = sends ? gets_ : puts_;
  if (windows.empty()) add_to_live(ranges_.emplace_back(range_of(buffer.base, buffer.bytes)));
  return make_some(comm, buffer.base, buffer.bytes, count, windows);
}

void Windows::release() {
  free_all(puts_);
  free_all(gets_);
  for (const WindowRange& range : ranges_) remove_from_live(range);
  ranges_.clear();
}

}  // namespace starling::neighborhood
