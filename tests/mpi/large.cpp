// Collectives of more than 2^31 bytes on 2 ranks: by a large type, and by large counts where the MPI has them, a
// reduction too. Each byte's value follows from its place, so no second copy is needed.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::int64_t chunk = 1 << 20;
constexpr std::int64_t chunks = 2049;  // 2^31 bytes and one chunk
constexpr std::int64_t rest = 17;
constexpr std::int64_t stride = 1021;

unsigned char expected(std::int64_t place, int salt) {
  return static_cast<unsigned char>((place * 2654435761LL >> 13) + salt);
}

void fill(std::vector<unsigned char>& data, std::int64_t from, std::int64_t bytes, int salt) {
  for (std::int64_t i = 0; i < bytes; i += stride) data[static_cast<std::size_t>(from + i)] = expected(i, salt);
}

int wrong(const char* what, const std::vector<unsigned char>& data, std::int64_t from, std::int64_t bytes, int salt) {
  for (std::int64_t i = 0; i < bytes; i += stride)
    if (data[static_cast<std::size_t>(from + i)] != expected(i, salt)) {
      std::fprintf(stderr, "%s: byte %lld is wrong\n", what, static_cast<long long>(from + i));
      return 1;
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int faults = 0;

  constexpr std::int64_t all = chunk * chunks;
  std::vector<unsigned char> data(static_cast<std::size_t>(all + rest));
  MPI_Datatype block;
  MPI_Type_contiguous(static_cast<int>(chunk), MPI_BYTE, &block);
  MPI_Type_commit(&block);

  if (rank == 1) fill(data, 0, all, 1);
  MPI_Bcast(data.data(), static_cast<int>(chunks), block, 1, MPI_COMM_WORLD);
  faults += wrong("bcast of a large type", data, 0, all, 1);

  constexpr std::int64_t half = all / 2 / chunk * chunk;
  fill(data, rank * half, half, 10 + rank);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), static_cast<int>(half / chunk), block, MPI_COMM_WORLD);
  for (int j = 0; j < ranks; ++j) faults += wrong("allgather of a large type", data, j * half, half, 10 + j);

#if MPI_VERSION >= 4
  if (rank == 0) fill(data, 0, all + rest, 2);
  MPI_Bcast_c(data.data(), all + rest, MPI_BYTE, 0, MPI_COMM_WORLD);
  faults += wrong("bcast of a large count", data, 0, all + rest, 2);

  // Every contribution matters: the same one twice cancels out.
  fill(data, 0, all + rest, 3 + rank);
  MPI_Allreduce_c(MPI_IN_PLACE, data.data(), all + rest, MPI_UNSIGNED_CHAR, MPI_BXOR, MPI_COMM_WORLD);
  for (std::int64_t i = 0; i < all + rest && faults == 0; i += stride)
    if (data[static_cast<std::size_t>(i)] != (expected(i, 3) ^ expected(i, 4))) {
      std::fprintf(stderr, "allreduce of a large count: byte %lld is wrong\n", static_cast<long long>(i));
      ++faults;
    }
#endif
  MPI_Type_free(&block);
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d faults\n", total);
  MPI_Finalize();
  return total ? 1 : 0;
}
