#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dice.hpp"

/// A communicator to test on, as this rank sees it. On an intercommunicator `size` counts the blocks of a collective:
/// the ranks of the other group.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  std::string name{};
  int rank = 0;
  int size = 1;
  int world_rank = 0;
  bool inter = false;
  bool first_group = false;
  int other_size = 0;  ///< ranks of an intercommunicator's first group
  bool made = false;

  [[nodiscard]] bool member() const { return comm != MPI_COMM_NULL; }
  /// At least as many as there are blocks, and the same number on all ranks, in both groups.
  [[nodiscard]] int everyone() const { return inter ? 2 * (other_size + 1) : size; }
};

namespace communicators {

inline Team team_of(MPI_Comm comm, std::string name, bool made) {
  Team team{.comm = comm, .name = std::move(name), .made = made};
  PMPI_Comm_rank(MPI_COMM_WORLD, &team.world_rank);
  if (comm == MPI_COMM_NULL) return team;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(comm, &team.rank);
  PMPI_Comm_size(comm, &team.size);
  return team;
}

inline Team intercommunicator(MPI_Comm parent, int rank, int size) {
  const int half = size / 2;
  const bool first = rank < half;
  MPI_Comm local;
  MPI_Comm both;
  MPI_Comm_split(parent, first ? 0 : 1, rank, &local);
  MPI_Intercomm_create(local, 0, parent, first ? half : 0, 7, &both);
  MPI_Comm_free(&local);
  Team team = team_of(both, "an intercommunicator", true);
  team.inter = true;
  team.first_group = first;
  PMPI_Comm_remote_size(both, &team.size);
  team.other_size = half;
  return team;
}

}  // namespace communicators

/// A communicator made from `parent` in a random way, the same on all its ranks; some ranks may get none. With
/// `shared_self`, MPI_COMM_SELF may be used: no other thread does.
inline Team draw_team(MPI_Comm parent, bool shared_self, Dice& dice) {
  using communicators::team_of;
  int rank;
  int size;
  PMPI_Comm_rank(parent, &rank);
  PMPI_Comm_size(parent, &size);
  const std::uint64_t seed = dice.next();
  MPI_Comm made = MPI_COMM_NULL;
  switch (dice.below(9)) {
    case 0: MPI_Comm_dup(parent, &made); return team_of(made, "a duplicate", true);
    case 1: MPI_Comm_split(parent, 0, -rank, &made); return team_of(made, "all ranks reversed", true);
    case 2:
      MPI_Comm_split(parent, Dice{seed, static_cast<std::uint64_t>(rank)}.below(2), rank, &made);
      return team_of(made, "a random half", true);
    case 3: {
      Dice members{seed};
      auto order = members.permutation(size);
      order.resize(static_cast<std::size_t>(members.between(1, size)));
      MPI_Group all;
      MPI_Group some;
      PMPI_Comm_group(parent, &all);
      PMPI_Group_incl(all, static_cast<int>(order.size()), order.data(), &some);
      MPI_Comm_create(parent, some, &made);
      PMPI_Group_free(&all);
      PMPI_Group_free(&some);
      return team_of(made, "a random subset", true);
    }
    case 4: {
      const int members = Dice{seed}.between(1, size);
      MPI_Comm_split(parent, rank < members ? 0 : MPI_UNDEFINED, rank, &made);
      return team_of(made, "the first " + std::to_string(members), true);
    }
    case 5:
      if (size > 1) return communicators::intercommunicator(parent, rank, size);
      break;
    case 6:
      if (shared_self) return team_of(MPI_COMM_SELF, "self", false);
      break;
    default: break;
  }
  return team_of(parent, "all ranks", false);
}

inline void release(Team& team) {
  if (team.made && team.member()) MPI_Comm_free(&team.comm);
}
