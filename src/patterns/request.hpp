#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/decider.hpp"
#include "patterns/functions.hpp"
#include "patterns/handles.hpp"
#include "patterns/implementations.hpp"

namespace starling::patterns {

class Timer;

/// A pattern that the program repeats: a function set on its data, and what chooses among the functions.
class Request {
 public:
  /// `decider` chooses among the set's functions on `data`; null makes one.
  Request(std::shared_ptr<FunctionSet> set, Data data, std::unique_ptr<Implementations> implementations,
          std::shared_ptr<Decider> decider)
      : set_(std::move(set)),
        data_(std::move(data)),
        implementations_(std::move(implementations)),
        decider_(std::move(decider)),
        settlements_(decider_->settlements()) {}
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  Request(Request&&) = delete;
  Request& operator=(Request&&) = delete;

  [[nodiscard]] Handle handle() const { return handle_; }
  void set_handle(Handle handle) { handle_ = handle; }

  /// Carries out the pattern once. Collective.
  Error start();
  /// Begins it, and ends what cannot be split. Then `wait` ends it.
  Error init();
  Error progress(bool& complete);
  Error wait();
  /// Begins it, and computes while it is in flight: `mid`, then `end` when it has ended; or `total` after a function
  /// that cannot be split. Each is called with the handle; null is nothing.
  template <typename Compute>
  Error start_overlapped(const Compute& mid, const Compute& end, const Compute& total) {
    if (const Error error = init(); error != Error::none) return error;
    if (!in_flight_) {
      const Error error = wait();
      total();
      return error;
    }
    mid();
    const Error error = wait();
    end();
    return error;
  }

  [[nodiscard]] bool is_idle() const { return state_ == State::idle; }
  /// The function of the present call, or else of the latest, or else of the next one.
  [[nodiscard]] int function() const { return function_ >= 0 ? function_ : decider_->in_use(); }
  [[nodiscard]] const std::string& name_of(int function) const {
    return decider_->functions()[static_cast<std::size_t>(function)].name.text();
  }
  [[nodiscard]] const FunctionSet& set() const { return *set_; }
  [[nodiscard]] const Data& data() const { return data_; }
  [[nodiscard]] const Implementations& implementations() const { return *implementations_; }
  [[nodiscard]] Decider& decider() { return *decider_; }
  [[nodiscard]] const std::shared_ptr<Decider>& shared_decider() const { return decider_; }
  /// What failed in the latest call.
  [[nodiscard]] int failure() const { return failure_; }

  /// The program's own time of the latest call.
  Error update(double seconds);

  /// The timer whose sections' times count for it; null for none.
  [[nodiscard]] Timer* timer() const { return timer_; }
  void set_timer(Timer* timer) { timer_ = timer; }

 private:
  enum class State : std::uint8_t { idle, working, between };

  void begin_call();
  void begin_call_of_timer();
  void end_call(double seconds);
  Error call_first_part();
  [[nodiscard]] Error error_of_call();
  bool make_ready();
  void leave_out(const std::string& why);
  void count_setup(double seconds);
  double look_again();

  std::shared_ptr<FunctionSet> set_;
  Data data_;
  std::unique_ptr<Implementations> implementations_;
  std::shared_ptr<Decider> decider_;
  Timer* timer_ = nullptr;
  Tuner::Turn turn_{};
  double seconds_ = 0;
  double told_ = -1;  ///< the program's own time of the present call; negative for none
  int function_ = -1;
  int failure_ = 0;
  int settlements_;
  Handle handle_ = 0;
  State state_ = State::idle;
  int ready_ = -1;  ///< the function of the latest call
  bool splits_ = false;
  bool fresh_ = false;  ///< it was not the one of the call before
  Decider::Ending ending_ = Decider::Ending::served;
  bool in_flight_ = false;
  bool learns_ = false;
};

template <>
struct Noun<Request> {
  static constexpr Kind kind = Kind::request;
  static constexpr const char* name = "request";
  static constexpr Error unknown = Error::request;
};

/// Requests that are tuned by the time of a section of code. One request at a time tries its functions.
class Timer {
 public:
  Timer() = default;
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  Timer(Timer&&) = delete;
  Timer& operator=(Timer&&) = delete;

  /// Throws a Fault where the request's ranks are not those of the others, or it has a timer.
  void add(const std::shared_ptr<Request>& request);
  void remove(const Request& request);

  Error start();
  Error stop();
  [[nodiscard]] bool is_running() const { return running_; }

  /// So many seconds of the section are none of its time.
  void leave_out(double seconds) { started_ += seconds; }
  /// The call that a request begins in the section.
  Tuner::Turn turn_for(Request& request);
  /// A call of a request in the section ended otherwise than served.
  void ended(const Request& request, Decider::Ending ending);

 private:
  struct Registered {
    std::weak_ptr<Request> request;
    Request* address;
    std::shared_ptr<Decider> decider;
  };
  /// A decider's call in the present section.
  struct Call {
    Decider* decider;
    Tuner::Turn turn;
    Decider::Ending ending;
  };

  std::vector<Registered> entries_;
  std::vector<Call> calls_;
  const Decider* learning_ = nullptr;  ///< in this section; null for all
  double started_ = 0;
  bool running_ = false;
};

template <>
struct Noun<Timer> {
  static constexpr Kind kind = Kind::timer;
  static constexpr const char* name = "timer";
  static constexpr Error unknown = Error::timer;
};

}  // namespace starling::patterns
