// Halo exchange in every implementation on random grids: what each cell should hold follows from its place in the whole
// array. Linked with the runtime, without its entry points. Prints how many exchanges were right.
//
//   halo SEED CASES
#include "runtime/exchange/halo.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "neighborhood/checker.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling::neighborhood {
namespace {

constexpr int untouched = -1;

/// Elements of a cell in memory, in ints: which of them are data.
struct Element {
  MPI_Datatype type;
  std::vector<bool> is_data;
};

/// One random case, the same on all ranks but for the rank's own arrays.
struct Case {
  Grid grid;
  BlockSizes inner;
  int width;
  Corners corners;
  int values;
  Order order;
  bool one_array;
  const Element* element;
};

class Draw {
 public:
  Draw(unsigned seed, int ranks) : random_(seed), ranks_(ranks) {}

  Case next(const std::array<Element, 3>& elements) {
    Case drawn{};
    Grid& grid = drawn.grid;
    grid.dimensions = number(1, most_dimensions);
    PerDimension sides{};
    MPI_Dims_create(ranks_, grid.dimensions, sides.data());
    std::shuffle(sides.begin(), sides.begin() + grid.dimensions, random_);
    grid.ranks = sides;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) grid.periodic[d] = number(0, 1);
    drawn.width = number(1, grid.dimensions == 4 ? 2 : 3);
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d)
      for (int c = 0; c < grid.ranks[d]; ++c) drawn.inner[d].push_back(drawn.width + number(0, 3));
    drawn.corners = static_cast<Corners>(number(0, 2));
    drawn.values = number(1, 3);
    drawn.order = number(0, 1) == 0 ? Order::c : Order::fortran;
    drawn.one_array = number(0, 2) > 0;
    drawn.element = &elements.at(static_cast<std::size_t>(number(0, 2)));
    return drawn;
  }
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  std::mt19937 random_;
  int ranks_;
};

/// The place in memory of a cell that is number `cell` in C's order.
std::size_t place_in_memory(const HaloArray& array, Order order, int cell) {
  if (order == Order::c) return static_cast<std::size_t>(cell);
  std::size_t place = 0;
  std::size_t stride = 1;
  std::array<int, most_dimensions> index{};
  for (int d = array.dimensions - 1; d >= 0; --d) {
    index[static_cast<std::size_t>(d)] = cell % array.cells[static_cast<std::size_t>(d)];
    cell /= array.cells[static_cast<std::size_t>(d)];
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.dimensions); ++d) {
    place += stride * static_cast<std::size_t>(index[d]);
    stride *= static_cast<std::size_t>(array.cells[d]);
  }
  return place;
}

/// The array with these symbols in its cells.
std::vector<int> filled(const Case& one, const HaloArray& array, const std::vector<std::int64_t>& symbols) {
  const std::size_t ints = one.element->is_data.size();
  const std::size_t ints_of_cell = ints * static_cast<std::size_t>(one.values);
  std::vector<int> memory(symbols.size() * ints_of_cell, untouched);
  for (std::size_t cell = 0; cell < symbols.size(); ++cell) {
    if (symbols[cell] < 0) continue;
    const std::size_t start = place_in_memory(array, one.order, static_cast<int>(cell)) * ints_of_cell;
    for (std::size_t i = 0; i < ints_of_cell; ++i)
      if (one.element->is_data[i % ints])
        memory[start + i] = (static_cast<int>(symbols[cell]) * 32) + static_cast<int>(i);
  }
  return memory;
}

struct Tally {
  int right = 0;
  int wrong = 0;
  int refused = 0;
};

