#include "chooser/variant.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

#include "bindings/notices.hpp"
#include "messages/told.hpp"
#include "runtime/mpi/loaded.hpp"

namespace starling {

namespace {

/// Exported by every library of Starling's.
constexpr const char* version_name = "starling_version";

/// The path of the shared object that contains an address.
std::string path_of(const void* address) {
  Dl_info where{};
  return dladdr(address, &where) != 0 ? where.dli_fname : "";
}

/// Whether another library of Starling's serves the program: a variant that it is linked to or that is preloaded, or,
/// of several of this kind, the one that is preloaded first.
bool another_serves() {
  if (dlsym(RTLD_DEFAULT, entry_name) != nullptr) return true;
  return path_of(dlsym(RTLD_DEFAULT, version_name)) != path_of(version_name);
}

/// The library of that name: one that the program has loaded, or that lies beside this one, or in the folder of
/// STARLING_VARIANTS, where `starling doctor --build` leaves what it may not put beside.
void* opened(const std::string& name) {
  if (void* const loaded = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return loaded;
  const std::string here = path_of(version_name);
  std::string path = here.substr(0, here.rfind('/') + 1) + name;
  if (const char* own = std::getenv("STARLING_VARIANTS"); own != nullptr && access(path.c_str(), F_OK) != 0)
    if (const std::string there = std::string(own) + "/" + name; access(there.c_str(), F_OK) == 0) path = there;
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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
  const std::string name = variant_of(*mpi.abi);
  Variant found;
  found.library = opened(name);
  if (found.library == nullptr) {
    const char* const why = dlerror();
    report_untuned("the program runs on " + told(mpi.path) + ", and " + name + " cannot be used: nothing is tuned (" +
                   told(why == nullptr ? "" : why) + "); build it with: starling doctor --build MPICC");
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
