#pragma once

#include "schedule/program.hpp"
#include "schedule/resolver.hpp"

namespace starling {

/// A flat schedule half bound: what the steps of each kind take their share from, and the program that they go to.
class Binder {
 public:
  Binder(const FlatSchedule& schedule, const Resolver& resolver, Program& into)
      : where(resolver),
        program(into),
        transfer(schedule.transfers.data()),
        local(schedule.locals.data()),
        sub(schedule.subs.data()),
        sharing(schedule.sharings.data()),
        message(into.messages.data()) {}

  Step& add(const Step& step) { return program.steps.emplace_back(step); }
  [[nodiscard]] std::int32_t index_of(const Message* one) const {
    return static_cast<std::int32_t>(one - program.messages.data());
  }

  const Resolver& where;
  Program& program;
  const Transfer* transfer;  ///< the next of each that is not bound yet
  const Local* local;
  const SubCollective* sub;
  const Sharing* sharing;
  Message* message;  ///< behind those bound, for which there is room
};

}  // namespace starling
