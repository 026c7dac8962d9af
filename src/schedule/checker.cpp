#include "schedule/checker.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "schedule/channels.hpp"
#include "schedule/hearsay.hpp"
#include "schedule/memory.hpp"
#include "schedule/native_part.hpp"
#include "schedule/symbols.hpp"

namespace starling {
namespace {

/// How far a rank has come.
struct Progress {
  std::size_t round = 0;
  int waiting = 0;  ///< unmatched posts of the round
  bool finished = false;
};

/// Members of a sub-collective that have come to it.
struct Gathering {
  std::vector<int> ranks;
};

using GroupKey = std::tuple<int, int, int>;

GroupKey key_of(const Group& group) {
  return {group.first, group.stride, group.size};
}

/// All ranks at work.
class Run {
 public:
  Run(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts)
      : collective_(collective),
        schedules_(per_rank),
        facts_(facts),
        ranks_(static_cast<int>(per_rank.size())),
        symbols_(ranks_, facts.blocks, facts.commutative),
        progress_(per_rank.size()),
        channels_(per_rank.size()) {
    if (collective == Collective::barrier) hearsay_.emplace(per_rank.size());
    for (int rank = 0; rank < ranks_; ++rank) {
      expected_.push_back(expectation(collective, ranks_, facts.blocks, rank, root));
      naming(rank, [&] {
        if (schedule(rank).blocks() != facts.blocks)
          throw Mistake{"has a schedule for " + std::to_string(schedule(rank).blocks()) + " blocks instead of " +
                        std::to_string(facts.blocks)};
        memory_.emplace_back(schedule(rank), collective, expected_.back(), facts, rank, symbols_);
      });
    }
  }

  /// Lets every rank go as far as it can, until all have finished.
  void play() {
    for (int rank = 0; rank < ranks_; ++rank) go_on(rank);
    while (!ready_.empty()) {
      const int rank = ready_.back();
      ready_.pop_back();
      end_round(rank);
      go_on(rank);
    }
    for (int rank = 0; rank < ranks_; ++rank)
      if (!of(rank).finished) throw Mistake{standstill()};
  }

  /// Compares what every rank has with what it should have.
  std::uint64_t verdict() {
    // Blocks that are added alike count once: into how many a vector is divided makes no difference.
    std::uint64_t order = 0;
    std::uint64_t last = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      if (hearsay_)
        if (const auto unheard = hearsay_->missing(rank))
          throw Mistake{"rank " + std::to_string(rank) + " leaves the barrier without word from rank " +
                        std::to_string(*unheard)};
      const std::vector<Content>& wanted = expected_[index(rank)].recv_after;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Symbol has = held(rank, i);
        if (!symbols_.matches(has, wanted[i]))
          throw Mistake{"rank " + std::to_string(rank) + " should have " + describe(wanted[i]) + " in recv block " +
                        std::to_string(i) + " at the end, and has " + symbols_.describe(has)};
        if (collective_ == Collective::allreduce && has != held(0, i))
          throw Mistake{"rank " + std::to_string(rank) + " combines recv block " + std::to_string(i) +
                        " in another order than rank 0, so that results may differ in their last bits"};
        if (!wanted[i].known() || symbols_.fingerprint(has) == last) continue;
        last = symbols_.fingerprint(has);
        order = (order * 31) + last;
      }
    }
    return order;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  const Schedule& schedule(int rank) const { return schedules_[index(rank)]; }
  Progress& of(int rank) { return progress_[index(rank)]; }
  Memory& memory(int rank) { return memory_[index(rank)]; }
  const Round& round_of(int rank) { return schedule(rank).rounds()[of(rank).round]; }
  Symbol held(int rank, std::size_t slot) { return memory(rank).values(recvbuf(static_cast<int>(slot))).front(); }

  /// Runs `work`; a Mistake in it is one of `rank`, in the round it is in.
  template <typename Work>
  void naming(int rank, const Work& work) {
    try {
      work();
    } catch (const Mistake& mistake) {
      throw Mistake{place(rank) + " " + mistake.what};
    }
  }
  std::string place(int rank) {
    return "rank " + std::to_string(rank) +
           (memory_.size() > index(rank) ? ", round " + std::to_string(of(rank).round) + ":" : std::string{});
  }

