#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "messages/interned.hpp"

namespace starling {

/// The time of a candidate in earlier runs.
struct Earlier {
  double seconds;                        ///< per call, reduced over all ranks
  std::int64_t samples;                  ///< number of measured calls
  std::optional<double> deviation = {};  ///< standard deviation of single calls, in seconds; if known
};

/// A way to carry out a collective, as a strategy sees it. Candidate 0 is native; it always exists and is always
/// eligible.
struct Candidate {
  Interned name;   ///< "native", "ring_light_barrier", "chain?segment=8192"
  Interned group;  ///< candidates of one group optimise the same thing
  std::vector<std::pair<std::string, std::string>> attributes;  ///< may lack where no strategy compares by them
  Interned kind{};                 ///< those of one are probably alike in more than attributes tell: "one-sided"
  double seconds_to_begin = 0;     ///< that the first of its kind probably takes besides: windows are made for it
  Interned refusal;                ///< why it may not be proposed; empty if it may
  std::optional<Earlier> earlier;  ///< the same on all ranks; nothing if unknown
  /// Seconds that its first call on this communicator probably takes besides: communicators, or memory that ranks
  /// share, are made for it. Known of candidates with `earlier` only. Zero on all ranks or on none.
  double setup_seconds = 0;
  [[nodiscard]] bool eligible() const { return refusal.empty(); }
};

/// The groups of candidates, as numbers in the order in which they appear.
struct GroupNumbers {
  explicit GroupNumbers(std::span<const Interned> names);
  std::vector<std::uint8_t> of;  ///< each candidate's; the last number stands for all groups that come after it
  std::size_t number;            ///< how many there are
  bool operator==(const GroupNumbers&) const = default;
};

/// The candidates of a context. Programs make many communicators of one shape: copies have the list in common until
/// one changes it, and so what contexts keep of it for as long as they live.
class Candidates {
 public:
  /// What a list says of all its candidates.
  struct Summary {
    explicit Summary(std::span<const Candidate> all);
    std::shared_ptr<const std::vector<Interned>> names;
    std::shared_ptr<const std::vector<Interned>> refusals;
    std::shared_ptr<const GroupNumbers> groups;
    std::vector<bool> eligible;
    bool any_other = false;    ///< any but native may be proposed
    bool any_earlier = false;  ///< earlier runs have timed one
  };

  Candidates() : Candidates(std::vector<Candidate>()) {}
  Candidates(std::vector<Candidate> all)  // NOLINT(google-explicit-constructor): what it holds
      : all_(std::make_shared<std::vector<Candidate>>(std::move(all))) {}
  Candidates(std::initializer_list<Candidate> all) : Candidates(std::vector<Candidate>(all)) {}

  [[nodiscard]] std::size_t size() const { return all_->size(); }
  [[nodiscard]] bool empty() const { return all_->empty(); }
  [[nodiscard]] const Candidate* data() const { return all_->data(); }
  [[nodiscard]] const Candidate* begin() const { return data(); }
  [[nodiscard]] const Candidate* end() const { return data() + size(); }
  const Candidate& operator[](std::size_t candidate) const { return (*all_)[candidate]; }
  [[nodiscard]] const Candidate& front() const { return all_->front(); }
  [[nodiscard]] const Candidate& back() const { return all_->back(); }

  /// Made at the first question. Threads may ask copies of one list at once, but not one object.
  [[nodiscard]] const Summary& summary() const {
    if (!summary_) summary_ = std::make_shared<const Summary>(*all_);
    return *summary_;
  }
  /// The list, to be changed before the next question for its summary: a copy where others have it too.
  std::vector<Candidate>& own();
  /// Takes the times of earlier runs, and the Candidate::setup_seconds of each candidate that has one.
  void tell_of_earlier_runs(std::span<const std::optional<Earlier>> earlier,
                            const std::function<double(std::size_t)>& setup_seconds);

 private:
  std::shared_ptr<std::vector<Candidate>> all_;
  mutable std::shared_ptr<const Summary> summary_;  ///< null until it is asked for, and after a change
};

}  // namespace starling
