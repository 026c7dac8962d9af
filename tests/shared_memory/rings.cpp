// Members of shared memory as threads. `make test-unit-threads` runs these tests under thread sanitizer too.

#include "shared_memory/rings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace starling {
namespace {

/// Memory for some members, all zeros.
class SharedMemory {
 public:
  explicit SharedMemory(int members)
      : memory_(static_cast<char*>(operator new (SharedRings::bytes(members), std::align_val_t{64}))) {
    std::memset(memory_.get(), 0, SharedRings::bytes(members));
  }
  [[nodiscard]] char* get() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(char* memory) const { operator delete (memory, std::align_val_t{64}); }
  };
  std::unique_ptr<char, Free> memory_;
};

/// `bytes` bytes that tell who wrote them when.
std::string text(int writer, int turn, std::size_t bytes) {
  std::string all = std::to_string(writer) + "." + std::to_string(turn) + " ";
  all.reserve(2 * bytes);
  while (all.size() < bytes) all += all;
  all.resize(bytes);
  return all;
}

void publish(SharedRings& rings, const std::vector<std::int32_t>& readers, const std::string& data) {
  while (!rings.publish(readers, {data.data(), data.size(), true})) std::this_thread::yield();
}

std::string take(SharedRings& rings, int writer) {
  auto found = rings.next(writer);
  for (; !found; found = rings.next(writer)) std::this_thread::yield();
  std::string copy(found->here, found->bytes);
  rings.taken(writer);
  return copy;
}

/// Member `me` of so many, who are named 0, 1, ...
SharedRings rings_of(const SharedMemory& memory, int members, int me) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(members));
  std::iota(places.begin(), places.end(), 0);
  return {memory.get(), members, std::move(places), me};
}

/// Runs `work(rings, member)` in a thread for each member.
template <class Work>
void run(int members, Work work) {
  const SharedMemory memory(members);
  std::vector<std::thread> threads;
  for (int me = 0; me < members; ++me)
    threads.emplace_back([&, me] {
      SharedRings rings = rings_of(memory, members, me);
      work(rings, me);
    });
  for (std::thread& one : threads) one.join();
}

/// Sizes in a slot, at its limits, in a chunk.
std::size_t size_of(int turn) {
  constexpr std::array<std::size_t, 7> sizes{8, SharedRings::most_in_slot, 0,   SharedRings::most_in_slot + 1,
                                             1, SharedRings::chunk_bytes,  3000};
  return sizes[static_cast<std::size_t>(turn) % sizes.size()];
}

constexpr int turns = 400;  // slots and chunks are used again many times

TEST(SharedRings, BringsEachPublicationToItsReaderInOrder) {
  run(2, [](SharedRings& rings, int me) {
    for (int turn = 0; turn < turns; ++turn) {
      if (me == 0) {
        publish(rings, {1}, text(0, turn, size_of(turn)));
      } else {
        ASSERT_EQ(take(rings, 0), text(0, turn, size_of(turn))) << turn;
      }
    }
  });
}

TEST(SharedRings, BringsOnePublicationToManyReaders) {
  run(4, [](SharedRings& rings, int me) {
    const std::vector<std::int32_t> everyone{1, 2, 3};
    for (int turn = 0; turn < turns; ++turn) {
      // Between those for all are some for one reader only, of whom the others know nothing.
      const int only = 1 + (turn % 3);
      if (me == 0) {
        publish(rings, everyone, text(0, turn, size_of(turn)));
        publish(rings, {only}, text(only, turn, size_of(turn + 3)));
      } else {
        ASSERT_EQ(take(rings, 0), text(0, turn, size_of(turn))) << turn;
        if (me == only) {
          ASSERT_EQ(take(rings, 0), text(me, turn, size_of(turn + 3))) << turn;
        }
      }
    }
  });
}

TEST(SharedRings, ArePartsOfAllMembersAndNothingElse) {
  for (const int members : {2, 3, 8, 17, 128}) {
    std::vector<SharedRings::Part> parts;
    for (int one = 0; one < members; ++one)
      std::ranges::copy(SharedRings::parts_of(members, static_cast<std::size_t>(one)), std::back_inserter(parts));
    std::ranges::sort(parts, {}, &SharedRings::Part::first);
    std::size_t end = 0;
    for (const SharedRings::Part& part : parts) {
      EXPECT_EQ(part.first, end) << members;
      end = part.first + part.bytes;
    }
    EXPECT_EQ(end, SharedRings::bytes(members)) << members;
  }
}

TEST(SharedRings, LetsAllMembersExchangeAtOnce) {
  run(3, [](SharedRings& rings, int me) {
    for (int turn = 0; turn < turns; ++turn) {
      publish(rings, {(me + 1) % 3, (me + 2) % 3}, text(me, turn, size_of(turn)));
      for (const int writer : {(me + 1) % 3, (me + 2) % 3})
        ASSERT_EQ(take(rings, writer), text(writer, turn, size_of(turn))) << turn;
    }
  });
}