  /// Enters rounds until one makes the rank wait.
  void go_on(int rank) {
    Progress& progress = of(rank);
    while (progress.round < schedule(rank).rounds().size()) {
      if (!enter(rank)) return;
      end_round(rank);
    }
    progress.finished = true;
  }

  /// Posts everything of a round; true if nothing of it has to be waited for.
  bool enter(int rank) {
    const Round& round = round_of(rank);
    memory(rank).begin_round();
    if (hearsay_) hearsay_->begin_round(rank);
    naming(rank, [&] {
      if (round.sub && !(round.sends.empty() && round.receives.empty()))
        throw Mistake{"has messages beside its sub-collective"};
      for (const Transfer& one : round.receives) {
        must_be_peer(one.peer, rank);
        memory(rank).write_in_round(one.blocks);
      }
      for (const Transfer& one : round.sends) {
        must_be_peer(one.peer, rank);
        memory(rank).read_in_round(one.blocks);
      }
    });
    if (round.sub) return join(rank, *round.sub);
    of(rank).waiting = static_cast<int>(round.receives.size() + round.sends.size());
    for (const Transfer& one : round.receives) post(rank, one, false);
    for (const Transfer& one : round.sends) post(rank, one, true);
    return of(rank).waiting == 0;
  }

  void end_round(int rank) {
    naming(rank, [&] {
      for (const Local& local : round_of(rank).locals) memory(rank).perform(local, symbols_);
    });
    ++of(rank).round;
  }

  void must_be_peer(int peer, int rank) const {
    if (peer < 0 || peer >= ranks_)
      throw Mistake{"talks to rank " + std::to_string(peer) + ", and there is no such rank"};
    if (peer == rank) throw Mistake{"talks to itself"};
  }

  void post(int rank, const Transfer& transfer, bool is_send) {
    const std::optional<Post> other = channels_.meet(rank, transfer, is_send);
    if (!other) return;
    if (is_send) {
      deliver(rank, transfer, other->rank, *other->transfer);
    } else {
      deliver(other->rank, *other->transfer, rank, transfer);
    }
    --of(rank).waiting;
    if (--of(other->rank).waiting == 0) ready_.push_back(other->rank);
  }

  void deliver(int from, const Transfer& send, int to, const Transfer& receive) {
    const auto mismatch = [&](const char* how) {
      return Mistake{place(to) + " receives " + describe(receive.blocks) + " from rank " + std::to_string(from) +
                     ", which in its round " + std::to_string(of(from).round) + " sends " + describe(send.blocks) +
                     ", and these differ in " + how + hint(send.blocks.count == 0 || receive.blocks.count == 0)};
    };
    if (send.blocks.count != receive.blocks.count) throw mismatch("their number of blocks");
    if (hearsay_) hearsay_->tell(from, to);
    if (send.blocks.count == 0) return;
    const auto given = memory(from).sizes(send.blocks);
    const auto taken = memory(to).sizes(receive.blocks);
    if (!std::equal(given.begin(), given.end(), taken.begin())) throw mismatch("size");
    memory(to).write(receive.blocks, memory(from).values(send.blocks));
  }

  /// Comes to a sub-collective; true if the rank was the last of its members, so that it is done.
  bool join(int rank, const SubCollective& sub) {
    naming(rank, [&] {
      must_be_member(rank, sub.group);
      must_be_possible({&memory(rank), &sub}, (rank - sub.group.first) / sub.group.stride);
    });
    Gathering& here = gatherings_[key_of(sub.group)];
    if (!here.ranks.empty()) {
      const int other = here.ranks.front();
      const SubCollective& theirs = *round_of(other).sub;
      if (theirs.collective != sub.collective || theirs.root != sub.root || theirs.scale != sub.scale)
        throw Mistake{place(rank) + " comes to " + std::string(name_of(sub.collective)) + " of its group while rank " +
                      std::to_string(other) + " is in " + std::string(name_of(theirs.collective)) +
                      " there, or with another root or scale"};
    }
    here.ranks.push_back(rank);
    if (static_cast<int>(here.ranks.size()) < sub.group.size) return false;

    std::vector<Member> members;
    for (int i = 0; i < sub.group.size; ++i) {
      const int member = sub.group.rank(i);
      members.push_back({&memory(member), &*round_of(member).sub});
    }
    naming(rank, [&] { carry_out(members, facts_.uniform && expected_.front().parts == 1, symbols_); });
    for (const int member : here.ranks) {
      if (hearsay_)
        for (const int other : here.ranks) hearsay_->tell(other, member);
      if (member != rank) ready_.push_back(member);
    }
    here.ranks.clear();
    return true;
  }

