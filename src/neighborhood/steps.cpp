#include "neighborhood/steps.hpp"

#include <algorithm>
#include <set>

namespace starling::neighborhood {
namespace {

class Builder {
 public:
  Builder(const Rounds& rounds, int rank, const Implementation& how) : rounds_(rounds), rank_(rank), how_(how) {}

  Steps build() {
    const int count = static_cast<int>(rounds_.all.size());
    int first = 0;
    // Rounds that are carried out together: those of a stage, or one.
    for (const int stage_end : rounds_.stage_ends) {
      const int step = how_.partners == Partners::aao ? stage_end - first : 1;
      for (; first < stage_end; first += step) {
        exchange(first, first + step);
        if (is_one_sided(how_.transfer) && (!has_fences(how_.transfer) || first == 0)) ++steps_.windows;
      }
    }
    if (has_fences(how_.transfer) && count > 0) add(Act::fence_close, 0);
    return std::move(steps_);
  }

 private:
  [[nodiscard]] const Round& at(int round) const { return rounds_.all[static_cast<std::size_t>(round)]; }
  [[nodiscard]] bool is_local(int round) const { return at(round).to == rank_; }
  [[nodiscard]] bool sends(int round) const { return at(round).to >= 0 && !is_local(round); }
  [[nodiscard]] bool receives(int round) const { return at(round).from >= 0 && !is_local(round); }
  [[nodiscard]] bool packs() const { return how_.handling == Handling::pack; }

  void add(Act act, int number) { steps_.all.push_back({act, number, has_fences(how_.transfer) ? 0 : steps_.windows}); }
  void pack(int round) {
    if (packs()) add(Act::pack, round);
  }
  void unpack(int round) {
    if (packs()) add(Act::unpack, round);
  }
  void copy(int first, int end) {
    for (int round = first; round < end; ++round)
      if (is_local(round)) add(Act::copy, round);
  }

  void exchange(int first, int end) {
    switch (how_.transfer) {
      case Transfer::isend_irecv: return post_messages(first, end, Act::isend);
      case Transfer::send_irecv: return post_messages(first, end, Act::send);
      case Transfer::send_recv:
      case Transfer::sendrecv: return one_after_the_other(first);
      case Transfer::put_fence: return between_fences(first, end, Act::put);
      case Transfer::get_fence: return between_fences(first, end, Act::get);
      case Transfer::put_post_start: return between_groups(first, end, Act::put);
      case Transfer::get_post_start: return between_groups(first, end, Act::get);
    }
  }

  /// All receives are posted before anything is sent.
  void post_messages(int first, int end, Act send) {
    for (int round = first; round < end; ++round)
      if (receives(round)) add(Act::irecv, round);
    for (int round = first; round < end; ++round) {
      if (!sends(round)) continue;
      pack(round);
      add(send, round);
    }
    copy(first, end);
    for (int round = first; round < end; ++round) {
      if (!receives(round)) continue;
      add(Act::wait_receive, round);
      unpack(round);
    }
    if (send != Act::isend) return;
    for (int round = first; round < end; ++round)
      if (sends(round)) add(Act::wait_send, round);
  }

  void one_after_the_other(int round) {
    copy(round, round + 1);
    const auto send = [&] {
      if (!sends(round)) return;
      pack(round);
      add(Act::send, round);
    };
    const auto receive = [&] {
      if (!receives(round)) return;
      add(Act::receive, round);
      unpack(round);
    };
    if (how_.transfer == Transfer::sendrecv && sends(round) && receives(round)) {
      pack(round);
      add(Act::sendrecv, round);
      unpack(round);
    } else if (at(round).sends_first) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }

  void transfer(int first, int end, Act act) {
    for (int round = first; round < end; ++round)
      if (act == Act::put ? sends(round) : receives(round)) add(act, round);
  }

  /// Every rank takes part in every fence.
  void between_fences(int first, int end, Act act) {
    add(first == 0 ? Act::fence_open : Act::fence_next, 0);
    transfer(first, end, act);
    copy(first, end);  // here, because it may read what came in the epoch before
  }

  void between_groups(int first, int end, Act act) {
    copy(first, end);
    const std::vector<int> to = partners(first, end, &Round::to);
    const std::vector<int> from = partners(first, end, &Round::from);
    const std::vector<int>& accessed = act == Act::put ? to : from;
    const std::vector<int>& accessing = act == Act::put ? from : to;
    if (!accessing.empty()) add(Act::post, group(accessing));
    if (!accessed.empty()) {
      add(Act::start, group(accessed));
      transfer(first, end, act);
      add(Act::complete, 0);
    }
    if (!accessing.empty()) add(Act::wait_exposed, 0);
  }
  [[nodiscard]] std::vector<int> partners(int first, int end, int Round::*which) const {
    std::set<int> ranks;
    for (int round = first; round < end; ++round)
      if (!is_local(round) && at(round).*which >= 0) ranks.insert(at(round).*which);
    return {ranks.begin(), ranks.end()};
  }
  int group(const std::vector<int>& ranks) {
    const auto found = std::find(steps_.groups.begin(), steps_.groups.end(), ranks);
    if (found != steps_.groups.end()) return static_cast<int>(found - steps_.groups.begin());
    steps_.groups.push_back(ranks);
    return static_cast<int>(steps_.groups.size()) - 1;
  }

  const Rounds& rounds_;
  int rank_;
  Implementation how_;
  Steps steps_;
};

}  // namespace

Steps steps_of(const Rounds& rounds, int rank, const Implementation& implementation) {
  return Builder(rounds, rank, implementation).build();
}

}  // namespace starling::neighborhood
