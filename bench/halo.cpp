// Halo exchange by each implementation against one written by hand: halo DIMENSIONS INNER WIDTH CALLS BLOCKS
//
// Every rank of a grid, periodic where there are several ranks, has an array of doubles with INNER cells along each
// dimension and a halo of WIDTH. Blocks of CALLS exchanges alternate: by hand (MPI_Irecv, MPI_Isend and MPI_Waitall on
// subarray types; the same on packed bytes), then by each implementation. Rank 0 prints a line for each: name, median
// of microseconds an exchange over the blocks, and the median of its ratio to the exchange by hand with the same
// handling in the same block. Linked with the runtime, without its entry points, as tests/mpi/halo.cpp is.
#include "runtime/exchange/halo.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace {

using namespace starling::neighborhood;

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// What a program would write for its own arrays.
class ByHand {
 public:
  ByHand(MPI_Comm comm, const HaloPattern& pattern, const HaloArray& array, double* data)
      : comm_(comm), pattern_(pattern), array_(array), data_(data) {
    for (const Round& round : pattern.rounds.all) {
      if (round.to < 0) continue;
      rounds_.push_back(round);
      out_.push_back(subarray(pattern.sends[at(round.send)]));
      in_.push_back(subarray(pattern.receives[at(round.receive)]));
      packed_out_.emplace_back(cells(pattern.sends[at(round.send)]));
      packed_in_.emplace_back(cells(pattern.receives[at(round.receive)]));
    }
    requests_.resize(2 * out_.size());
  }
  ~ByHand() {
    for (auto* const types : {&out_, &in_})
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;
  ByHand(ByHand&&) = delete;
  ByHand& operator=(ByHand&&) = delete;

  void exchange(bool packs) {
    const std::vector<Round>& rounds = rounds_;
    MPI_Request* request = requests_.data();
    for (std::size_t i = 0; i < rounds.size(); ++i, ++request) {
      if (packs) {
        MPI_Irecv(packed_in_[i].data(), static_cast<int>(packed_in_[i].size()), MPI_DOUBLE, rounds[i].from, 0, comm_,
                  request);
      } else {
        MPI_Irecv(data_, 1, in_[i], rounds[i].from, 0, comm_, request);
      }
    }
    for (std::size_t i = 0; i < rounds.size(); ++i, ++request) {
      if (packs) {
        copy(pattern_.sends[at(rounds[i].send)], packed_out_[i], true);
        MPI_Isend(packed_out_[i].data(), static_cast<int>(packed_out_[i].size()), MPI_DOUBLE, rounds[i].to, 0, comm_,
                  request);
      } else {
        MPI_Isend(data_, 1, out_[i], rounds[i].to, 0, comm_, request);
      }
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    if (!packs) return;
    for (std::size_t i = 0; i < rounds.size(); ++i)
      copy(pattern_.receives[at(rounds[i].receive)], packed_in_[i], false);
  }

 private:
  [[nodiscard]] MPI_Datatype subarray(const Box& box) const {
    MPI_Datatype made{};
    MPI_Type_create_subarray(array_.dimensions, array_.cells.data(), box.size.data(), box.from.data(), MPI_ORDER_C,
                             MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
  }
  [[nodiscard]] std::size_t cells(const Box& box) const {
    std::size_t count = 1;
    for (int d = 0; d < array_.dimensions; ++d) count *= at(box.size[at(d)]);
    return count;
  }
  /// In three dimensions; dimensions before them have one cell.
  void copy(const Box& box, std::vector<double>& packed, bool out) {
    const auto extent = [&](const PerDimension& of, int d) { return d < 0 ? 1 : of[at(d)]; };
    const auto first = [&](int d) { return d < 0 ? 0 : box.from[at(d)]; };
    const int n = array_.dimensions;
    double* next = packed.data();
    for (int i = 0; i < extent(box.size, n - 3); ++i)
      for (int j = 0; j < extent(box.size, n - 2); ++j) {
        double* const line =
            data_ +
            (((static_cast<std::ptrdiff_t>(first(n - 3) + i) * extent(array_.cells, n - 2)) + first(n - 2) + j) *
             array_.cells[at(n - 1)]) +
            first(n - 1);
        const int length = box.size[at(n - 1)];
        if (out) {
          for (int k = 0; k < length; ++k) next[k] = line[k];
        } else {
          for (int k = 0; k < length; ++k) line[k] = next[k];
        }
        next += length;
      }
  }

  MPI_Comm comm_;
  HaloPattern pattern_;
  HaloArray array_;
  double* data_;
  std::vector<Round> rounds_;  ///< with a partner
  std::vector<MPI_Datatype> out_, in_;
  std::vector<std::vector<double>> packed_out_, packed_in_;
  std::vector<MPI_Request> requests_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Exchange>
double microseconds(int calls, Exchange exchange) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) exchange();
  double mine = (MPI_Wtime() - start) / calls * 1e6;
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void measure(const std::array<int, 5>& numbers) {
  const auto [dimensions, inner, width, calls, blocks] = numbers;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Grid grid{.dimensions = dimensions, .ranks = {}};
  MPI_Dims_create(ranks, dimensions, grid.ranks.data());
  for (int d = 0; d < dimensions; ++d) grid.periodic[at(d)] = grid.ranks[at(d)] > 1 ? 1 : 0;
  HaloArray array{.dimensions = dimensions, .width = width};
  std::size_t cells = 1;
  for (int d = 0; d < dimensions; ++d) {
    array.cells[at(d)] = inner + (2 * width);
    cells *= at(array.cells[at(d)]);
  }
  std::vector<double> memory(cells, rank);
  const HaloPattern pattern = halo_pattern(grid, rank, Corners::none, array, array);
  const HaloData data{memory.data(), array, 1, MPI_DOUBLE, Order::c};
  std::string mistake;
  const auto exchange = HaloExchange::make(MPI_COMM_WORLD, pattern, data, data, mistake);
  if (!exchange) {
    std::fprintf(stderr, "halo: %s\n", mistake.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm comm{};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    ByHand hand(comm, pattern, array, memory.data());
    const auto& all = implementations();
    std::vector<std::vector<double>> times(all.size());
    std::vector<std::vector<double>> ratios(all.size());
    std::array<std::vector<double>, 2> by_hand;
    for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(exchange->refusal(i));
    for (int block = 0; block <= blocks; ++block) {
      std::array<double, 2> now{};
      for (const bool packs : {false, true}) {
        now.at(packs ? 1 : 0) = microseconds(calls, [&] { hand.exchange(packs); });
        if (block > 0) by_hand.at(packs ? 1 : 0).push_back(now.at(packs ? 1 : 0));
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!exchange->refusal(i).empty()) continue;
        const double one = microseconds(calls, [&] {
          exchange->start(i);
          exchange->wait();
        });
        if (block == 0) continue;  // warms up
        times[i].push_back(one);
        ratios[i].push_back(one / now.at(all[i].handling == Handling::pack ? 1 : 0));
      }
    }
    if (rank == 0) {
      std::printf("by_hand %.2f 1\nby_hand_pack %.2f 1\n", median(by_hand[0]), median(by_hand[1]));
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!times[i].empty())
          std::printf("%s %.2f %.3f\n", all[i].name().c_str(), median(times[i]), median(ratios[i]));
    }
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: halo DIMENSIONS INNER WIDTH CALLS BLOCKS\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  starling::resolve_pmpi();
  starling::Process& here = starling::process();
  MPI_Comm_dup(MPI_COMM_SELF, &here.self);
  std::array<int, 5> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::atoi(argv[i + 1]);
  measure(numbers);
  MPI_Comm_free(&here.self);
  MPI_Finalize();
  return 0;
}
