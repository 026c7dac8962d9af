#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling::testing {

/// Ten times of each candidate, in milliseconds, in the order of calls: the slowest rank's.
using Recorded = std::map<std::string, std::vector<double>>;

/// Recorded with `star-basic` on the emulated cluster `single:16 --rate 20Mbit/s` with Open MPI 4.1.4, on processors
/// that other jobs kept busy: alltoall and allgather with blocks of 32 KiB, allreduce with a vector of 64 KiB. Six
/// variants of rab1 differ by less than they scatter. Under allgather's pairwise stand times of the ring of neighbours.
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
      {"bruck?k=2", {1808.1, 748.0, 750.4, 748.1, 779.1, 773.6, 760.1, 825.2, 736.1, 730.9}},
      {"mesh2d", {660.5, 576.1, 513.9, 555.9, 541.1, 527.7, 540.0, 530.4, 547.4, 546.7}},
      {"mesh3d", {848.0, 735.9, 739.3, 736.0, 720.0, 748.2, 780.0, 726.6, 647.9, 753.5}},
      {"pair", {1127.8, 776.1, 898.8, 933.5, 844.5, 1068.0, 906.6, 961.2, 906.0, 824.2}},
      {"pair_light_barrier", {1444.3, 1231.9, 1177.6, 1110.4, 1202.0, 1168.0, 1158.8, 1234.5, 1259.9, 1182.3}},
      {"pair_mpi_barrier", {2859.1, 2205.3, 2434.6, 2310.5, 2302.6, 2144.0, 2338.8, 2151.3, 2501.6, 2470.8}},
      {"recursive_doubling", {944.0, 842.7, 860.0, 776.1, 693.6, 803.7, 823.9, 722.8, 825.0, 792.0}},
      {"pairwise", {694.5, 588.0, 582.6, 640.1, 710.1, 653.1, 589.7, 641.5, 619.1, 669.2}},
      {"pairwise_light_barrier", {1198.2, 1084.0, 1040.1, 1024.2, 1080.2, 1026.5, 982.1, 1058.4, 988.1, 1068.0}},
      {"pairwise_mpi_barrier", {2160.1, 2020.0, 2082.8, 2095.7, 1955.9, 1916.0, 2078.3, 1984.0, 2016.0, 1920.1}},
      {"simple", {423.7, 308.0, 293.9, 324.0, 280.0, 292.0, 284.0, 280.2, 264.1, 290.0}},
      {"switch_ring", {712.1, 592.0, 555.9, 592.0, 521.6, 604.0, 556.1, 583.2, 596.0, 671.7}},
  };
  static const Recorded allreduce{
      {"gather_reduce?allgather=bruck",
       {1781.0, 1054.6, 988.2, 1072.2, 1087.9, 1084.2, 1136.2, 1132.3, 1100.2, 1108.2}},
      {"gather_reduce?allgather=mesh2d", {1060.2, 972.0, 964.1, 1002.8, 1014.7, 1084.0, 996.0, 1035.5, 954.1, 976.1}},
      {"gather_reduce?allgather=mesh3d",
       {1263.0, 1210.1, 1282.3, 1221.6, 1241.5, 1206.8, 1122.1, 1097.8, 1144.1, 1124.0}},
      {"gather_reduce?allgather=recursive_doubling",
       {1396.0, 1276.0, 1316.1, 1339.0, 1228.8, 1360.6, 1267.6, 1304.2, 1253.1, 1266.9}},
      {"gather_reduce?allgather=pairwise",
       {1576.1, 1399.9, 1394.8, 1720.2, 1585.6, 1580.1, 1589.2, 1538.7, 1560.0, 1587.9}},
      {"rab1?allgather=pairwise", {739.9, 632.1, 589.8, 679.8, 592.1, 563.8, 603.9, 550.6, 661.4, 543.8}},
      {"rab1?allgather=pairwise_light_barrier",
       {1135.7, 996.0, 991.8, 967.9, 944.0, 1000.0, 971.9, 944.0, 888.0, 916.0}},
      {"rab1?allgather=pairwise_mpi_barrier",
       {2320.1, 2275.5, 2300.1, 2227.9, 2323.9, 1992.1, 1932.0, 1926.2, 1933.9, 1918.2}},
      {"rab1?allgather=recursive_doubling", {404.0, 314.9, 276.1, 272.0, 352.0, 280.1, 264.1, 250.0, 271.9, 275.7}},
      {"rab1?allgather=bruck", {501.2, 280.0, 256.1, 314.6, 331.6, 340.0, 276.0, 344.0, 320.0, 289.9}},
      {"rab1?allgather=simple", {383.9, 227.9, 308.0, 263.9, 202.1, 219.9, 272.0, 285.9, 227.7, 239.8}},
      {"rab1?allgather=mesh2d", {335.8, 262.3, 252.0, 238.3, 252.0, 247.9, 242.0, 287.8, 264.0, 248.0}},
      {"rab1?allgather=mesh3d", {371.8, 312.1, 259.9, 228.0, 260.0, 228.0, 236.0, 264.0, 272.1, 299.9}},
      {"rab1?allgather=switch_ring", {600.0, 475.9, 524.0, 473.6, 516.0, 516.0, 516.0, 504.1, 515.9, 551.8}},
      {"rab2?alltoall=ring,allgather=pairwise",
       {1004.0, 826.9, 862.4, 851.7, 796.0, 759.9, 794.4, 779.9, 774.0, 833.3}},
      {"rab2?alltoall=ring,allgather=switch_ring",
       {932.1, 803.9, 705.9, 766.4, 776.0, 836.3, 836.1, 827.9, 840.0, 845.3}},
      {"rab2?alltoall=ring_light_barrier,allgather=pairwise",
       {1700.1, 1511.9, 1636.0, 1516.0, 1493.9, 1480.0, 1542.0, 1476.1, 1424.1, 1671.9}},
      {"rab2?alltoall=ring_light_barrier,allgather=switch_ring",
       {1369.7, 1309.5, 1288.0, 1389.5, 1324.1, 1314.6, 1293.9, 1255.9, 1210.8, 1231.9}},
      {"rab2?alltoall=ring_mpi_barrier,allgather=pairwise",
       {4135.9, 4165.4, 4369.3, 4416.0, 4500.0, 4307.7, 4103.9, 4064.0, 3580.0, 4232.0}},
      {"rab2?alltoall=ring_mpi_barrier,allgather=switch_ring",
       {2679.9, 2465.7, 2416.0, 2644.1, 2555.6, 2696.0, 2627.7, 2684.0, 2754.6, 2657.9}},
  };
  switch (collective) {
    case Collective::alltoall: return alltoall;
    case Collective::allgather: return allgather;
    case Collective::allreduce: return allreduce;
    default: throw std::out_of_range("nothing was recorded of it");
  }
}

}  // namespace starling::testing
