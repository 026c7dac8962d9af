#include "patterns/request.hpp"

#include <algorithm>

#include "runtime/mpi/clock.hpp"

namespace starling::patterns {

Request::~Request() {
  if (timer_ != nullptr) timer_->remove(*this);
  decider_->forget(this);
}

inline void Request::begin_call() {
  if (timer_ == nullptr) {
    turn_ = decider_->begin(this);
    learns_ = true;
  } else {
    begin_call_of_timer();
  }
  function_ = turn_.candidate;
  told_ = -1;
  failure_ = 0;
  ending_ = Decider::Ending::served;
  if (settlements_ != decider_->settlements()) {
    settlements_ = decider_->settlements();
    implementations_->release_others(function_);
    ready_ = -1;
  }
}

/// The section's time counts, not the call's; outside of a section nothing is learnt.
[[gnu::noinline]] void Request::begin_call_of_timer() {
  learns_ = false;
  turn_ = timer_->is_running() ? timer_->turn_for(*this) : decider_->unlearnt();
}

inline void Request::end_call(double seconds) {
  state_ = State::idle;
  in_flight_ = false;
  if (failure_ != 0) ending_ = Decider::Ending::failed;
  if (learns_) {
    decider_->end(this, turn_, told_ >= 0 ? told_ : seconds, ending_);
  } else if (ending_ != Decider::Ending::served && timer_ != nullptr) {
    timer_->ended(*this, ending_);
  }
}

inline Error Request::error_of_call() {
  return failure_ == 0 ? Error::none : Error::failed;
}

/// Asks what is known of another function than that of the call before. One that can't serve after all, on all ranks
/// alike, is left out; the call goes by the baseline. False if that can't serve either.
[[gnu::noinline]] bool Request::make_ready() {
  fresh_ = true;
  const int asked = function_;
  const bool is_there = implementations_->is_there(asked);
  const double from = Clock::now();
  const std::string why = implementations_->refusal(asked);
  if (!is_there) count_setup(Clock::now() - from);
  if (!why.empty()) {
    leave_out(why);
    if (!implementations_->refusal(0).empty()) return false;
  }
  ready_ = function_;
  splits_ = implementations_->splits(function_);
  return true;
}

void Request::leave_out(const std::string& why) {
  decider_->refuse(function_, why);
  function_ = 0;
  ending_ = Decider::Ending::by_baseline;
}

/// What a function needs is no part of its time, nor of the section's that it is called in.
void Request::count_setup(double seconds) {
  decider_->add_setup(turn_, seconds);
  if (timer_ != nullptr && timer_->is_running()) timer_->leave_out(seconds);
}

/// A function may turn out unable to serve when it is begun for the first time; the baseline has then begun the call.
/// Returns the seconds of that which are not the call's own.
[[gnu::noinline]] double Request::look_again() {
  fresh_ = false;
  const double setup = implementations_->take_setup();
  if (setup > 0) count_setup(setup);
  if (function_ == 0) return setup;
  if (const std::string why = implementations_->refusal(function_); !why.empty()) {
    decider_->refuse(function_, why);
    ending_ = Decider::Ending::by_baseline;
  }
  return setup;
}

Error Request::start() {
  if (state_ != State::idle) return Error::state;
  begin_call();
  if (function_ != ready_ && !make_ready()) return Error::mpi;
  state_ = State::working;
  double from = Clock::now();
  failure_ = implementations_->begin(function_, *this);
  if (fresh_) from += look_again();
  if (splits_) {
    const int failure = implementations_->finish(function_, *this);
    if (failure_ == 0) failure_ = failure;
  }
  end_call(Clock::now() - from);
  return error_of_call();
}

Error Request::init() {
  if (state_ != State::idle) return Error::state;
  begin_call();
  if (function_ != ready_ && !make_ready()) return Error::mpi;
  state_ = State::working;
  double from = Clock::now();
  failure_ = implementations_->begin(function_, *this);
  if (fresh_) from += look_again();
  seconds_ = Clock::now() - from;
  in_flight_ = splits_;
  state_ = State::between;
  return error_of_call();
}

Error Request::progress(bool& complete) {
  complete = true;
  if (state_ != State::between) return Error::state;
  if (!in_flight_) return error_of_call();
  state_ = State::working;
  const double from = Clock::now();
  const int failure = implementations_->progress(function_, *this, complete);
  seconds_ += Clock::now() - from;
  if (failure_ == 0) failure_ = failure;
  state_ = State::between;
  return error_of_call();
}

Error Request::wait() {
  if (state_ != State::between) return Error::state;
  state_ = State::working;
  const double from = Clock::now();
  if (in_flight_) {
    const int failure = implementations_->finish(function_, *this);
    if (failure_ == 0) failure_ = failure;
  }
  end_call(seconds_ + (Clock::now() - from));
  return error_of_call();
}

Error Request::update(double seconds) {
  if (!(seconds >= 0)) return Error::argument;
  if (state_ != State::idle) {
    told_ = seconds;
    return Error::none;
  }
  if (timer_ != nullptr) return Error::state;
  return decider_->replace(this, seconds) ? Error::none : Error::state;
}

Timer::~Timer() {
  for (const Registered& one : entries_) {
    one.decider->forget(this);
    one.address->set_timer(nullptr);
  }
}

void Timer::add(const std::shared_ptr<Request>& request) {
  if (running_) throw Fault(Error::timer, "the timer runs; add requests before its start or after its stop");
  if (request->timer() == this) return;
  if (request->timer() != nullptr)
    throw Fault(Error::request, "the request has another timer, of which it must be removed first");
  if (!entries_.empty()) {
    // Not by their communicators, which may have been freed. Ranks of another world look alike; they agree on nothing.
    const std::shared_ptr<Request> first = entries_.front().request.lock();
    if (first->data().topology->in_world() != request->data().topology->in_world())
      throw Fault(Error::topology,
                  "the requests of a timer have communicators of different ranks, or in another order; "
                  "use a timer for each communicator");
  }
  entries_.push_back({request, request.get(), request->shared_decider()});
  request->set_timer(this);
}

void Timer::remove(const Request& request) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Registered& one) { return one.address == &request; });
  if (found == entries_.end()) return;
  Decider* const decider = found->decider.get();
  calls_.erase(std::remove_if(calls_.begin(), calls_.end(), [&](const Call& one) { return one.decider == decider; }),
               calls_.end());
  decider->forget(this);
  found->address->set_timer(nullptr);
  entries_.erase(found);
}

