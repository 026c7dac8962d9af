#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "neighborhood/steps.hpp"
#include "runtime/exchange/block_memory.hpp"
#include "runtime/exchange/windows.hpp"

namespace starling::neighborhood {

/// Where messages of an exchange travel: rank r is `peers[r]` of `comm`, or r if `peers` is null.
struct Line {
  MPI_Comm comm;
  const int* peers;
  int tag;
};

/// One rank's exchange with its neighbours in one implementation. Each start allocates nothing and takes no lock.
class Exchange {
 public:
  Exchange(const Rounds& rounds, int rank, const Implementation& implementation);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  Exchange(Exchange&&) = delete;
  Exchange& operator=(Exchange&&) = delete;

  /// How many windows it needs.
  [[nodiscard]] int windows() const { return steps_.windows; }

  /// Gets what it needs for this memory: room for packed blocks, groups of ranks of `comm`, which the windows are made
  /// on. Before the first start, and again when sizes of blocks have changed. Returns an MPI error code. Local, but
  /// windows are to be made before.
  int prepare(BlockMemory& memory, const Windows* windows, MPI_Comm comm);

  /// Begins an exchange: does what need not wait for other ranks. All ranks start their exchanges on a line in the same
  /// order.
  void start(const BlockMemory& memory, const Line& line);
  /// Goes on as far as it can without waiting for other ranks. Returns whether the exchange has ended. What only exists
  /// as blocking functions of MPI is left to `wait`.
  bool progress();
  /// Ends the exchange. Returns an MPI error code, the first error: after it everything else is done all the same, for
  /// other ranks wait for it.
  int wait();

 private:
  [[nodiscard]] const Round& round(const Step& step) const {
    return rounds_.all[static_cast<std::size_t>(step.number)];
  }
  [[nodiscard]] MPI_Win window(const Step& step) const { return (*windows_)[static_cast<std::size_t>(step.window)]; }
  [[nodiscard]] int peer(int rank) const { return line_.peers == nullptr ? rank : line_.peers[rank]; }
  [[nodiscard]] MPI_Request* request_to_receive(const Step& step) {
    return &requests_[static_cast<std::size_t>(step.number)];
  }
  [[nodiscard]] MPI_Request* request_to_send(const Step& step) {
    return &requests_[rounds_.all.size() + static_cast<std::size_t>(step.number)];
  }
  /// What a message is made of.
  struct Data {
    char* address;
    std::int64_t count;
    MPI_Datatype type;
  };
  [[nodiscard]] Data to_send(const Round& round) const;
  [[nodiscard]] Data to_receive(const Round& round) const;

  int perform(const Step& step);
  int copy(const Round& round);
  int pack(const Round& round);
  int unpack(const Round& round);
  int post_receive(const Step& step);
  int post_send(const Step& step);
  int send(const Round& round);
  int receive(const Round& round);
  int sendrecv(const Round& round);
  int put(const Step& step);
  int get(const Step& step);
  void free_groups();

  Rounds rounds_;
  int rank_;
  Implementation implementation_;
  Steps steps_;
  std::vector<MPI_Request> requests_;  ///< by round, those to receive, then those to send
  std::vector<MPI_Group> groups_;      ///< as Steps::groups
  const BlockMemory* memory_ = nullptr;
  const std::vector<MPI_Win>* windows_ = nullptr;
  Line line_{};
  std::size_t next_ = 0;  ///< step
  int error_ = MPI_SUCCESS;
};

}  // namespace starling::neighborhood
