#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/// Ends a rank that makes no progress, after printing what it was doing.
class Watchdog {
 public:
  /// What one thread of the application is doing.
  class Lane {
   public:
    void doing(std::string what) {
      const std::scoped_lock lock(mutex_);
      what_ = std::move(what);
      ++steps_;
    }
    void idle() { doing({}); }

   private:
    friend class Watchdog;
    std::mutex mutex_;
    std::string what_;
    long steps_ = 0;
    long seen_ = -1;
  };

  Watchdog(int rank, std::chrono::seconds patience) : rank_(rank), patience_(patience), thread_([this] { watch(); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  Lane& lane() {
    const std::scoped_lock lock(mutex_);
    lanes_.push_back(std::make_unique<Lane>());
    return *lanes_.back();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, patience_, [this] { return over_; })) {
      bool stuck = false;
      for (const auto& lane : lanes_) {
        const std::scoped_lock inner(lane->mutex_);
        stuck |= !lane->what_.empty() && lane->seen_ == lane->steps_;
        lane->seen_ = lane->steps_;
      }
      if (stuck) report();
    }
  }

  /// Waits a little after printing, so that the launcher does not end other ranks before they have printed.
  [[noreturn]] void report() {
    for (const auto& lane : lanes_) {
      const std::scoped_lock inner(lane->mutex_);
      std::fprintf(stderr, "HANG rank %d (pid %d): %s\n", rank_, static_cast<int>(getpid()),
                   lane->what_.empty() ? "done" : lane->what_.c_str());
    }
    std::fflush(stderr);
    std::this_thread::sleep_for(patience_);
    _exit(3);
  }

  const int rank_;
  const std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::thread thread_;
};
