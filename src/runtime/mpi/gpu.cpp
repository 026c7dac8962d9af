#include "runtime/mpi/gpu.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

namespace starling {
namespace {

/// The runtime libraries of NVIDIA, AMD and Intel: their file names without the version.
constexpr std::array<std::string_view, 6> runtimes{"libcuda.so",          "libcudart.so",    "libamdhip64.so",
                                                   "libhsa-runtime64.so", "libze_loader.so", "libze_intel_gpu.so"};

int is_runtime(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  if (object->dlpi_name == nullptr) return 0;
  const std::string_view path = object->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return std::any_of(runtimes.begin(), runtimes.end(), [&](std::string_view name) { return file.starts_with(name); })
             ? 1
             : 0;
}

/// Of the first object alone: how many were ever loaded.
int take_loads(dl_phdr_info* object, std::size_t /*size*/, void* loads) {
  *static_cast<unsigned long long*>(loads) = object->dlpi_adds;
  return 1;
}

}  // namespace

bool has_gpu_runtime() {
  // Asked for each communicator: names are compared again only where objects were loaded since none was a runtime.
  static std::atomic<unsigned long long> loads_without{0};
  unsigned long long loads = 0;
  dl_iterate_phdr(take_loads, &loads);
  if (loads != 0 && loads == loads_without.load(std::memory_order_relaxed)) return false;
  if (dl_iterate_phdr(is_runtime, nullptr) != 0) return true;
  loads_without.store(loads, std::memory_order_relaxed);
  return false;
}

}  // namespace starling
