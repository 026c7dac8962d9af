#include "runtime/execution/neighbours.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

/// What a rank sends along each of its links in place of data.
struct Label {
  int rank = -1;
  int block = -1;
};
constexpr int ints_of_label = sizeof(Label) / sizeof(int);

int exchange_labels(const Call& call, const Degrees& degrees, std::vector<Label>& sent, std::vector<Label>& received) {
  const auto sends = static_cast<std::size_t>(degrees.sends);
  const auto receives = static_cast<std::size_t>(degrees.receives);
  const auto most = std::max<std::size_t>({sends, receives, 1});
  const std::vector<int> counts(most, ints_of_label);
  const std::vector<MPI_Datatype> types(most, handles.int_);
  std::vector<int> places(most);
  std::vector<MPI_Aint> addresses(most);
  for (std::size_t i = 0; i < most; ++i) {
    places[i] = static_cast<int>(i) * ints_of_label;
    addresses[i] = static_cast<MPI_Aint>(i * sizeof(Label));
  }
  switch (call.collective) {
    case Collective::neighbor_alltoallv:
      return pmpi.Neighbor_alltoallv(sent.data(), counts.data(), places.data(), handles.int_, received.data(),
                                     counts.data(), places.data(), handles.int_, call.comm);
    case Collective::neighbor_alltoallw:
      return pmpi.Neighbor_alltoallw(sent.data(), counts.data(), addresses.data(), types.data(), received.data(),
                                     counts.data(), addresses.data(), types.data(), call.comm);
    default:
      return pmpi.Neighbor_alltoall(sent.data(), ints_of_label, handles.int_, received.data(), ints_of_label,
                                    handles.int_, call.comm);
  }
}

/// The links of all ranks, in the same order on all of them. `received` are the labels that reached this rank.
int gather_links(const Call& call, int ranks, const std::vector<Label>& received,
                 std::vector<neighborhood::Link>& links) {
  const int count = static_cast<int>(received.size()) * ints_of_label;
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  if (const int error = pmpi.Allgather(&count, 1, handles.int_, counts.data(), 1, handles.int_, call.comm);
      error != MPI_SUCCESS)
    return error;
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  std::vector<Label> all(static_cast<std::size_t>(starts.back() + counts.back()) / ints_of_label);
  const int error = pmpi.Allgatherv(received.data(), count, handles.int_, all.data(), counts.data(), starts.data(),
                                    handles.int_, call.comm);
  if (error != MPI_SUCCESS) return error;
  std::size_t next = 0;
  for (int to = 0; to < ranks; ++to)
    for (int block = 0; block < counts[static_cast<std::size_t>(to)] / ints_of_label; ++block, ++next)
      if (all[next].rank >= 0) links.push_back({all[next].rank, all[next].block, to, block});
  return MPI_SUCCESS;
}

}  // namespace

const neighborhood::Rounds* Neighbours::rounds(const Call& call, int rank, int ranks, Channel& channel) {
  const Kind kind = call.collective == Collective::neighbor_alltoallv   ? uneven
                    : call.collective == Collective::neighbor_alltoallw ? mixed
                                                                        : even;
  auto& known = rounds_.at(kind);
  if (known) return &*known;
  const Degrees degrees = degrees_of(call.comm);
  // MPICH wants an address even where there is no link.
  std::vector<Label> sent(static_cast<std::size_t>(std::max(1, degrees.sends)));
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = {rank, static_cast<int>(i)};
  std::vector<Label> received(static_cast<std::size_t>(std::max(1, degrees.receives)));
  const int error = exchange_labels(call, degrees, sent, received);
  received.resize(static_cast<std::size_t>(degrees.receives));
  // Only on a grid may a link have nobody at its other end. MPICH 4.0 loses blocks of MPI_Neighbor_alltoallw.
  const bool all_there = degrees.is_grid || std::all_of(received.begin(), received.end(),
                                                        [](const Label& label) { return label.rank >= 0; });
  if (!channel.all(error == MPI_SUCCESS && all_there)) return nullptr;
  std::vector<neighborhood::Link> links;
  if (!channel.all(gather_links(call, ranks, received, links) == MPI_SUCCESS)) return nullptr;
  known = neighborhood::rounds_on(links, ranks, rank);
  return &*known;
}

}  // namespace starling