/// Lets publications of members that are threads stay in place.
void stay_in_place(SharedRings& rings, int members) {
  rings.know_processes(std::vector<ProcessWord>(static_cast<std::size_t>(members), ProcessWord::mine()), true);
}

/// Publishes `data` in place, and answers until it is taken.
void publish_in_place(SharedRings& rings, const std::vector<std::int32_t>& readers, const std::string& data) {
  while (!rings.publish_in_place(readers, data.data(), data.size())) std::this_thread::yield();
  while (rings.is_needed())
    if (!rings.answer()) std::this_thread::yield();
}

/// Takes what is in place: reads the first `readable` bytes, and asks for each piece of the others.
std::string take_in_place(SharedRings& rings, int writer, std::size_t bytes, std::size_t readable) {
  auto found = rings.next(writer);
  for (; !found; found = rings.next(writer)) std::this_thread::yield();
  EXPECT_EQ(found->here, nullptr);
  EXPECT_EQ(found->bytes, bytes);
  EXPECT_TRUE(found->is_last);
  std::string data(bytes, '\0');
  EXPECT_EQ(rings.read(writer, found->in_place, data.data(), readable), readable);
  for (std::size_t done = readable; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, SharedRings::chunk_bytes);
    rings.ask(writer, found->in_place + done, piece);
    while (rings.answer_of(writer) == nullptr) {
      rings.answer();  // the writer may wait for an answer too
      std::this_thread::yield();
    }
    std::memcpy(data.data() + done, rings.answer_of(writer), piece);
    rings.heard(writer);
    done += piece;
  }
  rings.taken(writer);
  return data;
}

constexpr std::size_t large = (2 * SharedRings::chunk_bytes) + 100;

TEST(SharedRings, LeavesDataInPlaceUntilAllHaveTakenIt) {
  run(3, [](SharedRings& rings, int me) {
    stay_in_place(rings, 3);
    std::string data;
    for (int turn = 0; turn < turns; ++turn) {
      const std::size_t bytes = large - static_cast<std::size_t>(turn);
      if (me == 0) {
        data = text(0, turn, bytes);  // where the last one was
        publish_in_place(rings, {1, 2}, data);
        publish(rings, {2}, text(2, turn, size_of(turn)));
      } else {
        ASSERT_EQ(take_in_place(rings, 0, bytes, bytes), text(0, turn, bytes)) << turn;
        if (me == 2) {
          ASSERT_EQ(take(rings, 0), text(2, turn, size_of(turn))) << turn;
        }
      }
    }
  });
}

TEST(SharedRings, AnswersReadersThatCannotReadWhatIsInPlace) {
  run(4, [](SharedRings& rings, int me) {
    stay_in_place(rings, 4);
    for (int turn = 0; turn < turns; ++turn) {
      if (me == 0) {
        publish_in_place(rings, {1, 2, 3}, text(0, turn, large));
      } else {
        // One reads everything, one a part, one nothing.
        const std::size_t readable = static_cast<std::size_t>(3 - me) * SharedRings::chunk_bytes;
        ASSERT_EQ(take_in_place(rings, 0, large, me == 1 ? large : readable), text(0, turn, large)) << turn;
      }
    }
    if (me == 0) {
      EXPECT_TRUE(rings.may_stay_in_place(std::vector<std::int32_t>{1}));
      EXPECT_FALSE(rings.may_stay_in_place(std::vector<std::int32_t>{2})) << "it had to ask";
      EXPECT_FALSE(rings.may_stay_in_place(std::vector<std::int32_t>{1, 3}));
    }
  });
}

TEST(SharedRings, AnswersWhileItAsks) {
  run(3, [](SharedRings& rings, int me) {
    stay_in_place(rings, 3);
    const std::vector<std::int32_t> others{(me + 1) % 3, (me + 2) % 3};
    for (int turn = 0; turn < turns; ++turn) {
      const std::string data = text(me, turn, large);
      while (!rings.publish_in_place(others, data.data(), data.size())) std::this_thread::yield();
      for (const int writer : others) ASSERT_EQ(take_in_place(rings, writer, large, 0), text(writer, turn, large));
      while (rings.is_needed())
        if (!rings.answer()) std::this_thread::yield();
    }
  });
}

/// What many readers copy at once, helped by the writer or not: every third turn it only answers.
TEST(SharedRings, CopiesWhatIsInPlaceTogetherWithTheWriter) {
  constexpr std::size_t all = 40 * JointCopy::part_bytes;
  run(3, [](SharedRings& rings, int me) {
    stay_in_place(rings, 3);
    std::string data(all, ' ');
    for (int turn = 0; turn < turns / 4; ++turn) {
      const std::size_t bytes = all - static_cast<std::size_t>(turn);
      if (me == 0) {
        std::fill(data.begin(), data.end(), static_cast<char>('a' + (turn % 26)));
        while (!rings.publish_in_place(std::vector<std::int32_t>{1, 2}, data.data(), bytes)) std::this_thread::yield();
        while (rings.is_needed())
          if (turn % 3 == 0 || !rings.help()) std::this_thread::yield();
      } else {
        data.assign(all, ' ');
        auto found = rings.next(0);
        for (; !found; found = rings.next(0)) std::this_thread::yield();
        ASSERT_TRUE(rings.copy(0, found->in_place, data.data(), found->bytes));
        while (!rings.is_copied(0)) std::this_thread::yield();
        ASSERT_TRUE(rings.was_helped(0));
        rings.taken(0);
        ASSERT_EQ(data.find_first_not_of(static_cast<char>('a' + (turn % 26))), turn == 0 ? std::string::npos : bytes);
      }
    }
  });
}

