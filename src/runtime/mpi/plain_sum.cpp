#include "runtime/mpi/plain_sum.hpp"

#include <cstring>

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

/// Numbers may lie at any address. Integers are unsigned: they wrap around, as in MPI libraries.
template <class Number>
void add(const char* left, const char* right, char* into, std::int64_t count) {
  // Where buffers are the same, each element is still its own.
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::int64_t byte = 0; byte != count * std::int64_t{sizeof(Number)}; byte += std::int64_t{sizeof(Number)}) {
    Number one;
    Number other;
    std::memcpy(&one, left + byte, sizeof one);
    std::memcpy(&other, right + byte, sizeof other);
    one += other;
    std::memcpy(into + byte, &one, sizeof one);
  }
}

}  // namespace

PlainSum plain_sum(MPI_Op op, MPI_Datatype type) {
  if (op != handles.sum) return nullptr;
  if (type == handles.double_) return add<double>;
  if (type == handles.float_) return add<float>;
  if (type == handles.int_) return add<unsigned>;
  if (type == handles.int64) return add<std::uint64_t>;
  return nullptr;
}

}  // namespace starling
