#include "schedule/steps/messages.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "schedule/flat_schedule.hpp"
#include "schedule/placement.hpp"
#include "schedule/ranks_at_work.hpp"
#include "schedule/steps/binder.hpp"
#include "schedule/steps/drawing.hpp"

namespace starling {

Messages Messages::placed(const Placing& where) const {
  Messages moved;
  moved.receives.reserve(receives.size());
  moved.sends.reserve(sends.size());
  for (const Transfer& one : receives) moved.receives.push_back({where.rank(one.peer), where.blocks(one.blocks)});
  for (const Transfer& one : sends) moved.sends.push_back({where.rank(one.peer), where.blocks(one.blocks)});
  return moved;
}

Drawing Messages::drawn() const {
  return {.arrows = Drawing::Arrows{receives, sends}};
}

Messages::Flat Messages::flattened(FlatSchedule& into) const {
  const auto first = static_cast<std::int32_t>(into.transfers.size());
  into.transfers.insert(into.transfers.end(), receives.begin(), receives.end());
  into.transfers.insert(into.transfers.end(), sends.begin(), sends.end());
  const auto are_single = [](const std::vector<Transfer>& all) {
    return std::all_of(all.begin(), all.end(), [&](const Transfer& one) {
      return one.blocks.count == 1 && one.blocks.buffer < Buffer::scratch &&
             one.blocks.buffer == all.front().blocks.buffer;
    });
  };
  return {first, static_cast<std::int32_t>(receives.size()), static_cast<std::int32_t>(sends.size()), 1,
          are_single(receives) && are_single(sends)};
}

bool Messages::Flat::join(const Flat& next, const InSchedule& all) {
  const auto buffer = [&](std::int32_t transfer) {
    return all.transfers[static_cast<std::size_t>(transfer)].blocks.buffer;
  };
  const bool is_the_same = may_exchange() && next.may_exchange() && buffer(first) == buffer(next.first) &&
                           buffer(first + 1) == buffer(next.first + 1);
  if (is_the_same) rounds += next.rounds;
  return is_the_same;
}

void Messages::Flat::bind(Binder& binder) const {
  const std::int32_t each = receives + sends;
  const std::int32_t end = first + (rounds * each);
  for (std::int32_t at = first; at != end; at += each) {
    if (may_exchange()) at = bind_exchanges(binder, at, end);
    if (at == end) return;
    bind_round(binder, at);
  }
}

std::int32_t Messages::Flat::bind_exchanges(Binder& binder, std::int32_t at, std::int32_t end) {
  const Transfer* const transfers = binder.schedule.transfers.data();
  const Units* const received = binder.where.listed(transfers[at].blocks.buffer);
  const Units* const sent = binder.where.listed(transfers[at + 1].blocks.buffer);
  if (received == nullptr || sent == nullptr) return at;
  Message* const messages = binder.program.messages.data();
  for (; at != end; at += 2) {
    const auto& [from, in] = transfers[at];
    const auto& [to, out] = transfers[at + 1];
    const Units receive = received[in.first];
    const Units send = sent[out.first];
    // As numbers without a sign, so that zero is the largest.
    const auto largest =
        std::max(static_cast<std::uint64_t>(receive.count) - 1, static_cast<std::uint64_t>(send.count) - 1);
    if (largest >= std::numeric_limits<std::int32_t>::max()) break;
    messages[at] = {from, in.buffer, receive};
    messages[at + 1] = {to, out.buffer, send};
    binder.add<Messages>(at, 2, Form::exchange, 1);
  }
  return at;
}

void Messages::Flat::bind_round(Binder& binder, std::int32_t at) const {
  const Resolver& where = binder.where;
  Message* message = binder.program.messages.data() + at;
  const Transfer* transfer = binder.schedule.transfers.data() + at;
  std::int64_t counts = 0;  // all of them in one: it fits an int where each does
  const auto add = [&](std::int32_t count, const auto& units_of) {
    const Message* const before = message;
    for (const Transfer* const end = transfer + count; transfer != end; ++transfer) {
      const auto& [peer, blocks] = *transfer;
      const Units data = units_of(blocks);
      if (data.count == 0 && blocks.count > 0) continue;
      counts |= data.count;
      *message++ = {peer, blocks.buffer, data};
    }
    return static_cast<std::int32_t>(message - before);
  };
  const auto add_all = [&](std::int32_t count) {
    const Units* const listed = single_blocks && count > 0 ? where.listed(transfer->blocks.buffer) : nullptr;
    if (listed != nullptr) return add(count, [listed](Blocks blocks) { return listed[blocks.first]; });
    return add(count, [&where](Blocks blocks) { return where(blocks).units(); });
  };
  const std::int32_t in = add_all(receives);
  const std::int32_t out = add_all(sends);
  if (in + out == 0) return;
  const bool is_quick = in <= 1 && out <= 1 && counts <= std::numeric_limits<std::int32_t>::max();
  const Form form = !is_quick ? Form::any : in == 0 ? Form::send : out == 0 ? Form::receive : Form::exchange;
  binder.add<Messages>(at, in + out, form, out);
}

std::int32_t Messages::InProgram::append(const InProgram& other, const Step& step, const RankSet& ranks) {
  const auto first = static_cast<std::int32_t>(messages.size());
  for (Message one : step.of(other.messages)) {
    one.peer = ranks.rank(one.peer);
    messages.push_back(one);
  }
  return first;
}

MessageRule::MessageRule(RanksAtWork& all)
    : all_(all), channels_(static_cast<std::size_t>(all.ranks())), waiting_(static_cast<std::size_t>(all.ranks())) {}

bool MessageRule::begin(int rank, const Messages& step) {
  Memory& memory = all_.memory(rank);
  all_.naming(rank, [&] {
    for (const Transfer& one : step.receives) {
      must_be_peer(one.peer, rank);
      memory.write_in_round(one.blocks);
    }
    for (const Transfer& one : step.sends) {
      must_be_peer(one.peer, rank);
      memory.read_in_round(one.blocks);
    }
  });
  int& waiting = waiting_[static_cast<std::size_t>(rank)];
  waiting = static_cast<int>(step.receives.size() + step.sends.size());
  for (const Transfer& one : step.receives) post(rank, one, false);
  for (const Transfer& one : step.sends) post(rank, one, true);
  return waiting == 0;
}

void MessageRule::must_be_peer(int peer, int rank) const {
  if (peer < 0 || peer >= all_.ranks())
    throw Mistake{"talks to rank " + std::to_string(peer) + ", and there is no such rank"};
  if (peer == rank) throw Mistake{"talks to itself"};
}

void MessageRule::post(int rank, const Transfer& transfer, bool is_send) {
  const std::optional<Post> other = channels_.meet(rank, transfer, is_send);
  if (!other) return;
  if (is_send) {
    deliver(rank, transfer, other->rank, *other->transfer);
  } else {
    deliver(other->rank, *other->transfer, rank, transfer);
  }
  --waiting_[static_cast<std::size_t>(rank)];
  if (--waiting_[static_cast<std::size_t>(other->rank)] == 0) all_.may_go_on(other->rank);
}

void MessageRule::deliver(int from, const Transfer& send, int to, const Transfer& receive) {
  const auto mismatch = [&](const char* how) {
    return Mistake{all_.place(to) + " receives " + describe(receive.blocks) + " from rank " + std::to_string(from) +
                   ", which in its round " + std::to_string(all_.round_number(from)) + " sends " +
                   describe(send.blocks) + ", and these differ in " + how +
                   all_.hint(send.blocks.count == 0 || receive.blocks.count == 0)};
  };
  if (send.blocks.count != receive.blocks.count) throw mismatch("their number of blocks");
  if (HappensBefore* const order = all_.order(); order != nullptr && order->counts(send.blocks.count > 0))
    order->hear(to, from);
  if (send.blocks.count == 0) return;
  if (!all_.memory(to).fit(receive.blocks, all_.memory(from).sizes(send.blocks))) throw mismatch("size");
  all_.memory(to).write(receive.blocks, all_.memory(from).values(send.blocks));
}

Wait MessageRule::wait_of(int rank, const Messages& /*step*/) const {
  for (int peer = 0; peer < all_.ranks(); ++peer) {
    const std::string other = "rank " + std::to_string(peer);
    if (const Transfer* one = channels_.waiting(rank, peer, false))
      return {peer, "waits for " + describe(one->blocks) + " from " + other, one->blocks.count == 0};
    if (const Transfer* one = channels_.waiting(rank, peer, true))
      return {peer, "waits until " + other + " receives " + describe(one->blocks), one->blocks.count == 0};
  }
  return {rank, "waits for itself"};
}

}  // namespace starling