TEST(SharedRings, CopiesNothingThatIsNotThere) {
  run(2, [](SharedRings& rings, int me) {
    stay_in_place(rings, 2);
    std::string data(large, 'a');
    if (me == 0) {
      while (!rings.publish_in_place(std::vector<std::int32_t>{1}, data.data(), large)) std::this_thread::yield();
      while (rings.is_needed()) std::this_thread::yield();
      EXPECT_FALSE(rings.help());
    } else {
      auto found = rings.next(0);
      for (; !found; found = rings.next(0)) std::this_thread::yield();
      EXPECT_FALSE(rings.copy(0, 0, data.data(), large));
      while (!rings.is_copied(0)) std::this_thread::yield();
      rings.taken(0);
    }
  });
}

TEST(SharedRings, LeavesNothingInPlaceUnlessItMay) {
  const SharedMemory memory(2);
  SharedRings rings = rings_of(memory, 2, 0);
  const std::vector<std::int32_t> reader{1};
  EXPECT_FALSE(rings.may_stay_in_place(reader));
  stay_in_place(rings, 2);
  EXPECT_TRUE(rings.may_stay_in_place(reader));
}

TEST(SharedRings, PublishesNothingWhereASlotOrAChunkIsNotFree) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}}) {
    const SharedMemory memory(3);
    SharedRings writer = rings_of(memory, 3, 0);
    SharedRings quick = rings_of(memory, 3, 1);
    SharedRings slow = rings_of(memory, 3, 2);
    const std::string data = text(0, 0, bytes);
    const SharedRings::Piece piece{data.data(), bytes, true};
    const std::vector<std::int32_t> both{1, 2};
    int room = 0;
    for (; writer.publish(both, piece); ++room) {
      ASSERT_TRUE(quick.next(0));
      quick.taken(0);
      ASSERT_LT(room, 1000);
    }
    EXPECT_EQ(room, bytes <= SharedRings::most_in_slot ? 64 : 16);
    EXPECT_FALSE(quick.next(0)) << "nothing has happened to one reader where another has no room";
    EXPECT_FALSE(writer.publish(both, piece));
    slow.taken(0);
    EXPECT_TRUE(writer.publish(both, piece));
    EXPECT_TRUE(quick.next(0));
  }
}

TEST(SharedRings, HasRoomForAnyNumberOfMembers) {
  struct Expected {
    int members;
    int room;
  };
  for (const auto& [members, room] : {Expected{16, 64}, {17, 32}, {33, 16}, {65, 8}, {100, 8}}) {
    const SharedMemory memory(members);
    const int last = members - 1;
    SharedRings writer = rings_of(memory, members, 0);
    SharedRings reader = rings_of(memory, members, last);
    SharedRings back = rings_of(memory, members, last - 1);
    const std::vector<std::int32_t> to_last{last};
    int found = 0;
    for (std::string data = text(0, 0, 8); writer.publish(to_last, {data.data(), data.size(), true});
         data = text(0, ++found, 8))
      ASSERT_LT(found, 1000);
    EXPECT_EQ(found, room) << members;
    const std::string other = text(1, 0, 20000);
    EXPECT_TRUE(back.publish(to_last, {other.data(), 16384, false}));
    for (int turn = 0; turn < found; ++turn) EXPECT_EQ(take(reader, 0), text(0, turn, 8)) << members;
    EXPECT_EQ(take(reader, last - 1), other.substr(0, 16384)) << members;
    EXPECT_FALSE(reader.next(0));
  }
}

TEST(SharedRings, SaysHowLargeAPieceIsAndWhichIsTheLast) {
  const SharedMemory memory(2);
  SharedRings writer = rings_of(memory, 2, 0);
  SharedRings reader = rings_of(memory, 2, 1);
  const std::string data = text(0, 0, SharedRings::chunk_bytes);
  const std::vector<std::int32_t> one{1};
  EXPECT_TRUE(writer.publish(one, {data.data(), data.size(), false}));
  EXPECT_TRUE(writer.publish(one, {data.data(), 5, true}));
  EXPECT_EQ(reader.next(0)->bytes, data.size());
  EXPECT_FALSE(reader.next(0)->is_last);
  reader.taken(0);
  EXPECT_EQ(reader.next(0)->bytes, 5U);
  EXPECT_TRUE(reader.next(0)->is_last);
}

}  // namespace
}  // namespace starling
