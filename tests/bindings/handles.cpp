// With what src/runtime/mpi says of the loaded library, all for the MPI of the compiler: checks that it finds MPI's own
// handles, that predefined() distinguishes MPI's handles from the program's, and that plain_sum() adds as MPI does.
// Prints errors.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/mpi/flavour.cpp"
#include "runtime/mpi/loaded.cpp"
#include "runtime/mpi/plain_sum.cpp"
#include "runtime/mpi/pmpi.cpp"
#include "runtime/mpi/repaired.cpp"

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

const std::vector<MPI_Datatype> types{MPI_CHAR,
                                      MPI_SIGNED_CHAR,
                                      MPI_UNSIGNED_CHAR,
                                      MPI_BYTE,
                                      MPI_WCHAR,
                                      MPI_SHORT,
                                      MPI_UNSIGNED_SHORT,
                                      MPI_INT,
                                      MPI_UNSIGNED,
                                      MPI_LONG,
                                      MPI_UNSIGNED_LONG,
                                      MPI_FLOAT,
                                      MPI_DOUBLE,
                                      MPI_LONG_DOUBLE,
                                      MPI_LONG_LONG,
                                      MPI_UNSIGNED_LONG_LONG,
                                      MPI_C_BOOL,
                                      MPI_INT8_T,
                                      MPI_INT16_T,
                                      MPI_INT32_T,
                                      MPI_INT64_T,
                                      MPI_UINT8_T,
                                      MPI_UINT16_T,
                                      MPI_UINT32_T,
                                      MPI_UINT64_T,
                                      MPI_AINT,
                                      MPI_COUNT,
                                      MPI_OFFSET,
                                      MPI_C_COMPLEX,
                                      MPI_C_FLOAT_COMPLEX,
                                      MPI_C_DOUBLE_COMPLEX,
                                      MPI_C_LONG_DOUBLE_COMPLEX,
                                      MPI_FLOAT_INT,
                                      MPI_DOUBLE_INT,
                                      MPI_LONG_INT,
                                      MPI_SHORT_INT,
                                      MPI_2INT,
                                      MPI_LONG_DOUBLE_INT,
                                      MPI_PACKED,
                                      MPI_CXX_BOOL,
                                      MPI_CXX_FLOAT_COMPLEX,
                                      MPI_CXX_DOUBLE_COMPLEX,
                                      MPI_CXX_LONG_DOUBLE_COMPLEX,
                                      MPI_INTEGER,
                                      MPI_REAL,
                                      MPI_DOUBLE_PRECISION,
                                      MPI_COMPLEX,
                                      MPI_DOUBLE_COMPLEX,
                                      MPI_LOGICAL,
                                      MPI_CHARACTER,
                                      MPI_INTEGER1,
                                      MPI_INTEGER2,
                                      MPI_INTEGER4,
                                      MPI_INTEGER8,
                                      MPI_REAL4,
                                      MPI_REAL8,
                                      MPI_2INTEGER,
                                      MPI_2REAL,
                                      MPI_2DOUBLE_PRECISION};

const std::vector<MPI_Op> ops{MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_MAXLOC, MPI_MINLOC,  MPI_BAND,
                              MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR,   MPI_REPLACE, MPI_NO_OP};

void ignore(void* /*in*/, void* /*inout*/, int* /*count*/, MPI_Datatype* /*type*/) {}

#if MPI_VERSION >= 5
int in_fortran_comm(MPI_Comm handle) {
  return MPI_Comm_toint(handle);
}
int in_fortran_type(MPI_Datatype handle) {
  return MPI_Type_toint(handle);
}
int in_fortran_op(MPI_Op handle) {
  return MPI_Op_toint(handle);
}
#else
int in_fortran_comm(MPI_Comm handle) {
  return MPI_Comm_c2f(handle);
}
int in_fortran_type(MPI_Datatype handle) {
  return MPI_Type_c2f(handle);
}
int in_fortran_op(MPI_Op handle) {
  return MPI_Op_c2f(handle);
}
#endif

void check_handles() {
  using starling::handles;
  expect(handles.comm_world == MPI_COMM_WORLD, "comm_world");
  expect(handles.comm_self == MPI_COMM_SELF, "comm_self");
  expect(handles.comm_null == MPI_COMM_NULL, "comm_null");
  expect(handles.byte == MPI_BYTE, "byte");
  expect(handles.char_ == MPI_CHAR, "char_");
  expect(handles.int_ == MPI_INT, "int_");
  expect(handles.double_ == MPI_DOUBLE, "double_");
  expect(handles.int64 == MPI_INT64_T, "int64");
  expect(handles.datatype_null == MPI_DATATYPE_NULL, "datatype_null");
  expect(handles.op_null == MPI_OP_NULL, "op_null");
  expect(handles.sum == MPI_SUM && handles.min == MPI_MIN && handles.band == MPI_BAND, "sum, min, band");
  expect(handles.request_null == MPI_REQUEST_NULL, "request_null");
  expect(handles.errors_return == MPI_ERRORS_RETURN, "errors_return");
}

