#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schedule/blocks.hpp"

namespace starling {

/// A message to or from `peer`.
struct Transfer {
  int peer;
  Blocks blocks;
  bool operator==(const Transfer&) const = default;
};

/// A send or a receive that a rank has posted.
struct Post {
  int rank;
  const Transfer* transfer;
};

/// What ranks have posted and nobody has answered: between two ranks, in each direction, a queue in the order of
/// posting.
class Channels {
 public:
  explicit Channels(std::size_t ranks) : ranks_(ranks), queues_(ranks * ranks) {}

  /// Posts a send or a receive: returns the counterpart that it meets, or nothing, and then it waits for one.
  std::optional<Post> meet(int rank, const Transfer& transfer, bool is_send) {
    Queue& queue = is_send ? queue_of(rank, transfer.peer) : queue_of(transfer.peer, rank);
    if (queue.first >= 0 && queue.sends != is_send) {
      const Waiting& first = waiting_[static_cast<std::size_t>(queue.first)];
      queue.first = first.next;
      return first.post;
    }
    const int number = static_cast<int>(waiting_.size());
    waiting_.push_back({{rank, &transfer}, -1});
    if (queue.first < 0) {
      queue = {number, number, is_send};
    } else {
      waiting_[static_cast<std::size_t>(queue.last)].next = number;
      queue.last = number;
    }
    return std::nullopt;
  }

  /// The first send, or receive, that `rank` has posted to `peer` and that waits.
  [[nodiscard]] const Transfer* waiting(int rank, int peer, bool is_send) const {
    const Queue& queue = queues_[is_send ? index(rank, peer) : index(peer, rank)];
    if (queue.first < 0 || queue.sends != is_send) return nullptr;
    return waiting_[static_cast<std::size_t>(queue.first)].post.transfer;
  }

 private:
  struct Waiting {
    Post post;
    int next;  ///< the one behind it in its queue, or -1
  };
  /// Only sends or only receives ever wait between two ranks in one direction.
  struct Queue {
    int first = -1;
    int last = -1;
    bool sends = false;
  };

  [[nodiscard]] std::size_t index(int from, int to) const {
    return (static_cast<std::size_t>(from) * ranks_) + static_cast<std::size_t>(to);
  }
  Queue& queue_of(int from, int to) { return queues_[index(from, to)]; }

  std::size_t ranks_;
  std::vector<Queue> queues_;
  std::vector<Waiting> waiting_;
};

}  // namespace starling