void try_case(const Case& one, Draw& own, Tally& tally) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const RankToCheck expected =
      halos_to_check(one.grid, one.inner, one.width, one.corners).at(static_cast<std::size_t>(rank));
  HaloArray array{.dimensions = one.grid.dimensions, .width = one.width};
  const PerDimension coordinates = one.grid.coordinates(rank);
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.dimensions); ++d)
    array.cells[d] = one.inner[d][static_cast<std::size_t>(coordinates[d])] + (2 * one.width);

  const std::vector<int> start = filled(one, array, expected.before);
  const std::vector<int> end = filled(one, array, expected.after);
  std::vector<int> other_end = end;  // of an array that only receives: its inner cells stay untouched
  for (std::size_t i = 0; i < end.size(); ++i)
    if (start[i] != untouched) other_end[i] = untouched;
  std::vector<int> sending;
  std::vector<int> receiving;
  sending.resize(start.size());
  receiving.resize(start.size());

  std::string mistake;
  const HaloPattern pattern = halo_pattern(one.grid, rank, one.corners, array, array);
  const HaloData send{sending.data(), array, one.values, one.element->type, one.order};
  const HaloData receive{one.one_array ? sending.data() : receiving.data(), array, one.values, one.element->type,
                         one.order};
  const auto exchange = HaloExchange::make(MPI_COMM_WORLD, pattern, send, receive, mistake);
  if (!exchange) {
    std::printf("rank %d: %s\n", rank, mistake.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (std::size_t number = 0; number < implementations().size(); ++number) {
    if (!exchange->refusal(number).empty()) {
      ++tally.refused;
      continue;
    }
    for (int turn = 0; turn < 2; ++turn) {
      sending = start;
      receiving.assign(start.size(), untouched);
      // One-sided transfers read and write a neighbour's array as soon as it has begun.
      exchange->start(number);
      for (int i = own.number(0, 3); i > 0; --i) exchange->progress();
      const int error = exchange->wait();
      const bool right =
          error == MPI_SUCCESS && (one.one_array ? sending == end : sending == start && receiving == other_end);
      ++(right ? tally.right : tally.wrong);
      if (!right) {
        std::size_t at = 0;
        const std::vector<int>& has = one.one_array ? sending : receiving;
        const std::vector<int>& wants = one.one_array ? end : other_end;
        while (at + 1 < has.size() && has[at] == wants[at]) ++at;
        std::printf("rank %d: %s is wrong, error %d, element %zu of %zu: %d, not %d; %d dimensions, corners %d\n", rank,
                    implementations()[number].name().c_str(), error, at, has.size(), has[at], wants[at],
                    one.grid.dimensions, static_cast<int>(one.corners));
      }
    }
  }
}

/// Arrays that do not fit together are refused on all ranks, with a sentence on those who see it. On several ranks.
bool misfits_are_refused() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Grid grid{.dimensions = 2, .ranks = {ranks, 1}, .periodic = {1, 0}};
  std::vector<int> memory(1000);
  const auto refused = [&](const HaloArray& array, int values, const char* words) {
    std::string mistake;
    const HaloData data{memory.data(), array, values, handles.int_, Order::c};
    const auto made =
        HaloExchange::make(MPI_COMM_WORLD, halo_pattern(grid, rank, Corners::none, array, array), data, data, mistake);
    const bool tells = mistake.find(words) != std::string::npos || mistake.find("another rank") != std::string::npos;
    if (made || !tells) std::printf("rank %d: \"%s\" lacks \"%s\"\n", rank, mistake.c_str(), words);
    return !made && tells;
  };
  const int odd = rank == 0 ? 1 : 0;
  bool all = refused({2, {6, 6 + odd}, 1}, 1, "must fit together");
  all = refused({2, {6, 6}, 1}, 1 + odd, "a cell has") && all;
  all = refused({2, {6, 6 - (2 * odd)}, 2}, 1, "make the halo narrower") && all;
  all = refused({2, {6, 6}, 1}, -odd, "it must have 1 or more") && all;
  return all;
}

}  // namespace
}  // namespace starling::neighborhood

int main(int argc, char** argv) {
  using namespace starling;
  MPI_Init(&argc, &argv);
  resolve_pmpi();
  Process& here = process();
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.size);
  MPI_Comm_dup(MPI_COMM_SELF, &here.self);
  std::array<neighborhood::Element, 3> elements{
      {{MPI_INT, {true}}, {MPI_DOUBLE, {true, true}}, {MPI_DATATYPE_NULL, {true, false, true}}}};
  MPI_Datatype with_gap{};
  MPI_Type_vector(2, 1, 2, MPI_INT, &with_gap);
  MPI_Type_commit(&with_gap);
  elements[2].type = with_gap;
  {
    const auto seed = static_cast<unsigned>(std::atoi(argv[1]));
    neighborhood::Draw cases(seed, here.size);
    neighborhood::Draw own(seed + 1000 + static_cast<unsigned>(here.rank), here.size);
    neighborhood::Tally mine;
    for (int i = 0; i < std::atoi(argv[2]); ++i) neighborhood::try_case(cases.next(elements), own, mine);
    const int misfits = here.size == 1 || neighborhood::misfits_are_refused() ? 0 : 1;
    const std::array<int, 4> counts{mine.right, mine.wrong, mine.refused, misfits};
    std::array<int, 4> all{};
    MPI_Reduce(counts.data(), all.data(), 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (here.rank == 0)
      std::printf("%d right, %d wrong, %d refused, %d misfits accepted\n", all[0], all[1], all[2], all[3]);
  }
  MPI_Type_free(&with_gap);
  MPI_Comm_free(&here.self);
  MPI_Finalize();
  return 0;
}