void check_predefined() {
  using starling::predefined;
  for (const MPI_Datatype type : types) expect(predefined(type), "a predefined type");
  for (const MPI_Op op : ops) expect(predefined(op), "a predefined operator");
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  MPI_Datatype copy;
  MPI_Type_dup(MPI_INT, &copy);
  MPI_Op own;
  MPI_Op_create(ignore, 1, &own);
  expect(!predefined(three), "a type of the program is no predefined one");
  expect(!predefined(copy), "a duplicate is no predefined type");
  expect(!predefined(own), "an operator of the program is no predefined one");
  MPI_Op_free(&own);
  MPI_Type_free(&copy);
  MPI_Type_free(&three);
}

/// At odd addresses, with results in a third buffer and in either of the two.
template <class Number>
void check_sum_of(MPI_Datatype type, const std::vector<Number>& values) {
  const starling::PlainSum sum = starling::plain_sum(MPI_SUM, type);
  expect(sum != nullptr, "a type that is summed without MPI");
  if (sum == nullptr) return;
  const int count = 37;  // no multiple of what one instruction adds
  const std::size_t bytes = count * sizeof(Number);
  std::vector<Number> left;
  std::vector<Number> right;
  for (std::size_t i = 0; left.size() < count; ++i) {
    left.push_back(values[i % values.size()]);
    right.push_back(values[(i + i / values.size()) % values.size()]);
  }
  std::vector<Number> expected = right;
  MPI_Reduce_local(left.data(), expected.data(), count, type, MPI_SUM);
  for (const int into : {0, 1, 2}) {
    std::vector<char> memory(3 * bytes + 2, 'x');
    char* const operands = memory.data() + 1;
    std::memcpy(operands, left.data(), bytes);
    std::memcpy(operands + bytes, right.data(), bytes);
    char* const result = operands + static_cast<std::size_t>(into) * bytes;
    sum(operands, operands + bytes, result, count);
    expect(std::memcmp(result, expected.data(), bytes) == 0, "a sum is MPI's");
    expect(memory.front() == 'x' && memory.back() == 'x', "nothing beside the result is written");
    if (into != 0) expect(std::memcmp(operands, left.data(), bytes) == 0, "an operand stays");
    if (into != 1) expect(std::memcmp(operands + bytes, right.data(), bytes) == 0, "the other operand stays");
  }
}

void check_sums() {
  check_sum_of<double>(MPI_DOUBLE, {1e308, -1e308, 0.1, 3.5e-320, -0.0});
  check_sum_of<float>(MPI_FLOAT, {3e38F, -3e38F, 0.1F, 1e-45F, -0.0F});
  check_sum_of<int>(MPI_INT, {1, -7, 1 << 29, -(1 << 29)});
  check_sum_of<std::int64_t>(MPI_INT64_T, {1, -7, std::int64_t{1} << 61, -(std::int64_t{1} << 61)});
  for (const MPI_Op op : ops)
    if (op != MPI_SUM) expect(starling::plain_sum(op, MPI_DOUBLE) == nullptr, "another operator is left to MPI");
  for (const MPI_Datatype type : {MPI_LONG_DOUBLE, MPI_SHORT, MPI_C_DOUBLE_COMPLEX, MPI_CHAR, MPI_DOUBLE_INT})
    expect(starling::plain_sum(MPI_SUM, type) == nullptr, "another type is left to MPI");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  expect(starling::active(), "active");
  starling::resolve_pmpi();
  check_handles();
  check_predefined();
  check_sums();
  expect(starling::pmpi.Comm_f2c(in_fortran_comm(MPI_COMM_SELF)) == MPI_COMM_SELF, "Comm_f2c");
  expect(starling::pmpi.Type_f2c(in_fortran_type(MPI_DOUBLE)) == MPI_DOUBLE, "Type_f2c");
  expect(starling::pmpi.Op_f2c(in_fortran_op(MPI_MAX)) == MPI_MAX, "Op_f2c");
  std::printf("%s %s wrong %d\n", starling::flavour().name.c_str(), starling::flavour().version.c_str(), wrong);
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
