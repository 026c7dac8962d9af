#include "runtime/job/hosts.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "messages/fingerprint.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "topology/cpu_quota.hpp"
#include "topology/processor_domain.hpp"

namespace starling {

std::int64_t number_of_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  pmpi.Get_processor_name(name.data(), &length);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return static_cast<std::int64_t>(Fingerprint().add(name.data()).add(" ").add(boot).value());
}

PlaceOnHost place_on_host() {
  const Processors allowed = allowed_processors();
  const CpuQuota quota = cpu_quota_here();
  if (STARLING_SIMULATED) return {domain_of_processors(allowed), {}};
  return {domain_of_processors(allowed),
          {allowed, static_cast<std::int64_t>(quota.group), static_cast<std::int64_t>(quota.processors)}};
}

std::vector<int> gathered_from_all(int mine) {
  const Process& here = process();
  std::vector<int> all(static_cast<std::size_t>(here.size));
  // Not MPI_Allgather: the library may choose an algorithm with a step for each rank.
  pmpi.Gather(&mine, 1, handles.int_, all.data(), 1, handles.int_, 0, here.world);
  pmpi.Bcast(all.data(), here.size, handles.int_, 0, here.world);
  return all;
}

}  // namespace starling