  void must_be_member(int rank, const Group& group) const {
    const bool exists = group.size >= 1 && group.stride >= 1 && group.first >= 0 && group.rank(group.size - 1) < ranks_;
    if (!exists || !group.contains(rank))
      throw Mistake{"joins a group of " + std::to_string(group.size) + " ranks from rank " +
                    std::to_string(group.first) + " by " + std::to_string(group.stride) + ", which it is no member of"};
  }

  /// What an empty message that nobody answers comes from most often.
  std::string hint(bool is_empty) const {
    if (!is_empty || collective_ == Collective::barrier) return {};
    return "; messages between two ranks meet in the order in which each posts them, and those of a light barrier in "
           "communicating rounds of the same number";
  }

  /// What an unfinished rank waits for: the peer, and the words for it.
  struct Wait {
    int peer;
    std::string what;
    bool is_empty = false;  ///< a message of nothing
  };
  Wait wait_of(int rank) {
    if (const auto& sub = round_of(rank).sub) {
      const auto& here = gatherings_[key_of(sub->group)].ranks;
      for (int i = 0; i < sub->group.size; ++i) {
        const int member = sub->group.rank(i);
        if (std::find(here.begin(), here.end(), member) == here.end())
          return {member, "waits in " + std::string(name_of(sub->collective)) + " for rank " + std::to_string(member)};
      }
    }
    for (int peer = 0; peer < ranks_; ++peer) {
      const std::string other = "rank " + std::to_string(peer);
      if (const Transfer* one = channels_.waiting(rank, peer, false))
        return {peer, "waits for " + describe(one->blocks) + " from " + other, one->blocks.count == 0};
      if (const Transfer* one = channels_.waiting(rank, peer, true))
        return {peer, "waits until " + other + " receives " + describe(one->blocks), one->blocks.count == 0};
    }
    return {rank, "waits for itself"};
  }

  /// Why nobody can go on.
  std::string standstill() {
    std::vector<int> blocked;
    for (int rank = 0; rank < ranks_; ++rank)
      if (!of(rank).finished) blocked.push_back(rank);
    for (const int rank : blocked)
      if (const Wait wait = wait_of(rank); of(wait.peer).finished)
        return place(rank) + " " + wait.what + ", but rank " + std::to_string(wait.peer) + " has finished" +
               hint(wait.is_empty);
    // Everybody waits for somebody who waits: follow that until it comes round.
    std::vector<int> path{blocked.front()};
    std::vector<bool> seen(progress_.size());
    while (!seen[index(path.back())]) {
      seen[index(path.back())] = true;
      path.push_back(wait_of(path.back()).peer);
    }
    const auto start = std::find(path.begin(), path.end(), path.back());
    std::string text = place(*start) + " " + wait_of(*start).what;
    int named = 1;
    for (auto rank = start + 1; rank + 1 != path.end() && named < 4; ++rank, ++named)
      text += ", rank " + std::to_string(*rank) + " in round " + std::to_string(of(*rank).round) + " " +
              wait_of(*rank).what;
    if (path.end() - start - 1 > named) text += ", and so on";
    return text + ": a deadlock" +
           hint(std::any_of(start, path.end(), [&](int rank) { return wait_of(rank).is_empty; }));
  }

  Collective collective_;
  std::span<const Schedule> schedules_;
  CheckedCall facts_;
  int ranks_;
  Symbols symbols_;
  std::vector<Expectation> expected_;
  std::vector<Memory> memory_;
  std::vector<Progress> progress_;
  Channels channels_;
  std::map<GroupKey, Gathering> gatherings_;
  std::optional<Hearsay> hearsay_;
  std::vector<int> ready_;  ///< ranks whose round has nothing more to wait for
};

}  // namespace

CheckResult check(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts) {
  try {
    Run run(collective, per_rank, root, facts);
    run.play();
    return {{}, run.verdict()};
  } catch (const Mistake& mistake) {
    return {mistake.what, 0};
  }
}

}  // namespace starling
