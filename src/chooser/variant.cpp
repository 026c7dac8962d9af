#include "chooser/variant.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include "bindings/notices.hpp"
#include "messages/told.hpp"
#include "runtime/mpi/loaded.hpp"

namespace starling {

namespace {

/// Exported by every library of Starling's.
constexpr const char* version_name = "starling_version";

/// Whether another library of Starling's serves the program: a variant that it is linked to or that is preloaded, or,
/// of several of this kind, the one that is preloaded first.
bool another_serves() {
  if (dlsym(RTLD_DEFAULT, entry_name) != nullptr) return true;
  return path_of(dlsym(RTLD_DEFAULT, version_name)) != path_of(version_name);
}

Variant choose() {
  if (getauxval(AT_SECURE) != 0 || another_serves()) return {};
  const LoadedMpi& mpi = loaded_mpi();
  if (mpi.path.empty()) {
    report_untuned(no_mpi_loaded);
    return {};
  }
  if (!mpi.abi) {
    report_untuned("the program runs on " + told(mpi.path) +
                   ", an MPI whose binary interface is not known: nothing is tuned; if it is MPICH's, say so: "
                   "starling run --mpi mpich");
    return {};
  }
  Variant found;
  found.library = open_variant(*mpi.abi);
  if (found.library == nullptr) {
    const char* const why = dlerror();
    report_untuned("the program runs on " + told(mpi.path) + ", and " + variant_of(*mpi.abi) +
                   " cannot be used: nothing is tuned (" + told(why == nullptr ? "" : why) +
                   "); build it with: starling doctor --build MPICC");
    return {};
  }
  found.entry = reinterpret_cast<EntryFunction*>(dlsym(found.library, entry_name));
  found.path = path_of(reinterpret_cast<const void*>(found.entry));
  return found;
}

}  // namespace

const Variant& variant() {
  static const Variant& chosen = *new Variant(choose());  // for calls of MPI while statics are destroyed
  return chosen;
}

void* function_of_variant(const char* name) {
  if (another_serves()) return dlsym(RTLD_NEXT, name);
  if (find_loaded_mpi().path.empty() || variant().library == nullptr) return nullptr;
  return dlsym(variant().library, name);
}

}  // namespace starling
