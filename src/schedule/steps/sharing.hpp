#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/layout.hpp"
#include "schedule/rank_set.hpp"
#include "schedule/steps/arrays.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

class Placing;
class RanksAtWork;
class SharingRule;
struct Binder;
struct Drawing;
struct FlatSchedule;
struct Step;

/// Blocks that a rank makes readable for other ranks of its node, in memory they share. Each reader takes them once.
struct Publication {
  Blocks from;
  std::vector<int> readers;
  bool once = false;  ///< where it is large, each reader copies it from the publisher's memory
  bool operator==(const Publication&) const = default;
  [[nodiscard]] std::size_t bytes() const { return bytes_of(readers); }
};

/// The next publication of `peer` for this rank: into = left (operator) what is taken (operator) right. Of the two
/// operands each may be missing, and `right` may be `into`; else they are no blocks of `into`.
struct Take {
  int peer;
  Blocks into;
  Blocks left = nothing();
  Blocks right = nothing();

  bool operator==(const Take&) const = default;
  /// Whether there is the operand.
  [[nodiscard]] static bool is_there(Blocks operand) { return operand.count > 0; }
};

/// A publication of a program; its readers are among `readers` of the program.
struct BoundPublication {
  /// So many bytes for one reader stay in place, where ranks may read each other's memory: they are more than caches
  /// hold. Of fewer bytes, or with more readers, two copies at once are as fast or faster (bench/single_copy.cpp).
  static constexpr std::int64_t least_in_place = std::int64_t{8} << 20U;
  /// Of a publication that is to be copied once: for fewer bytes the system's call takes longer than a copy.
  static constexpr std::int64_t least_copied_once = std::int64_t{64} << 10U;

  Extent data;
  std::int32_t first_reader;
  std::int32_t readers;
  bool once;

  [[nodiscard]] bool may_stay_in_place(std::int64_t bytes) const {
    return once ? bytes >= least_copied_once : readers == 1 && bytes >= least_in_place;
  }
};

struct BoundTake {
  std::int32_t peer;
  Extent into;
  Extent left;  ///< of no elements where it is missing, as `right`
  Extent right;

  [[nodiscard]] int operands() const { return (left.count > 0 ? 1 : 0) + (right.count > 0 ? 1 : 0); }
};

/// A sharing of a program: some of its publications and takes.
struct BoundSharing {
  std::int32_t first_publication;
  std::int32_t publications;
  std::int32_t first_take;
  std::int32_t takes;
  std::int64_t most;  ///< units of the largest of them
};

/// Meets ranks of the same node in memory they share: publishes in the order given and, at the same time, takes in the
/// order given. It is over when all is taken, and may be over earlier: a publication needs no reader to wait.
struct Sharing {
  static constexpr std::string_view name = "sharing";

  std::vector<Publication> publications;
  std::vector<Take> takes;

  bool operator==(const Sharing&) const = default;
  [[nodiscard]] bool empty() const { return publications.empty() && takes.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(publications) + bytes_of(takes); }
  [[nodiscard]] Sharing placed(const Placing& where) const;
  [[nodiscard]] Drawing drawn() const;

  struct InSchedule {
    std::vector<Sharing> sharings;
    static auto arrays(auto& of) { return std::tie(of.sharings); }
  };
  struct Flat {
    std::int32_t index;
    /// Makes a step of the program. What has blocks that turn out empty is left out, for both ends know.
    void bind(Binder& binder) const;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into) const;

  struct InProgram {
    std::vector<BoundSharing> sharings;
    std::vector<BoundPublication> publications;
    std::vector<BoundTake> takes;
    std::vector<std::int32_t> readers;  ///< of publications
    static auto arrays(auto& of) { return std::tie(of.sharings, of.publications, of.takes, of.readers); }
    std::int32_t append(const InProgram& other, const Step& step, const RankSet& ranks);

    [[nodiscard]] const BoundSharing& sharing_of(const Step& step) const;
    /// What a sharing takes from these arrays.
    [[nodiscard]] std::span<const BoundPublication> publications_of(const BoundSharing& sharing) const {
      return std::span(publications)
          .subspan(static_cast<std::size_t>(sharing.first_publication), static_cast<std::size_t>(sharing.publications));
    }
    [[nodiscard]] std::span<const BoundTake> takes_of(const BoundSharing& sharing) const {
      return std::span(takes).subspan(static_cast<std::size_t>(sharing.first_take),
                                      static_cast<std::size_t>(sharing.takes));
    }
    [[nodiscard]] std::span<const std::int32_t> readers_of(const BoundPublication& publication) const {
      return std::span(readers).subspan(static_cast<std::size_t>(publication.first_reader),
                                        static_cast<std::size_t>(publication.readers));
    }
  };

  using Rule = SharingRule;
};

/// The k-th publication of a rank that names another as a reader meets the k-th take there from that rank and has its
/// blocks and sizes. Nothing is read that was not written, or written by the round that publishes it. Whatever room the
/// memory has, nobody waits for ever: a publication lasts until all its readers have taken it, and the next one of the
/// round begins after it; a take ends before the next one of the round begins. All ranks that meet are on one node.
class SharingRule {
 public:
  explicit SharingRule(RanksAtWork& all);
  /// Goes as far as it can; true if nothing has to be waited for. Throws Mistake.
  bool begin(int rank, const Sharing& step);
  /// What the rank waits for.
  [[nodiscard]] Wait wait_of(int rank, const Sharing& step) const;

 private:
  /// How far a rank has come in the step it is in.
  struct Progress {
    const Sharing* step = nullptr;  ///< null: in none
    std::size_t published = 0;      ///< publications that are over
    std::vector<bool> served;       ///< the readers of the current one that have taken it
    std::size_t taken = 0;
  };

  void must_be_possible(int rank, const Sharing& step) const;
  void must_be_near(int rank, int peer) const;
  /// Lets a rank take what is there; true where that was something.
  bool take_one(int rank);
  /// Goes on to the next publication where all readers have taken the current one; true if so.
  bool publish_next(int rank);
  void deliver(int from, const Publication& publication, int to, const Take& take);
  [[nodiscard]] static bool is_over(const Progress& of) {
    return of.published == of.step->publications.size() && of.taken == of.step->takes.size();
  }
  Progress& at(int rank) { return progress_[static_cast<std::size_t>(rank)]; }

  RanksAtWork& all_;
  std::vector<Progress> progress_;  ///< of each rank
};

}  // namespace starling
