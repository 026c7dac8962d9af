#include "schedule/expectation.hpp"

namespace starling {
namespace {

/// `count` blocks from block `from` on, each combined over the ranks first, ..., last - 1.
std::vector<Content> vector_of(int count, int first, int last, int from = 0) {
  std::vector<Content> all;
  for (int block = from; block < from + count; ++block) all.push_back({block, first, last});
  return all;
}

/// Block i of rank i, for each rank, in `parts` parts.
std::vector<Content> one_of_each(int ranks, int parts = 1) {
  std::vector<Content> all;
  for (int block = 0; block < ranks * parts; ++block) all.push_back({block, block / parts, (block / parts) + 1});
  return all;
}

/// The block that each rank has for rank `rank`, in `parts` parts.
std::vector<Content> one_from_each(int ranks, int rank, int parts) {
  std::vector<Content> all;
  for (int from = 0; from < ranks; ++from)
    for (int part = 0; part < parts; ++part) all.push_back({(rank * parts) + part, from, from + 1});
  return all;
}

}  // namespace

Expectation expectation(Collective collective, int ranks, int blocks, int rank, int root) {
  Expectation all;
  const bool at_root = rank == root;
  all.parts = parts_of_a_block(collective, ranks, blocks);
  switch (collective) {
    case Collective::allgather:
    case Collective::allgatherv:
      all.send = vector_of(all.parts, rank, rank + 1, rank * all.parts);
      all.recv_after = one_of_each(ranks, all.parts);
      break;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      all.send = vector_of(ranks * all.parts, rank, rank + 1);
      all.recv_after = one_from_each(ranks, rank, all.parts);
      break;
    case Collective::allreduce:
      all.send = vector_of(blocks, rank, rank + 1);
      all.recv_after = vector_of(blocks, 0, ranks);
      break;
    case Collective::barrier: break;
    case Collective::bcast:
      if (at_root) all.recv_before = vector_of(blocks, root, root + 1);
      all.recv_after = vector_of(blocks, root, root + 1);
      break;
    case Collective::exscan:
      all.send = vector_of(blocks, rank, rank + 1);
      if (rank > 0) all.recv_after = vector_of(blocks, 0, rank);
      break;
    case Collective::scan:
      all.send = vector_of(blocks, rank, rank + 1);
      all.recv_after = vector_of(blocks, 0, rank + 1);
      break;
    case Collective::gather:
    case Collective::gatherv:
      all.send = vector_of(all.parts, rank, rank + 1, rank * all.parts);
      if (at_root) all.recv_after = one_of_each(ranks, all.parts);
      break;
    case Collective::reduce:
      all.send = vector_of(blocks, rank, rank + 1);
      if (at_root) all.recv_after = vector_of(blocks, 0, ranks);
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      all.send = vector_of(ranks, rank, rank + 1);
      all.recv_after = {{rank, 0, ranks}};
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (at_root) all.send = vector_of(ranks * all.parts, root, root + 1);
      all.recv_after = vector_of(all.parts, root, root + 1, rank * all.parts);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: break;  // src/neighborhood has a checker of its own
  }
  all.recv_before.resize(all.recv_after.size());

  const bool by_pair = has_sizes_of_pairs(collective);
  for (const Content& one : all.send) all.send_sizes.push_back(by_pair ? (rank * ranks) + one.block : one.block);
  for (const Content& one : all.recv_after) all.recv_sizes.push_back(by_pair ? (one.first * ranks) + rank : one.block);
  return all;
}

}  // namespace starling
