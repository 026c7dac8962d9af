#include "runtime/mpi/flavour.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <memory>
#include <regex>
#include <vector>

namespace starling {

namespace {

struct Close {
  void operator()(void* object) const { dlclose(object); }
};
using Object = std::unique_ptr<void, Close>;

/// A shared object that is already loaded; null if it is not. (For dlopen an empty path is the whole program.)
Object loaded(const std::string& path) {
  return Object(path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY));
}

/// The paths of all shared objects of the program, in the order they were loaded.
std::vector<std::string> loaded_paths() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* into) {
        if (object->dlpi_name != nullptr && *object->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(into)->emplace_back(object->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

/// The path of the shared object that contains an address.
std::string path_of(const void* address) {
  Dl_info where{};
  return address != nullptr && dladdr(address, &where) != 0 ? where.dli_fname : "";
}

/// A function that every MPI library has, that may be called before MPI_Init, and that no tool replaces.
constexpr const char* version_function = "PMPI_Get_library_version";

/// The MPI library that the program is linked to, or one that it loaded without making its symbols public, as Python
/// does.
std::string find_library() {
  if (const void* bound = dlsym(RTLD_DEFAULT, version_function)) return path_of(bound);
  for (const std::string& path : loaded_paths())
    if (const Object object = loaded(path))
      if (const void* own = dlsym(object.get(), version_function)) return path_of(own);
  return "";
}

Abi abi_of(const std::string& path, void* library) {
  if (dlsym(library, "ompi_mpi_comm_world") != nullptr) return Abi::openmpi;
  if (dlsym(library, "smpi_execute") != nullptr) return Abi::smpi;
  return path.find("libmpi_abi.so") != std::string::npos ? Abi::standard : Abi::mpich;
}

std::string library_version(void* library) {
  // For the largest MPI_MAX_LIBRARY_VERSION_STRING of any library: the loaded one may differ from this build's.
  std::string text(16384, '\0');
  int length = 0;
  reinterpret_cast<int (*)(char*, int*)>(dlsym(library, version_function))(text.data(), &length);
  text.resize(text.find('\0'));
  return text;
}

std::string maker(const std::string& version, Abi abi) {
  if (version.find("Intel(R) MPI") != std::string::npos) return "intel";
  if (abi == Abi::openmpi) return "openmpi";
  if (abi == Abi::smpi) return "smpi";
  return abi == Abi::mpich || version.find("MPICH") != std::string::npos ? "mpich" : "mpi-abi";
}

Flavour find_flavour() {
  Flavour found;
  found.path = find_library();
  const Object library = loaded(found.path);
  if (!library) return {};
  found.abi = abi_of(found.path, library.get());
  const std::string text = library_version(library.get());
  found.name = maker(text, found.abi);
  if (std::smatch number; std::regex_search(text, number, std::regex(R"(\d+(\.\d+)+)"))) found.version = number.str();
  return found;
}

/// A symbol of an MPI library whose symbols are not public.
void* library_symbol(const char* name) {
  const Object library = loaded(flavour().path);
  return library ? dlsym(library.get(), name) : nullptr;
}

}  // namespace

const Flavour& flavour() {
  static const Flavour& found = *new Flavour(find_flavour());  // for calls of MPI while statics are destroyed
  return found;
}

void* mpi_symbol(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  return library_symbol(name);
}

void* next_symbol(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  return library_symbol(name);
}

void* next_symbol_anywhere(const char* name) {
  if (void* found = next_symbol(name)) return found;
  const std::string ours = path_of(reinterpret_cast<const void*>(&next_symbol_anywhere));
  for (const std::string& path : loaded_paths())
    if (const Object object = path != ours ? loaded(path) : nullptr)
      if (void* found = dlsym(object.get(), name)) return found;
  return nullptr;
}

bool active() {
  static const bool fits = getauxval(AT_SECURE) == 0 && !flavour().path.empty() && flavour().abi == built_for;
  return fits;
}

}  // namespace starling
