#include "runtime/mpi/pmpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/repaired.hpp"

namespace starling {

Pmpi pmpi;
Handles handles;

namespace {

template <class Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(mpi_symbol(name));
}

/// The conversion from Fortran's handles to C's: a function under one of two names, or a cast where handles are
/// integers in both languages and the library has no such function.
template <class Handle>
void find(Handle (*&from_fortran)(Fint), const std::string& kind) {
  find(from_fortran, ("PMPI_" + kind + "_f2c").c_str());
  if (from_fortran == nullptr) find(from_fortran, ("PMPI_" + kind + "_fromint").c_str());
  if constexpr (std::is_integral_v<Handle>)
    if (from_fortran == nullptr) from_fortran = [](Fint handle) { return handle; };
}

/// Finds the conversion of C's handles to Fortran's in the same way.
template <typename Handle>
void find_to_fortran(Fint (*&to_fortran)(Handle), const std::string& kind) {
  find(to_fortran, ("PMPI_" + kind + "_c2f").c_str());
  if (to_fortran == nullptr) find(to_fortran, ("PMPI_" + kind + "_toint").c_str());
  if constexpr (std::is_integral_v<Handle>)
    if (to_fortran == nullptr) to_fortran = [](Handle handle) -> Fint { return handle; };
}

void find_functions() {
#define STARLING_FIND(function) find(pmpi.function, "PMPI_" #function);
  STARLING_PMPI_FUNCTIONS(STARLING_FIND)
#undef STARLING_FIND
  find(pmpi.Comm_f2c, std::string("Comm"));
  find(pmpi.Type_f2c, std::string("Type"));
  find(pmpi.Op_f2c, std::string("Op"));
  find_to_fortran(pmpi.Comm_c2f, "Comm");
  find(pmpi.Type_get_envelope_c, "PMPI_Type_get_envelope_c");
}

// The header's constant; in Open MPI the address of the object for which it stands.
#if defined(OPEN_MPI)
#define STARLING_HANDLE(handle, object, constant) \
  handles.handle = reinterpret_cast<decltype(handles.handle)>(mpi_symbol(object))
#else
#define STARLING_HANDLE(handle, object, constant) handles.handle = constant
#endif

void find_handles() {
  STARLING_HANDLE(comm_world, "ompi_mpi_comm_world", MPI_COMM_WORLD);
  STARLING_HANDLE(comm_self, "ompi_mpi_comm_self", MPI_COMM_SELF);
  STARLING_HANDLE(comm_null, "ompi_mpi_comm_null", MPI_COMM_NULL);
  STARLING_HANDLE(byte, "ompi_mpi_byte", MPI_BYTE);
  STARLING_HANDLE(char_, "ompi_mpi_char", MPI_CHAR);
  STARLING_HANDLE(int_, "ompi_mpi_int", MPI_INT);
  STARLING_HANDLE(float_, "ompi_mpi_float", MPI_FLOAT);
  STARLING_HANDLE(double_, "ompi_mpi_double", MPI_DOUBLE);
  STARLING_HANDLE(int64, "ompi_mpi_int64_t", MPI_INT64_T);
  STARLING_HANDLE(datatype_null, "ompi_mpi_datatype_null", MPI_DATATYPE_NULL);
  STARLING_HANDLE(op_null, "ompi_mpi_op_null", MPI_OP_NULL);
  STARLING_HANDLE(sum, "ompi_mpi_op_sum", MPI_SUM);
  STARLING_HANDLE(min, "ompi_mpi_op_min", MPI_MIN);
  STARLING_HANDLE(band, "ompi_mpi_op_band", MPI_BAND);
  STARLING_HANDLE(request_null, "ompi_request_null", MPI_REQUEST_NULL);
  STARLING_HANDLE(errors_return, "ompi_mpi_errors_return", MPI_ERRORS_RETURN);
}

#if STARLING_HANDLES_ARE_OBJECTS

// A predefined object is a variable of the library; one created by the program is on the heap. The linker moves
// variables that a program uses into the program itself (copy relocation), so both images count.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::array<Range, 2> variables;

void find_variables() {
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
        if (!is_program && flavour().path != object->dlpi_name) return 0;
        Range& image = variables[is_program ? 0 : 1];
        for (const auto& header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          if (header.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
          image.begin = image.end == 0 ? begin : std::min(image.begin, begin);
          image.end = std::max(image.end, begin + header.p_memsz);
        }
        return 0;
      },
      nullptr);
}

bool is_variable(const void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  return (address - variables[0].begin < variables[0].end - variables[0].begin) ||
         (address - variables[1].begin < variables[1].end - variables[1].begin);
}

#endif

}  // namespace

void resolve_pmpi() {
  find_functions();
  repair_pmpi();
  find_handles();
#if STARLING_HANDLES_ARE_OBJECTS
  find_variables();
#endif
}

#if STARLING_HANDLES_ARE_OBJECTS

bool predefined(MPI_Datatype type) {
  return is_variable(type);
}
bool predefined(MPI_Op op) {
  return is_variable(op);
}

#elif defined(MPI_ABI_VERSION)

// The standard reserves the zero page for its constants.
constexpr std::uintptr_t constants_end = 4096;

bool predefined(MPI_Datatype type) {
  return reinterpret_cast<std::uintptr_t>(type) < constants_end;
}
bool predefined(MPI_Op op) {
  return reinterpret_cast<std::uintptr_t>(op) < constants_end;
}

#else

// The top two bits of a handle are its kind; kind 1 is built in. Pair types are built in too, but are the first ones of
// kind 2. Handles are integers here, so this is also predefined(MPI_Op).
bool predefined(MPI_Datatype handle) {
  constexpr auto first_pair = static_cast<unsigned>(MPI_FLOAT_INT);
  constexpr auto last_pair = static_cast<unsigned>(MPI_LONG_DOUBLE_INT);
  const auto bits = static_cast<unsigned>(handle);
  return bits >> 30 == 1 || bits - first_pair <= last_pair - first_pair;
}

#endif

}  // namespace starling
