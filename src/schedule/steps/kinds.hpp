#pragma once

#include "schedule/steps/kind_of_step.hpp"
#include "schedule/steps/local_work.hpp"
#include "schedule/steps/messages.hpp"
#include "schedule/steps/native_part.hpp"
#include "schedule/steps/sharing.hpp"

namespace starling {

/// Every kind of step: local work, and the ways in which ranks meet. A new one is a file of its own, included and named
/// here. KindOfStep says what it provides.
using StepKinds = LocalAndMeetings<LocalWork, Messages, SubCollective, Sharing>;
/// What takes other ranks in a round.
using Meeting = StepKinds::Meeting;

}  // namespace starling
