#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling::testing {

/// Ten times of each candidate, in milliseconds, in the order of calls: the slowest rank's.
using Recorded = std::map<std::string, std::vector<double>>;

/// Recorded on the emulated cluster `single:16 --rate 20Mbit/s` with Open MPI 4.1.4, on processors that other jobs kept
/// busy: alltoall with `star-basic`, the others with each candidate forced; alltoall and allgather with blocks of 32
/// KiB, allreduce with a vector of 64 KiB. Most variants of rab1 and rab2 differ by less than their noise.
inline const Recorded& recorded_times(Collective collective) {
  static const Recorded alltoall{
      {"pair", {2004.8, 1014.6, 1023.8, 943.9, 1025.3, 933.3, 1029.5, 1023.7, 915.2, 1117.0}},
      {"pair_light_barrier", {1575.9, 1351.9, 1385.3, 1414.4, 1386.8, 1361.3, 1336.7, 1448.8, 1341.5, 1392.9}},
      {"pair_mpi_barrier", {2973.8, 2894.5, 2786.6, 2905.2, 2905.0, 2822.6, 2702.8, 2333.5, 2381.2, 2367.9}},
      {"phased_light_barrier", {1311.7, 1097.5, 1180.3, 1048.9, 1048.0, 1068.0, 1102.9, 1179.9, 1072.0, 1173.4}},
      {"phased_mpi_barrier", {2565.2, 2396.0, 2279.6, 2233.3, 2690.4, 2691.4, 2699.6, 2336.1, 2356.1, 2384.1}},
      {"ring", {1141.7, 859.0, 921.9, 891.9, 1029.4, 922.0, 894.3, 883.4, 878.7, 806.4}},
      {"ring_light_barrier", {1416.0, 1160.0, 1208.0, 1331.9, 1296.2, 1256.0, 1295.7, 1417.9, 1257.7, 1291.7}},
      {"ring_mpi_barrier", {2642.2, 2593.9, 2687.7, 2816.9, 2687.7, 2676.1, 2631.2, 2642.4, 2676.0, 2683.9}},
      {"simple", {508.0, 340.4, 357.9, 336.0, 355.5, 336.0, 356.1, 335.0, 336.1, 493.6}},
  };
  static const Recorded allgather{
      {"simple", {211.9, 213.4, 215.5, 212.4, 218.5, 218.8, 223.2, 217.5, 214.8, 217.0}},
      {"mesh2d", {343.7, 338.4, 346.5, 353.3, 339.0, 344.0, 345.1, 343.5, 350.6, 365.5}},
      {"mesh3d", {386.5, 380.3, 372.7, 385.9, 374.4, 380.9, 379.3, 365.8, 381.9, 378.3}},
      {"recursive_doubling", {384.6, 376.4, 394.8, 388.8, 389.2, 388.5, 415.0, 415.8, 411.7, 390.2}},
      {"bruck?k=2", {306.4, 306.0, 309.0, 310.3, 319.4, 307.6, 306.0, 309.5, 317.7, 305.8}},
      {"pairwise", {312.1, 215.2, 209.3, 205.4, 205.8, 205.5, 202.7, 205.8, 207.2, 209.0}},
      {"pairwise_light_barrier", {205.1, 209.4, 206.2, 205.6, 206.4, 205.6, 206.9, 208.9, 205.2, 224.6}},
      {"pairwise_mpi_barrier", {208.4, 207.7, 211.0, 209.0, 212.1, 207.8, 209.6, 209.0, 207.8, 210.2}},
      {"pair", {206.2, 204.1, 205.6, 205.2, 204.3, 208.9, 210.4, 205.6, 206.5, 206.7}},
      {"pair_light_barrier", {203.8, 206.6, 206.3, 216.5, 215.1, 204.3, 205.3, 205.8, 207.1, 207.0}},
      {"pair_mpi_barrier", {207.8, 207.3, 206.6, 209.9, 234.1, 208.7, 207.0, 207.2, 207.0, 213.5}},
      {"switch_ring", {206.2, 206.0, 204.3, 206.8, 206.3, 205.0, 207.6, 206.3, 207.3, 200.9}},
  };
  static const Recorded allreduce{
      {"gather_reduce?allgather=bruck", {632.0, 626.1, 628.8, 628.2, 625.8, 625.3, 628.7, 626.6, 634.6, 625.8}},
      {"gather_reduce?allgather=mesh2d", {823.8, 825.2, 776.2, 765.9, 765.5, 796.6, 788.1, 792.2, 827.8, 802.6}},
      {"gather_reduce?allgather=mesh3d", {855.6, 830.0, 829.5, 808.8, 842.7, 840.5, 822.5, 843.5, 849.9, 798.5}},
      {"gather_reduce?allgather=recursive_doubling",
       {838.4, 892.0, 839.5, 837.6, 811.1, 887.6, 858.1, 882.9, 851.7, 877.7}},
      {"gather_reduce?allgather=pairwise", {449.9, 475.0, 462.1, 458.9, 447.2, 457.5, 472.3, 460.2, 454.0, 464.8}},
      {"rab1?allgather=simple", {50.5, 62.2, 60.0, 51.7, 51.4, 52.3, 54.4, 50.8, 76.4, 53.0}},
      {"rab1?allgather=mesh2d", {47.5, 51.3, 49.3, 50.0, 51.5, 49.5, 50.9, 51.5, 51.1, 52.6}},
      {"rab1?allgather=mesh3d", {65.9, 61.7, 48.6, 50.4, 50.4, 51.3, 51.2, 50.7, 49.9, 50.9}},
      {"rab1?allgather=recursive_doubling", {48.1, 51.6, 52.3, 51.7, 48.0, 47.7, 48.3, 51.5, 48.5, 49.1}},
      {"rab1?allgather=bruck", {45.2, 53.4, 49.8, 48.7, 49.4, 50.9, 50.2, 52.1, 51.4, 52.3}},
      {"rab1?allgather=pairwise", {46.0, 54.5, 48.8, 51.0, 53.5, 53.2, 52.5, 46.3, 52.4, 53.3}},
      {"rab1?allgather=pairwise_light_barrier", {48.9, 51.8, 49.8, 61.2, 56.3, 47.4, 51.5, 50.5, 57.0, 50.4}},
      {"rab1?allgather=pairwise_mpi_barrier", {58.1, 59.6, 51.8, 52.9, 68.1, 72.2, 59.8, 57.9, 52.4, 54.0}},
      {"rab1?allgather=switch_ring", {50.3, 50.9, 50.9, 50.5, 51.6, 51.8, 52.1, 52.3, 49.6, 52.4}},
      {"rab2?alltoall=ring,allgather=pairwise", {49.7, 59.2, 51.9, 51.7, 47.6, 51.6, 50.8, 51.5, 55.9, 51.9}},
      {"rab2?alltoall=ring,allgather=switch_ring", {63.9, 49.0, 51.9, 50.8, 51.5, 51.1, 51.0, 51.8, 52.2, 57.9}},
      {"rab2?alltoall=ring_light_barrier,allgather=pairwise",
       {74.7, 52.3, 111.0, 117.4, 116.2, 92.4, 93.5, 97.3, 75.3, 71.1}},
      {"rab2?alltoall=ring_light_barrier,allgather=switch_ring",
       {49.4, 86.9, 89.2, 49.8, 76.1, 102.9, 114.0, 95.2, 76.5, 60.3}},
      {"rab2?alltoall=ring_mpi_barrier,allgather=pairwise",
       {108.5, 280.4, 109.3, 87.6, 95.9, 97.2, 91.6, 143.8, 88.0, 83.9}},
      {"rab2?alltoall=ring_mpi_barrier,allgather=switch_ring",
       {124.4, 144.8, 117.1, 91.0, 96.9, 77.9, 110.8, 118.7, 98.2, 100.7}},
  };
  switch (collective) {
    case Collective::alltoall: return alltoall;
    case Collective::allgather: return allgather;
    case Collective::allreduce: return allreduce;
    default: throw std::out_of_range("nothing was recorded of it");
  }
}

}  // namespace starling::testing
