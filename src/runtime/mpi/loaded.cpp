#include "runtime/mpi/loaded.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
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

/// Calls `take(tag, value)` for each entry of a shared object's dynamic section. Returns null where there is none, else
/// what the linker knows of the object.
template <class Take>
const link_map* for_each_dynamic(void* object, const Take& take) {
  link_map* map = nullptr;
  if (dlinfo(object, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) take(entry->d_tag, entry->d_un.d_ptr);
  return map;
}

/// The name by which programs that are linked to a shared object know it.
std::string_view soname_of(void* object) {
  const char* texts = nullptr;
  std::optional<ElfW(Addr)> name;
  for_each_dynamic(object, [&](auto tag, ElfW(Addr) value) {
    if (tag == DT_STRTAB) texts = reinterpret_cast<const char*>(value);
    if (tag == DT_SONAME) name = value;
  });
  return texts != nullptr && name ? texts + *name : "";
}

/// Whether a soname ends as MPICH's, Intel's, Cray's and all others of the MPICH ABI do: in .so.12, or so.
bool is_of_mpich(std::string_view soname) {
  const auto at = soname.find(".so.1");
  return soname.starts_with("libmp") && at != std::string_view::npos && soname.size() == at + 6 &&
         soname.back() >= '0' && soname.back() <= '9';
}

std::optional<Abi> abi_of(void* library) {
  if (dlsym(library, "ompi_mpi_comm_world") != nullptr) return Abi::openmpi;
  if (dlsym(library, "smpi_execute") != nullptr) return Abi::smpi;
  const std::string_view soname = soname_of(library);
  if (soname.starts_with("libmpi_abi.so")) return Abi::standard;
  if (is_of_mpich(soname)) return Abi::mpich;
  return std::nullopt;
}

/// A function that every MPI library has, that may be called before MPI_Init, and that no tool replaces.
constexpr const char* version_function = "PMPI_Get_library_version";

std::string find_library() {
  if (const void* bound = dlsym(RTLD_DEFAULT, version_function)) return path_of(bound);
  for (const std::string& path : loaded_paths())
    if (const Object object = loaded(path))
      if (const void* own = dlsym(object.get(), version_function)) return path_of(own);
  return "";
}

/// A symbol of an MPI library whose symbols are not public.
void* library_symbol(const char* name) {
  const Object library = loaded(loaded_mpi().path);
  return library ? dlsym(library.get(), name) : nullptr;
}

/// Every library of Starling's exports it.
constexpr const char* mark_of_ours = "starling_version";

}  // namespace

std::string path_of(const void* address) {
  Dl_info where{};
  return address != nullptr && dladdr(address, &where) != 0 ? where.dli_fname : "";
}

std::string variant_of(Abi abi) {
  return "libstarling-" + std::string(name_of(abi)) + ".so";
}

void* open_variant(Abi abi) {
  const std::string name = variant_of(abi);
  if (void* const open = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return open;
  const std::string here = path_of(mark_of_ours);
  std::string path = here.substr(0, here.rfind('/') + 1) + name;
  if (const char* own = std::getenv("STARLING_VARIANTS"); own != nullptr && access(path.c_str(), F_OK) != 0)
    if (const std::string there = std::string(own) + "/" + name; access(there.c_str(), F_OK) == 0) path = there;
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

LoadedMpi find_loaded_mpi() {
  const std::string path = find_library();
  const Object library = loaded(path);
  if (!library) return {};
  return {path, abi_of(library.get())};
}

const LoadedMpi& loaded_mpi() {
  static const LoadedMpi& found = *new LoadedMpi(find_loaded_mpi());  // for calls of MPI while statics are destroyed
  return found;
}

void* mpi_symbol(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  return library_symbol(name);
}

void* next_symbol(const char* name, bool anywhere) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  if (void* found = library_symbol(name)) return found;
  if (!anywhere) return nullptr;
  for (const std::string& path : loaded_paths())
    if (const Object object = loaded(path); object && dlsym(object.get(), mark_of_ours) == nullptr)
      if (void* found = dlsym(object.get(), name)) return found;
  return nullptr;
}

void* symbol_as_seen_by(const void* inside, std::string_view name) {
  const Object object = loaded(path_of(inside));
  const char* texts = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const ElfW(Rela)* relocations = nullptr;
  std::size_t bytes = 0;
  const link_map* const map = !object ? nullptr : for_each_dynamic(object.get(), [&](auto tag, ElfW(Addr) value) {
    if (tag == DT_STRTAB) texts = reinterpret_cast<const char*>(value);
    if (tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(value);
    if (tag == DT_RELA) relocations = reinterpret_cast<const ElfW(Rela)*>(value);
    if (tag == DT_RELASZ) bytes = value;
  });
  if (texts == nullptr || symbols == nullptr || relocations == nullptr) return nullptr;
  for (const ElfW(Rela) & one : std::span(relocations, bytes / sizeof(ElfW(Rela)))) {
    const auto index = ELF64_R_SYM(one.r_info);  // 0: of no symbol
    if (index != 0 && name == texts + symbols[index].st_name)
      return *reinterpret_cast<void* const*>(map->l_addr + one.r_offset);  // written there by the linker
  }
  return nullptr;
}

}  // namespace starling
