// Types of every combiner, made of types of every combiner: moved by collectives, and reduced by an operator of the
// program's. Each byte's place follows from a model of the type, so MPI is asked for bounds only. Prints how many
// results are wrong.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int count = 2;  // elements of a block
constexpr unsigned char untouched = 0xEE;

int rank;
int ranks;
int faults;

/// A datatype and where each byte of its data lies, in the order of its signature.
struct Made {
  std::string name;
  MPI_Datatype handle;
  std::vector<std::ptrdiff_t> at;
  bool of_mpi = false;  ///< must not be freed
  std::ptrdiff_t extent = 0;
};

Made made(std::string name, MPI_Datatype handle, std::vector<std::ptrdiff_t> at, bool of_mpi = false) {
  Made one{std::move(name), handle, std::move(at), of_mpi};
  if (!of_mpi) PMPI_Type_commit(&one.handle);
  MPI_Aint lower;
  MPI_Aint extent;
  PMPI_Type_get_extent(handle, &lower, &extent);
  one.extent = extent;
  return one;
}

void discard(Made& one) {
  if (!one.of_mpi) MPI_Type_free(&one.handle);
}

std::vector<std::ptrdiff_t> placed(const Made& of, const std::vector<std::ptrdiff_t>& displacements) {
  std::vector<std::ptrdiff_t> all;
  for (const std::ptrdiff_t displacement : displacements)
    for (const std::ptrdiff_t at : of.at) all.push_back(displacement + at);
  return all;
}

/// At multiples of the extent.
std::vector<std::ptrdiff_t> repeated(const Made& of, std::vector<std::ptrdiff_t> places) {
  for (std::ptrdiff_t& place : places) place *= of.extent;
  return placed(of, places);
}

std::vector<std::ptrdiff_t> bytes(int size) {
  std::vector<std::ptrdiff_t> at(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::ptrdiff_t>(i);
  return at;
}

/// Predefined datatypes, with and without a name. An MPI library without Fortran may have none of Fortran's kinds.
std::vector<Made> of_mpi() {
  std::vector<Made> all{made("int", MPI_INT, bytes(4), true), made("double int", MPI_DOUBLE_INT, bytes(12), true)};
  const auto add = [&](const char* name, int error, MPI_Datatype handle) {
    if (error != MPI_SUCCESS || handle == MPI_DATATYPE_NULL) return;
    int size;
    PMPI_Type_size(handle, &size);
    all.push_back(made(name, handle, bytes(size), true));
  };
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  int error = MPI_Type_create_f90_real(12, MPI_UNDEFINED, &handle);
  add("f90 real", error, handle);
  error = MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &handle);
  add("f90 complex", error, handle);
  error = MPI_Type_create_f90_integer(9, &handle);
  add("f90 integer", error, handle);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION > 0)
  error = MPI_Type_get_value_index(MPI_INT64_T, MPI_INT64_T, &handle);
  add("value index", error, handle);
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return all;
}

/// MPI's constructors with counts of one width.
struct Narrow {
  static constexpr const char* suffix = "";
  using Count = int;
  using Address = MPI_Aint;
  static constexpr auto contiguous = MPI_Type_contiguous;
  static constexpr auto vector = MPI_Type_vector;
  static constexpr auto hvector = MPI_Type_create_hvector;
  static constexpr auto indexed = MPI_Type_indexed;
  static constexpr auto hindexed = MPI_Type_create_hindexed;
  static constexpr auto indexed_block = MPI_Type_create_indexed_block;
  static constexpr auto hindexed_block = MPI_Type_create_hindexed_block;
  static constexpr auto record = MPI_Type_create_struct;
  static constexpr auto subarray = MPI_Type_create_subarray;
  static constexpr auto darray = MPI_Type_create_darray;
  static constexpr auto resized = MPI_Type_create_resized;
};

#if MPI_VERSION >= 4
struct Wide {
  static constexpr const char* suffix = "_c";
  using Count = MPI_Count;
  using Address = MPI_Count;
  static constexpr auto contiguous = MPI_Type_contiguous_c;
  static constexpr auto vector = MPI_Type_vector_c;
  static constexpr auto hvector = MPI_Type_create_hvector_c;
  static constexpr auto indexed = MPI_Type_indexed_c;
  static constexpr auto hindexed = MPI_Type_create_hindexed_c;
  static constexpr auto indexed_block = MPI_Type_create_indexed_block_c;
  static constexpr auto hindexed_block = MPI_Type_create_hindexed_block_c;
  static constexpr auto record = MPI_Type_create_struct_c;
  static constexpr auto subarray = MPI_Type_create_subarray_c;
  static constexpr auto darray = MPI_Type_create_darray_c;
  static constexpr auto resized = MPI_Type_create_resized_c;
};
#endif

