#include "runtime/job/probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

// Between two ranks, one leads: each of its messages says what the other one does next, so that the two never disagree
// on a number of repetitions, whatever their clocks say. In the same way the first rank leads those that lead.

namespace starling {
namespace {

constexpr std::size_t most_pairs = 4;
/// From when on nothing new begins: some times what a probe usually takes, for ranks that share processors may wait for
/// each message of it.
constexpr double most_seconds = 0.3;
constexpr double most_seconds_on_a_node = 0.03;
/// Seconds that one measurement may take.
constexpr double for_pings = 0.003;
constexpr double for_a_stream = 0.006;
constexpr double for_a_stream_in_memory = 0.0001;
constexpr double for_exchanges = 0.02;
constexpr double most_for_exchanges = 0.06;  ///< on slow networks they are left out
/// A stream takes so many times a message's way there and back, within `most_for_a_stream`: on a machine with more
/// ranks than processors part of that way is waiting for a processor, which a stream may do without.
constexpr double ways_of_a_stream = 25;
constexpr double most_for_a_stream = 0.15;

/// Bytes of a stream that are sent first, and of a message at most.
struct Lengths {
  std::int64_t first;
  std::int64_t longest;
};
/// So long that the time of a message's begin does not count even at 100 Gbit/s.
constexpr Lengths between_nodes{8192, std::int64_t{1} << 22};
/// The system makes the pages of a buffer when they are first used, which takes longer than all else: few, and once.
constexpr Lengths in_memory{std::int64_t{1} << 19, std::int64_t{1} << 19};
constexpr std::int64_t most_bytes = std::int64_t{1} << 26;
constexpr int burst = 16;  ///< small messages in a row

constexpr int tag_of_probe = 0;  // no channel uses it

/// A message, and what the receiver does after it.
struct Order {
  enum What : std::int64_t { end, answer, receive, swap, measure };
  std::int64_t what = end;
  std::int64_t bytes = 0;  ///< receive: of all messages that follow; swap: of one; measure: of a stream
  std::int64_t count = 0;  ///< receive: messages that follow
  double value = 0;        ///< seconds: what is left for a measurement, or its result
};

void send(const Order& order, int to) {
  pmpi.Send(&order, sizeof order, handles.byte, to, tag_of_probe, process().world);
}

Order received(int from) {
  Order order;
  pmpi.Recv(&order, sizeof order, handles.byte, from, tag_of_probe, process().world, MPI_STATUS_IGNORE);
  return order;
}

/// Memory for messages, as much as was needed so far.
char* room(std::vector<char>& buffer, std::int64_t bytes) {
  if (buffer.size() < static_cast<std::size_t>(bytes)) buffer.resize(static_cast<std::size_t>(bytes));
  return buffer.data();
}

double quicker_quarter(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

double least(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

/// One end of a pair of ranks.
class End {
 public:
  /// Of a pair whose messages are so long, for both ends.
  End(int peer, const Lengths& bytes) : peer_(peer), bytes_(bytes) {}

  /// Carries out the other one's orders until it sends no more.
  void follow() {
    for (Order order = received(peer_); order.what != Order::end; order = received(peer_)) {
      if (order.what == Order::receive) {
        for (std::int64_t i = 0; i < order.count; ++i) receive(std::min(order.bytes, bytes_.longest));
      } else if (order.what == Order::swap) {
        swap(order.bytes);
      }
      send({.what = Order::answer}, peer_);
    }
  }

  void stop() { send({.what = Order::end}, peer_); }

  /// Seconds of an order's way there and back.
  double ping() {
    const double start = Clock::now();
    send({.what = Order::answer}, peer_);
    received(peer_);
    return Clock::now() - start;
  }

  struct Stream {
    double sent;  ///< seconds until all was sent, as the sender sees it
    double took;  ///< until it is there, without the way of order and answer
  };
  /// `count` messages of `bytes` in a row, or as many of the longest.
  Stream stream(std::int64_t bytes, std::int64_t count) {
    const std::int64_t each = std::min(bytes, bytes_.longest);
    room(data_, each);
    const double start = Clock::now();
    send({.what = Order::receive, .bytes = bytes, .count = count}, peer_);
    const double begin = Clock::now();
    for (std::int64_t i = 0; i < count; ++i)
      pmpi.Send(data_.data(), static_cast<int>(each), handles.byte, peer_, tag_of_probe, process().world);
    const double sent = Clock::now() - begin;
    received(peer_);
    return {sent, std::max(Clock::now() - start - there_and_back_, 0.0)};
  }
  Stream stream(std::int64_t bytes) { return stream(bytes, (bytes + bytes_.longest - 1) / bytes_.longest); }

  /// Seconds in which both send each other a message.
  double exchange(std::int64_t bytes) {
    const double start = Clock::now();
    send({.what = Order::swap, .bytes = bytes}, peer_);
    swap(bytes);
    received(peer_);
    return std::max(Clock::now() - start - there_and_back_, 0.0);
  }

  /// The seconds of what a leader is to measure: a stream, an exchange, or else the way there and back.
  double measured(const Order& order) {
    if (order.what == Order::measure) return stream(order.bytes).took;
    return order.what == Order::swap ? exchange(order.bytes) : measure_way(0);
  }

  /// Seconds there and back, of the quicker quarter: others may disturb most of them. The first one makes a connection.
  double measure_way(double until) {
    constexpr std::size_t fewest = 5;
    constexpr std::size_t most = 200;
    ping();
    std::vector<double> times;
    const double start = Clock::now();
    while (times.size() < most) {
      times.push_back(ping());
      const double now = Clock::now();
      if (now > until || (now - start > for_pings && times.size() >= fewest)) break;
    }
    // Of a stream only what it must have taken is left out: else on a busy machine streams would seem too quick.
    there_and_back_ = least(times);
    return quicker_quarter(times);
  }

  /// A stream that takes about `wanted` seconds: its bytes, and the median of three that follow another.
  struct Longest {
    std::int64_t bytes;
    double seconds;
    bool is_long = false;  ///< as long as wanted, again; else there was no time for it
  };
  Longest measure_stream(double wanted, double until) {
    wanted = std::max(wanted, std::min(ways_of_a_stream * there_and_back_, most_for_a_stream));
    constexpr double fastest_growth = 8;
    constexpr double long_enough = 0.5;
    Longest found{bytes_.first, stream(bytes_.first).took};
    const auto is_long = [&] { return found.seconds >= long_enough * wanted || found.bytes == most_bytes; };
    // What is shorter says little: a network may pass the first bytes after a pause for free, also those of the first
    // long one. Only its repetitions tell that a stream is long, and did not just wait for a processor.
    while (!found.is_long && Clock::now() + found.seconds < until) {
      if (is_long()) {
        std::array<double, 3> again{};
        again.fill(stream(found.bytes).took);
        if (Clock::now() + (2 * found.seconds) < until)
          for (std::size_t i = 1; i < again.size(); ++i) again[i] = stream(found.bytes).took;
        std::sort(again.begin(), again.end());
        found.seconds = again[1];
        found.is_long = is_long();
        continue;
      }
      const double growth = std::clamp(wanted / std::max(found.seconds, 1e-9), 2.0, fastest_growth);
      found.bytes = std::min(static_cast<std::int64_t>(static_cast<double>(found.bytes) * growth), most_bytes);
      // In whole messages of the greatest length, so that each has the same.
      if (found.bytes > bytes_.longest) found.bytes -= found.bytes % bytes_.longest;
      found.seconds = stream(found.bytes).took;
    }
    return found;
  }

 private:
  void receive(std::int64_t bytes) {
    char* const into = room(data_, bytes);
    pmpi.Recv(into, static_cast<int>(bytes), handles.byte, peer_, tag_of_probe, process().world, MPI_STATUS_IGNORE);
  }
  void swap(std::int64_t bytes) {
    char* const from = room(data_, bytes);
    char* const into = room(other_data_, bytes);
    pmpi.Sendrecv(from, static_cast<int>(bytes), handles.byte, peer_, tag_of_probe, into, static_cast<int>(bytes),
                  handles.byte, peer_, tag_of_probe, process().world, MPI_STATUS_IGNORE);
  }

  int peer_;
  Lengths bytes_;
  double there_and_back_ = 0;
  std::vector<char> data_;
  std::vector<char> other_data_;
};

/// Seconds a byte of local work: of copies, or of sums of doubles.
double of_a_byte(bool combine) {
  constexpr std::size_t doubles = 32768;
  constexpr int repetitions = 9;
  std::vector<double> from(doubles);
  std::vector<double> into(doubles);
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const double start = Clock::now();
    if (combine) {
      pmpi.Reduce_local(from.data(), into.data(), static_cast<int>(doubles), handles.double_, handles.sum);
    } else {
      std::copy(from.begin(), from.end(), into.begin());
      from.swap(into);  // so that no copy can be left out
    }
    times.push_back(Clock::now() - start);
  }
  return least(times) / static_cast<double>(doubles * sizeof(double));
}

/// What messages cost between two ranks.
struct Costs {
  double overhead;
  double gap;
  double way;           ///< seconds from one to the other, of the smallest message
  End::Longest stream;  ///< the longest that was measured
};

/// As docs/cost-model.md has it for `starling calibrate`. The other end follows.
Costs costs(End& end, double wanted, double until) {
  constexpr int repetitions = 3;
  Costs found{};
  found.way = end.measure_way(until) / 2;
  std::vector<double> sending;
  std::vector<double> gaps;
  for (int i = 0; i < repetitions; ++i) {
    const auto [sent, took] = end.stream(1, burst);
    sending.push_back(sent / burst);
    gaps.push_back(took / burst);
    if (Clock::now() > until) break;
  }
  found.overhead = std::min(least(sending), found.way / 2);
  found.gap = least(gaps);
  found.stream = end.measure_stream(wanted, until);
  return found;
}

/// What messages between nodes do while all pairs send at once.
struct AtOnce {
  double of_a_byte;  ///< seconds; of one pair alone where pairs do not slow each other down
  bool take_turns;   ///< large messages of two ranks to each other
};

/// On the first rank. The other leaders wait for orders.
AtOnce at_once(const ProbePlan& plan, End& mine, const End::Longest& alone, double until) {
  const std::span others = std::span(plan.between_nodes).subspan(1);
  const auto pairs = static_cast<int>(plan.between_nodes.size());
  const auto order = [&](const Order& what) {
    for (const auto& pair : others) send(what, pair.one);
  };
  const auto seconds = [&](const Order& what) {
    order(what);
    std::vector<double> of_pairs{mine.measured(what)};
    for (const auto& pair : others) of_pairs.push_back(received(pair.one).value);
    return of_pairs;
  };
  const auto of_stream = [&](std::int64_t bytes) {
    const std::vector<double> of_pairs = seconds({.what = Order::measure, .bytes = bytes});
    return std::accumulate(of_pairs.begin(), of_pairs.end(), 0.0) / pairs;
  };

  double of_all = alone.seconds;
  if (!others.empty() && Clock::now() + (pairs * alone.seconds) < until) {
    constexpr double clearly = 0.8;  // less of the rate than this is no accident
    constexpr int most = 2;
    order({.what = Order::answer});  // makes connections
    for (const auto& pair : others) received(pair.one);
    // The first one may pass a part for free, as above.
    double quickest = of_stream(alone.bytes);
    for (int i = 0; i < most && clearly * quickest > alone.seconds && Clock::now() + quickest < until; ++i) {
      const double mean = of_stream(alone.bytes);
      quickest = i == 0 ? mean : std::min(quickest, mean);
    }
    if (clearly * quickest > alone.seconds) of_all = quickest;
  }
  AtOnce found{of_all / static_cast<double>(alone.bytes), false};

  // Where large messages take turns it is not each time, as it depends on which rank asks first (Open MPI's TCP: two
  // times of three), so that a quarter of some exchanges is enough, and one of few.
  constexpr std::int64_t bytes = std::int64_t{1} << 17;  // twice where libraries begin to ask first
  constexpr double turns = 1.5;                          // of the time of one message alone: 2 if they do, 1 if not
  constexpr double fewest = 4;
  constexpr double most = 21;
  double one = static_cast<double>(bytes) * found.of_a_byte;
  const int rounds = static_cast<int>(std::ceil(std::clamp(for_exchanges / std::max(one, 1e-9), fewest, most) / pairs));
  if (rounds * one < most_for_exchanges && Clock::now() + (2 * rounds * one) < until) {
    if (bytes < alone.bytes) one = of_stream(bytes);
    const int enough = rounds * pairs / 4;
    int yes = 0;
    for (int left = rounds; yes < enough && yes + (left * pairs) >= enough; --left)
      for (const double took_both : seconds({.what = Order::swap, .bytes = bytes}))
        yes += took_both > turns * one ? 1 : 0;
    found.take_turns = yes >= enough;
  }
  order({.what = Order::end});
  return found;
}

/// On the leader of another pair than the first; `first` is the first rank.
void lead_at_once(const ProbePlan::Pair& pair, int first) {
  End end(pair.other, between_nodes);
  for (Order order = received(first); order.what != Order::end; order = received(first))
    send({.what = Order::answer, .value = end.measured(order)}, first);
  end.stop();
}

/// On the first rank: seconds in which every rank passes a small message on to the next one, all at once. More than the
/// way of such a message alone where ranks share what sending and receiving takes: processors, above all. Collective.
double way_at_once(const ProbePlan& plan, Consensus& consensus, double until) {
  constexpr std::int64_t bytes = sizeof(Order);  // as alone
  constexpr int few = 3;
  constexpr int most = 60;
  const std::size_t ranks = plan.ranks.size();
  const auto here =
      static_cast<std::size_t>(std::find(plan.ranks.begin(), plan.ranks.end(), process().rank) - plan.ranks.begin());
  const int next = plan.ranks[(here + 1) % ranks];
  const int before = plan.ranks[(here + ranks - 1) % ranks];
  std::vector<char> from(bytes);
  std::vector<char> into(bytes);
  // A rank that was not scheduled for a while finds several messages there: only their mean tells.
  const auto pass = [&](int repetitions) {
    const double start = Clock::now();
    for (int i = 0; i < repetitions; ++i)
      pmpi.Sendrecv(from.data(), static_cast<int>(bytes), handles.byte, next, tag_of_probe, into.data(),
                    static_cast<int>(bytes), handles.byte, before, tag_of_probe, process().world, MPI_STATUS_IGNORE);
    return (Clock::now() - start) / repetitions;
  };
  // Makes connections. Whoever comes late to it finds the messages of several passes there: so all begin together.
  pass(1);
  std::array<double, 1> nothing{};
  consensus.broadcast(nothing);
  const double mean = pass(few);
  const double left = std::min(until - Clock::now(), for_pings);
  double wanted = std::clamp(left / std::max(mean, 1e-9), 0.0, double{most});
  consensus.broadcast({&wanted, 1});
  const int repetitions = static_cast<int>(wanted);
  return repetitions > few ? pass(repetitions) : mean;
}

/// Within bounds that any file of parameters has, whatever the clock said.
double plausible(double seconds) {
  return seconds >= 0 ? std::min(seconds, 1.0) : 0;
}

}  // namespace

ProbePlan ProbePlan::of(std::vector<int> ranks, std::span<const int> nodes) {
  ProbePlan plan;
  std::vector<int> leaders;
  std::map<int, int> leader_of_node;
  for (const int rank : ranks) {
    const auto [found, is_new] = leader_of_node.try_emplace(nodes[static_cast<std::size_t>(rank)], rank);
    if (is_new) leaders.push_back(rank);
    if (!is_new && plan.within_node.empty()) plan.within_node.push_back({found->second, rank});
  }
  plan.ranks = std::move(ranks);
  // Nodes that are far from each other in the order of ranks are more likely to be so in the network.
  const std::size_t half = leaders.size() / 2;
  for (std::size_t i = 0; i < std::min(half, most_pairs); ++i)
    plan.between_nodes.push_back({leaders[i], leaders[i + half]});
  return plan;
}

MeasuredNetwork probe(const ProbePlan& plan, Consensus& consensus) {
  const int me = process().rank;
  const int first = plan.first();
  MeasuredNetwork found;
  CostParameters& parameters = found.parameters;
  const double until = Clock::now() + (plan.between_nodes.empty() ? most_seconds_on_a_node : most_seconds);
  double way = 0;  // of a message, while no other one is under way

  for (std::size_t i = 0; i < plan.between_nodes.size(); ++i) {
    const auto& pair = plan.between_nodes[i];
    if (me == pair.other) End(pair.one, between_nodes).follow();
    if (me != pair.one) continue;
    if (i > 0) {
      lead_at_once(pair, first);
      continue;
    }
    End end(pair.other, between_nodes);
    const Costs far = costs(end, for_a_stream, until);
    const AtOnce all = at_once(plan, end, far.stream, until);
    parameters.large_take_turns = all.take_turns;
    if (all.of_a_byte > 0) found.rate = std::max<std::int64_t>(1, static_cast<std::int64_t>(8 / all.of_a_byte));
    end.stop();
    parameters.overhead = plausible(far.overhead);
    parameters.gap = plausible(far.gap);
    parameters.latency = plausible(far.way - 2 * far.overhead);
    way = far.way;
  }

  // After what goes between nodes, so that one does not disturb the other: the first rank says when, and how long at
  // most.
  for (const auto& pair : plan.within_node) {
    std::array<double, 3> near{};
    if (me == first && pair.one != first) {
      send({.what = Order::measure, .value = until - Clock::now()}, pair.one);
      for (double& value : near) value = received(pair.one).value;
    }
    if (me == pair.other) End(pair.one, in_memory).follow();
    if (me == pair.one) {
      End end(pair.other, in_memory);
      const double deadline = me == first ? until : Clock::now() + received(first).value;
      const Costs costs_here = costs(end, for_a_stream_in_memory, deadline);
      end.stop();
      const auto& [bytes, seconds, is_long] = costs_here.stream;
      near = {costs_here.overhead, costs_here.way, is_long ? seconds / static_cast<double>(bytes) : 0};
      if (me != first)
        for (const double value : near) send({.what = Order::answer, .value = value}, first);
    }
    if (me != first) continue;
    const auto [overhead, near_way, of_a_near_byte] = near;
    if (plan.between_nodes.empty()) {
      parameters.overhead = plausible(overhead);
      parameters.gap = 0;
      way = near_way;
    }
    parameters.memory_latency = plausible(near_way - 2 * parameters.overhead);
    if (of_a_near_byte > 0) parameters.memory_per_byte = plausible(of_a_near_byte);
  }
  const double at_once = way_at_once(plan, consensus, until);
  if (me == first) {
    // In a collective all ranks are busy: what a message then costs more than alone is processor time at both ends.
    parameters.overhead = plausible(parameters.overhead + (std::max(0.0, at_once - way) / 2));
    parameters.copy_per_byte = plausible(of_a_byte(false));
    parameters.combine_per_byte = plausible(of_a_byte(true));
  }
  return found;
}

}  // namespace starling
