#pragma once

#include <mpi.h>

namespace starling {

/// How a rank waits for others: at first without giving its processor away, where it shares none (`Process::shares`);
/// then it gives it away, and at last it sleeps between two looks.
class Patience {
 public:
  Patience();
  /// Something has happened: what comes now is waited for as at first.
  void begin() { polls_ = naps_ = 0; }
  /// After a look that made no progress in MPI; in time this makes it, for others may wait for this rank's part in
  /// their messages. True now and then in a wait so long that those who are waited for may have ended.
  bool wait();
  /// After a look that did. Where the rank shares no processor MPI polls, and this does nothing.
  void wait_in_mpi();

 private:
  void give_way();

  int most_polls_;  ///< without giving the processor away
  int polls_ = 0;
  int naps_ = 0;
};

/// MPI_Allreduce; where `Process::some_share`, which is the same on all ranks, its nonblocking form, waited for.
int allreduce_patiently(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/// Where `Process::shares`: from now on `pmpi` has functions for blocking messages and for MPI_Wait that give the
/// processor away as long as they must wait. Most libraries poll, and keep it for as long as the system lets them,
/// which is milliseconds, while the rank that they wait for has none.
void wait_patiently();

}  // namespace starling
