#include <dlfcn.h>
#include <mpi.h>
#include <sys/auxv.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bindings/entries.hpp"
#include "bindings/entry.hpp"
#include "bindings/notices.hpp"
#include "messages/told.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/repaired.hpp"

/// The addresses to which each entry's exported symbols jump (trampolines.S).
extern "C" void* starling_slots[];

extern "C" starling::EntryFunction starling_entry;

namespace starling {

std::array<void*, entry_count> originals{};

namespace {

/// `next_symbol` of this library, or of the one through which the program's calls come.
void* (*next)(const char*, bool) = next_symbol;

/// The function that the program would have called without this library. Open MPI 4 has the persistent collectives
/// only as MPIX_*: without this library a program sees that MPI_* is missing, with it that is what it calls.
void* next_function(const Entry& entry) {
  for (const char* name : entry.spellings)
    if (name != nullptr)
      if (void* found = next(name, entry.is_fortran)) return found;
  constexpr std::string_view standard = "MPI_";
  const std::string_view name(entry.spellings[0]);
  if (entry.is_fortran || !name.starts_with(standard)) return nullptr;
  return next(("MPIX_" + std::string(name.substr(standard.size()))).c_str(), false);
}

/// Whether the program has MPI's Fortran functions. If not, a function of such a name belongs to a library that has
/// functions of its own by these names: R's Rmpi has `mpi_bcast`, a C function with other arguments.
bool has_fortran() {
  // Open MPI's names are the plain ones of mpif.h; nobody else's functions are called mpi_x_f08_.
  return built_for != Abi::openmpi || next("ompi_init_f", true) != nullptr;
}

void report_wrong_build() {
  const Flavour& mpi = flavour();
  if (mpi.path.empty()) return report_untuned(no_mpi_loaded);
  report_untuned("the program runs on " + mpi.name + " " + told(mpi.version) + " (" + told(mpi.path) + "), and " +
                 variant_of(built_for) + " is not for it: nothing is tuned; leave out --mpi, or use " +
                 variant_of(mpi.abi) + " (starling run --mpi " + std::string(name_of(mpi.abi)) + ")");
}

/// Decides once, at the first call of any entry point, whether Starling takes part.
bool begin() {
  if (getauxval(AT_SECURE) != 0) return false;
  if (!active()) {
    report_wrong_build();
    return false;
  }
  resolve_pmpi();
  for (std::size_t slot = 0; slot < entry_count; ++slot) {
    const Entry& entry = entries()[slot];
    if (entry.is_fortran) continue;
    originals[slot] = repaired(entry.spellings[0]);
    if (originals[slot] == nullptr) originals[slot] = next_function(entry);
  }
  return true;
}

/// Stands for a function that the MPI library lacks. A program may call it: its weak reference to a newer function,
/// null without this library, is not null with it.
int unsupported() {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

/// For a function that the MPI library lacks, in a program that this build is not for: what the build for its MPI puts
/// in its place. That build stays idle, because it never sees MPI_Init. Null if it is not there.
void* stand_in(const Entry& entry) {
  const auto abi = loaded_mpi().abi;
  if (getauxval(AT_SECURE) != 0 || !abi || abi == built_for) return nullptr;
  void* const fitting = open_variant(*abi);
  if (fitting == nullptr) return nullptr;
  auto* const of_fitting = reinterpret_cast<EntryFunction*>(dlsym(fitting, entry_name));
  return of_fitting != nullptr ? of_fitting(entry.spellings[0], next) : nullptr;
}

/// Null if the program has no function of that name.
void* target_of(std::size_t slot) {
  static const bool takes_part = begin();
  const Entry& entry = entries()[slot];
  if (!takes_part) {
    void* const found = next_function(entry);
    return found != nullptr ? found : stand_in(entry);
  }
  // A Fortran library may be loaded later than the C one: each of its functions is looked up at its first call.
  if (entry.is_fortran) {
    void* const found = next_function(entry);
    if (!has_fortran()) return found;
    originals[slot] = found;
  }
  if (originals[slot] != nullptr) return reinterpret_cast<void*>(entry.wrapper);
  if (entry.is_fortran) return nullptr;
  return reinterpret_cast<void*>(entry.fallback != nullptr ? entry.fallback : address_of(unsupported));
}

}  // namespace

}  // namespace starling

/// Sets the address of a slot, and returns it: the wrapper, or the MPI library's own function.
extern "C" __attribute__((visibility("hidden"))) void* starling_resolve(std::size_t slot) {
  using namespace starling;
  void* const target = target_of(slot);
  if (target == nullptr) {
    std::fprintf(stderr, "starling: %s was called, which no MPI library that is loaded here has\n",
                 entries()[slot].spellings[0]);
    std::abort();
  }
  std::atomic_ref(starling_slots[slot]).store(target, std::memory_order_release);
  return target;
}

extern "C" __attribute__((visibility("default"))) void* starling_entry(const char* name,
                                                                       void* (*next_of_caller)(const char*, bool)) {
  using namespace starling;
  next = next_of_caller;
  const std::string_view wanted(name);
  for (std::size_t slot = 0; slot < entry_count; ++slot)
    for (const char* spelling : entries()[slot].spellings)
      if (spelling != nullptr && spelling == wanted) return target_of(slot);
  return nullptr;
}