using Constructor = std::function<Made(const Made&)>;

template <class Form>
void add_constructors(std::vector<Constructor>& all) {
  using Count = typename Form::Count;
  using Address = typename Form::Address;
  const auto named = [](const char* combiner, const Made& of) {
    return std::string(combiner) + Form::suffix + "(" + of.name + ")";
  };
  MPI_Datatype made_of = MPI_DATATYPE_NULL;
  all.emplace_back([=](const Made& of) mutable {
    Form::contiguous(3, of.handle, &made_of);
    return made(named("contiguous", of), made_of, repeated(of, {0, 1, 2}));
  });
  all.emplace_back([=](const Made& of) mutable {
    Form::vector(2, 2, 3, of.handle, &made_of);
    return made(named("vector", of), made_of, repeated(of, {0, 1, 3, 4}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const std::ptrdiff_t stride = (3 * of.extent) + 16;
    Form::hvector(2, 2, stride, of.handle, &made_of);
    return made(named("hvector", of), made_of, placed(of, {0, of.extent, stride, stride + of.extent}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count lengths[]{1, 2};
    const Count places[]{3, 0};
    Form::indexed(2, lengths, places, of.handle, &made_of);
    return made(named("indexed", of), made_of, repeated(of, {3, 0, 1}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count lengths[]{1, 2};
    const Address places[]{(2 * of.extent) + 16, 0};
    Form::hindexed(2, lengths, places, of.handle, &made_of);
    return made(named("hindexed", of), made_of, placed(of, {(2 * of.extent) + 16, 0, of.extent}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count places[]{3, 0};
    Form::indexed_block(2, 2, places, of.handle, &made_of);
    return made(named("indexed block", of), made_of, repeated(of, {3, 4, 0, 1}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Address places[]{of.extent + 16, 0};
    Form::hindexed_block(2, 1, places, of.handle, &made_of);
    return made(named("hindexed block", of), made_of, placed(of, {of.extent + 16, 0}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count lengths[]{1, 3, 1};
    const Address places[]{3 * of.extent, of.extent, 0};
    MPI_Datatype types[]{of.handle, MPI_CHAR, of.handle};
    Form::record(3, lengths, places, types, &made_of);
    std::vector<std::ptrdiff_t> at = placed(of, {3 * of.extent});
    for (const std::ptrdiff_t letter : {0, 1, 2}) at.push_back(of.extent + letter);
    for (const std::ptrdiff_t other : of.at) at.push_back(other);
    return made(named("struct", of), made_of, std::move(at));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count sizes[]{2, 3};
    const Count parts[]{2, 2};
    const Count starts[]{0, 1};
    Form::subarray(2, sizes, parts, starts, MPI_ORDER_C, of.handle, &made_of);
    return made(named("subarray", of), made_of, repeated(of, {1, 2, 4, 5}));
  });
  all.emplace_back([=](const Made& of) mutable {
    const Count sizes[]{7};
    const int distributions[]{MPI_DISTRIBUTE_CYCLIC};
    const int blocks[]{2};
    const int grid[]{2};
    Form::darray(2, 1, 1, sizes, distributions, blocks, grid, MPI_ORDER_C, of.handle, &made_of);
    return made(named("darray", of), made_of, repeated(of, {2, 3, 6}));
  });
  all.emplace_back([=](const Made& of) mutable {
    Form::resized(of.handle, -16, of.extent + 32, &made_of);
    return made(named("resized", of), made_of, of.at);
  });
}

std::vector<Constructor> constructors() {
  std::vector<Constructor> all{[](const Made& of) {
    MPI_Datatype copy;
    MPI_Type_dup(of.handle, &copy);
    return made("dup(" + of.name + ")", copy, of.at);
  }};
  add_constructors<Narrow>(all);
#if MPI_VERSION >= 4
  add_constructors<Wide>(all);
#endif
  return all;
}

/// The memory around a type's elements, with gaps.
class Image {
 public:
  Image(const Made& type, int elements) : type_(&type) {
    const auto [low, high] = std::minmax_element(type.at.begin(), type.at.end());
    const std::ptrdiff_t last = (elements - 1) * type.extent;
    before_ = std::max<std::ptrdiff_t>(0, -(*low + std::min<std::ptrdiff_t>(0, last)));
    bytes_.assign(static_cast<std::size_t>(before_ + *high + 1 + std::max<std::ptrdiff_t>(0, last)), untouched);
  }
  [[nodiscard]] void* data() { return bytes_.data() + before_; }
  unsigned char& at(std::ptrdiff_t element, std::size_t byte) {
    return bytes_[static_cast<std::size_t>(before_ + (element * type_->extent) + type_->at[byte])];
  }
  /// Block `block` that rank `from` has for rank `to`.
  void fill(int block, int from, int to) {
    each(block, [&](std::size_t i) { return value(from, to, i); });
  }
  void fill(int block, const std::function<unsigned char(std::size_t)>& of) { each(block, of); }
  static unsigned char value(int from, int to, std::size_t i) {
    return static_cast<unsigned char>(((((from * 131) + to) * 31 + static_cast<int>(i)) * 2654435761U) >> 11U);
  }
  bool operator==(const Image& other) const { return bytes_ == other.bytes_; }

 private:
  void each(int block, const std::function<unsigned char(std::size_t)>& of) {
    for (int element = 0; element < count; ++element)
      for (std::size_t i = 0; i < type_->at.size(); ++i)
        at((block * count) + element, i) = of((static_cast<std::size_t>(element) * type_->at.size()) + i);
  }

  const Made* type_;
  std::ptrdiff_t before_;
  std::vector<unsigned char> bytes_;
};

void expect(const char* what, const Made& type, const Image& got, const Image& wanted) {
  if (got == wanted) return;
  if (faults++ < 10) std::fprintf(stderr, "rank %d: %s of %s is wrong\n", rank, what, type.name.c_str());
}

void move(const Made& type) {
  const int root = static_cast<int>(type.name.size()) % ranks;
  MPI_Datatype block;
  MPI_Type_contiguous(count, type.handle, &block);
  MPI_Type_commit(&block);
  std::vector<int> counts(static_cast<std::size_t>(ranks), count);
  std::vector<int> places;
  std::vector<int> byte_places;
  std::vector<MPI_Datatype> types;
  for (int i = 0; i < ranks; ++i) {
    places.push_back((ranks - 1 - i) * count);
    byte_places.push_back(static_cast<int>(places.back() * type.extent));
    types.push_back(type.handle);
  }
  Image mine(type, count);
  mine.fill(0, rank, 0);
  Image for_all(type, ranks * count);
  for (int i = 0; i < ranks; ++i) for_all.fill(i, rank, i);
  Image from_all(type, ranks * count);
  Image from_all_backwards(type, ranks * count);
  Image exchanged(type, ranks * count);
  Image exchanged_backwards(type, ranks * count);
  for (int i = 0; i < ranks; ++i) {
    from_all.fill(i, i, 0);
    from_all_backwards.fill(ranks - 1 - i, i, 0);
    exchanged.fill(i, i, rank);
    exchanged_backwards.fill(ranks - 1 - i, i, ranks - 1 - rank);
  }
  const Image nothing(type, ranks * count);

  Image wanted(type, count);
  wanted.fill(0, root, 0);
  Image one = rank == root ? mine : Image(type, count);
  MPI_Bcast(one.data(), rank == root ? 1 : count, rank == root ? block : type.handle, root, MPI_COMM_WORLD);
  expect("bcast", type, one, wanted);

  Image all = nothing;
  MPI_Allgather(mine.data(), 1, block, all.data(), count, type.handle, MPI_COMM_WORLD);
  expect("allgather", type, all, from_all);

  all = nothing;
  all.fill(rank, rank, 0);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, type.handle, MPI_COMM_WORLD);
  expect("allgather in place", type, all, from_all);

  all = nothing;
  MPI_Allgatherv(mine.data(), count, type.handle, all.data(), counts.data(), places.data(), type.handle,
                 MPI_COMM_WORLD);
  expect("allgatherv", type, all, from_all_backwards);

  all = nothing;
  MPI_Gather(mine.data(), count, type.handle, all.data(), count, type.handle, root, MPI_COMM_WORLD);
  expect("gather", type, all, rank == root ? from_all : nothing);

  all = nothing;
  MPI_Gatherv(mine.data(), count, type.handle, all.data(), counts.data(), places.data(), type.handle, root,
              MPI_COMM_WORLD);
  expect("gatherv", type, all, rank == root ? from_all_backwards : nothing);

  wanted.fill(0, root, rank);
  one = Image(type, count);
  MPI_Scatter(for_all.data(), count, type.handle, one.data(), count, type.handle, root, MPI_COMM_WORLD);
  expect("scatter", type, one, wanted);

  wanted.fill(0, root, ranks - 1 - rank);
  one = Image(type, count);
  MPI_Scatterv(for_all.data(), counts.data(), places.data(), type.handle, one.data(), count, type.handle, root,
               MPI_COMM_WORLD);
  expect("scatterv", type, one, wanted);

  all = nothing;
  MPI_Alltoall(for_all.data(), count, type.handle, all.data(), count, type.handle, MPI_COMM_WORLD);
  expect("alltoall", type, all, exchanged);

  all = nothing;
  MPI_Alltoallv(for_all.data(), counts.data(), places.data(), type.handle, all.data(), counts.data(), places.data(),
                type.handle, MPI_COMM_WORLD);
  expect("alltoallv", type, all, exchanged_backwards);

  all = nothing;
  MPI_Alltoallw(for_all.data(), counts.data(), byte_places.data(), types.data(), all.data(), counts.data(),
                byte_places.data(), types.data(), MPI_COMM_WORLD);
  expect("alltoallw", type, all, exchanged_backwards);
  MPI_Type_free(&block);
}

const Made* reduced;

/// Sums bytes, wherever they lie in an element of `reduced`.
void add_bytes(void* in, void* inout, int* elements, MPI_Datatype* /*type*/) {
  for (std::ptrdiff_t element = 0; element < *elements; ++element)
    for (const std::ptrdiff_t at : reduced->at) {
      const std::ptrdiff_t place = (element * reduced->extent) + at;
      auto& sum = static_cast<unsigned char*>(inout)[place];
      sum = static_cast<unsigned char>(sum + static_cast<unsigned char*>(in)[place]);
    }
}

void reduce(const Made& type, MPI_Op add) {
  reduced = &type;
  const auto sum_to = [](int from, int last) {
    return [=](std::size_t i) {
      unsigned char sum = 0;
      for (int other = from; other <= last; ++other) sum = static_cast<unsigned char>(sum + Image::value(other, 0, i));
      return sum;
    };
  };
  Image mine(type, count);
  mine.fill(0, rank, 0);
  Image wanted(type, count);
  wanted.fill(0, sum_to(0, ranks - 1));

  Image one(type, count);
  MPI_Allreduce(mine.data(), one.data(), count, type.handle, add, MPI_COMM_WORLD);
  expect("allreduce", type, one, wanted);

  one = mine;
  MPI_Allreduce(MPI_IN_PLACE, one.data(), count, type.handle, add, MPI_COMM_WORLD);
  expect("allreduce in place", type, one, wanted);

#ifdef MPICH_VERSION
  // MPICH 5.0 frees an invalid pointer where data does not begin at the element's address.
  const bool reduces = *std::min_element(type.at.begin(), type.at.end()) == 0;
#else
  const bool reduces = true;
#endif
  one = Image(type, count);
  if (reduces) {
    MPI_Reduce(mine.data(), one.data(), count, type.handle, add, 1, MPI_COMM_WORLD);
    expect("reduce", type, one, rank == 1 ? wanted : Image(type, count));
  }

  wanted.fill(0, sum_to(0, rank));
  one = Image(type, count);
  MPI_Scan(mine.data(), one.data(), count, type.handle, add, MPI_COMM_WORLD);
  expect("scan", type, one, wanted);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Op add;
  MPI_Op_create(add_bytes, 1, &add);
  int types = 0;
  const auto try_out = [&](const Made& type) {
    move(type);
    reduce(type, add);
    ++types;
  };

  const std::vector<Made> basic = of_mpi();
  const std::vector<Constructor> all = constructors();
  for (const Made& leaf : basic) {
    try_out(leaf);
    for (const Constructor& outer_of : all) {
      Made outer = outer_of(leaf);
      try_out(outer);
      discard(outer);
    }
  }
  constexpr std::size_t kinds = 12;  // the first ones; the same with large counts follow
  for (std::size_t inner_of = 0; inner_of < all.size(); ++inner_of) {
    for (std::size_t outer_of = 0; outer_of < all.size(); ++outer_of) {
      // Both with counts of one width.
      if ((inner_of < kinds) != (outer_of < kinds)) continue;
      Made inner = all[inner_of](basic[(inner_of + outer_of) % basic.size()]);
      Made outer = all[outer_of](inner);
      // The parts of a type may be freed before it, and their handles reused.
      if (outer_of % 2 == 0) discard(inner);
      try_out(outer);
      if (outer_of % 2 != 0) discard(inner);
      discard(outer);
    }
  }
  MPI_Op_free(&add);
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%zu of MPI's own, %d types, %d faults\n", basic.size(), types, total);
  MPI_Finalize();
  return total ? 1 : 0;
}
