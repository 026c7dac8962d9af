// Preloaded into the ranks of a lab: an MPI library that polls its sockets in vain waits in the kernel instead.
//
// MPI libraries wait by polling: they ask again and again, with a timeout of zero, whether a socket is ready. With tens
// of ranks on two processors most of the time then goes to ranks that ask in vain, and a barrier takes as long as the
// scheduler needs to come round. Here the second vain question in a row waits, until something is ready or for
// STARLING_IDLE_US microseconds at most. A message wakes its receiver at once, so the network is what is measured.
//
// Only ranks do so: a launcher says by a variable which rank a process is. Launchers themselves wait properly.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int poll_function(struct pollfd*, nfds_t, int);
typedef int epoll_wait_function(int, struct epoll_event*, int, int);
typedef int epoll_pwait_function(int, struct epoll_event*, int, int, const sigset_t*);

// Microseconds that a vain question waits at most; 0: not a rank, or nothing set. -1: not known yet.
static atomic_long longest_wait = -1;

// Questions in a row that found nothing, of this thread.
static _Thread_local int in_vain;

static long wait_limit(void) {
  long limit = atomic_load_explicit(&longest_wait, memory_order_relaxed);
  if (limit >= 0) return limit;
  const char* set = getenv("STARLING_IDLE_US");
  const bool is_rank = getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK") || getenv("PMI_RANK");
  limit = set && is_rank ? strtol(set, NULL, 10) : 0;
  if (limit < 0 || limit > 1000000) limit = 0;
  // Timers of a process may be 50 us late to save energy; for these waits that is long.
  if (limit > 0) prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  atomic_store_explicit(&longest_wait, limit, memory_order_relaxed);
  return limit;
}

// Whether a question with this timeout that had this answer is to be followed by a wait.
static bool should_wait(int timeout, int answer) {
  if (timeout != 0) return false;
  if (answer != 0) {
    in_vain = 0;
    return false;
  }
  if (wait_limit() == 0) return false;
  if (in_vain < 1) {
    ++in_vain;
    return false;
  }
  return true;
}

// Waits; whether something is ready. An interrupting signal is as good as nothing: the caller asked for no wait.
static bool wait_for(struct pollfd* files, nfds_t count) {
  const long limit = wait_limit();
  const struct timespec longest = {limit / 1000000, limit % 1000000 * 1000};
  const int before = errno;
  const bool ready = ppoll(files, count, &longest, NULL) > 0;
  errno = before;
  if (ready) in_vain = 0;
  return ready;
}

static bool wait_for_epoll(int epoll) {
  struct pollfd file = {.fd = epoll, .events = POLLIN};
  return wait_for(&file, 1);
}

EXPORTED int poll(struct pollfd* files, nfds_t count, int timeout) {
  static _Atomic(poll_function*) real;
  if (!real) real = __extension__(poll_function*) dlsym(RTLD_NEXT, "poll");
  const int answer = real(files, count, timeout);
  return should_wait(timeout, answer) && wait_for(files, count) ? real(files, count, 0) : answer;
}

EXPORTED int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  static _Atomic(epoll_wait_function*) real;
  if (!real) real = __extension__(epoll_wait_function*) dlsym(RTLD_NEXT, "epoll_wait");
  const int answer = real(epoll, events, most, timeout);
  return should_wait(timeout, answer) && wait_for_epoll(epoll) ? real(epoll, events, most, 0) : answer;
}

EXPORTED int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout, const sigset_t* mask) {
  static _Atomic(epoll_pwait_function*) real;
  if (!real) real = __extension__(epoll_pwait_function*) dlsym(RTLD_NEXT, "epoll_pwait");
  const int answer = real(epoll, events, most, timeout, mask);
  return should_wait(timeout, answer) && wait_for_epoll(epoll) ? real(epoll, events, most, 0, mask) : answer;
}
