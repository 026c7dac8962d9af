#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace starling {

/// Flows of bytes that share links as TCP connections roughly do: max-min fair (Bertsekas and Gallager, Data Networks,
/// section 6.5.2), found by progressive filling. Shares change only when a flow starts or ends, and only for flows that
/// a chain of full links connects to it.
class FairShares {
 public:
  /// `rates[l]` is what link l carries, bits per second, more than 0; no flow uses more than `longest_path` links.
  FairShares(std::span<const std::int64_t> rates, int longest_path);

  /// A flow of `bytes` bytes over `links`, at least one, begins at time `now`, seconds, which never runs backwards.
  /// `name` is how `ended` calls it.
  void start(int name, std::span<const int> links, std::int64_t bytes, double now);
  /// When the next flow ends if none starts before; infinity where there is none.
  double next_end();
  /// Removes the flows that have ended by time `now`, and those that would within a thousandth of their duration: so
  /// that equal flows end together in spite of rounding, and many unequal ones in few steps. Valid until the next call.
  std::span<const int> ended(double now);
  /// How many flows and links were looked at to share links out: some nanoseconds each, and the part of the work that
  /// may grow with the square of the number of flows.
  [[nodiscard]] std::int64_t visits() const { return visits_; }

 private:
  struct Flow {
    int name;
    int hops;
    std::int64_t limit;  ///< rate of its slowest link
    double rate;         ///< bits per second
    double left;         ///< bits at time `since`
    double since;
    double started;
    double end;       ///< if nothing changes
    double heralded;  ///< the earliest time in `ends_` for it
    int life;         ///< how many flows have had this place before
    int mark;
    bool settled;
  };
  struct Link {
    std::int64_t rate;
    std::int64_t demand = 0;  ///< sum of the limits of its flows: where that is no more than its rate it is not full
    std::vector<int> uses;    ///< by flows: numbers of `links_of_`
    double left = 0;          ///< while it is being shared out: bits per second nobody has got yet
    int open = 0;             ///< flows that have got none yet
    int mark = 0;
  };
  struct End {
    double time;
    int flow;
    int life;
    bool operator>(const End& other) const { return time != other.time ? time > other.time : flow > other.flow; }
  };

  [[nodiscard]] std::size_t first_use(int flow) const {
    return static_cast<std::size_t>(flow) * static_cast<std::size_t>(longest_path_);
  }
  [[nodiscard]] std::span<const int> links_of(int flow) const;
  [[nodiscard]] static bool full(const Link& link) { return link.demand > link.rate; }
  Flow& at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  Link& link(int number) { return links_[static_cast<std::size_t>(number)]; }

  void remove(int flow);
  void touch_flow(int flow);
  void touch_link(int number);
  /// Finds all flows and links whose shares may have changed.
  void spread();
  /// Gives them new shares.
  void share_out();
  void settle(int flow, double rate);

  int longest_path_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<int> links_of_;  ///< of each flow, `longest_path_` places
  std::vector<int> use_at_;    ///< for each place of `links_of_`: its index in Link::uses
  std::vector<int> free_;      ///< flows that are over
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<int> ended_;
  double now_ = 0;
  std::int64_t visits_ = 0;
  int mark_ = 1;
  std::vector<int> touched_flows_;  ///< since shares were last given, later all that `spread` found
  std::vector<int> touched_links_;
  std::vector<int> open_;
};

}  // namespace starling
