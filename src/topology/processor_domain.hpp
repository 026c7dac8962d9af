#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace starling {

/// A number for the domain of its machine that all of some processors are in: their NUMA node, where the machine has
/// several, else their socket. Negative where they are in several of both, or the system does not say. `processors` has
/// a bit for each; `system` is the folder where Linux describes nodes and processors.
int domain_of_processors(std::span<const std::uint64_t> processors, const std::string& system = "/sys/devices/system");

}  // namespace starling