/// The first request that still tries functions learns from the section, or all if none does.
Error Timer::start() {
  if (running_) return Error::timer;
  running_ = true;
  calls_.clear();
  const auto trying = std::find_if(entries_.begin(), entries_.end(), [this](const Registered& one) {
    one.decider->forget(this);  // whether the call of this section tries a function depends on the section before
    return one.decider->tries_next();
  });
  learning_ = trying == entries_.end() ? nullptr : trying->decider.get();
  started_ = Clock::now();
  return Error::none;
}

/// A request keeps one function during a section, however often it is started. An agreement of the ranks is no part of
/// the section's time, or it would count against the function that comes next.
Tuner::Turn Timer::turn_for(Request& request) {
  Decider& decider = request.decider();
  const auto begun =
      std::find_if(calls_.begin(), calls_.end(), [&](const Call& one) { return one.decider == &decider; });
  if (begun != calls_.end()) return begun->turn;
  const bool learns = learning_ == nullptr || learning_ == &decider;
  const double from = Clock::now();
  calls_.push_back({&decider, learns ? decider.begin(this) : decider.unlearnt(), Decider::Ending::served});
  started_ += Clock::now() - from;
  return calls_.back().turn;
}

void Timer::ended(const Request& request, Decider::Ending ending) {
  for (Call& one : calls_)
    if (one.decider == request.shared_decider().get()) one.ending = ending;
}

Error Timer::stop() {
  if (!running_) return Error::timer;
  const double seconds = Clock::now() - started_;
  running_ = false;
  for (const Call& one : calls_) one.decider->end(this, one.turn, seconds, one.ending);
  return Error::none;
}

}  // namespace starling::patterns
