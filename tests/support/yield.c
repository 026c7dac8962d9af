/* For tests with more ranks than processors, whose MPI libraries poll. Open MPI gives its processor away after each
 * poll that found nothing. MPICH 4 on UCX never does, so that each wait lasts until the kernel ends the time slice,
 * several milliseconds: here it does. After some such polls in a row either sleeps, and Starling's own waits do, unless
 * POLLS_BEFORE_SLEEP is INT_MAX: ranks that only yield leave each other little but their polls, and take the processors
 * of the test that runs beside this one. Preload it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef POLLS_BEFORE_SLEEP
#define POLLS_BEFORE_SLEEP 4
#endif
/* A poll is shorter, what a rank does after a poll that found something longer. */
enum { LONGEST_POLL_NS = 20000, SLEEP_NS = 30000 };

unsigned ucp_worker_progress(void* worker);

static void give_way(int* in_vain) {
  const struct timespec time = {.tv_nsec = SLEEP_NS};
  if (*in_vain == POLLS_BEFORE_SLEEP) {
    nanosleep(&time, NULL);
  } else {
    ++*in_vain;
    syscall(SYS_sched_yield);
  }
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static _Thread_local int in_vain;
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned found = next(worker);
  if (found)
    in_vain = 0;
  else
    give_way(&in_vain);
  return found;
}

#if POLLS_BEFORE_SLEEP < INT_MAX
int sched_yield(void) {
  static _Thread_local struct timespec last;
  static _Thread_local int in_vain;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long since = (now.tv_sec - last.tv_sec) * 1000000000L + now.tv_nsec - last.tv_nsec;
  if (since > LONGEST_POLL_NS) in_vain = 0;
  give_way(&in_vain);
  clock_gettime(CLOCK_MONOTONIC, &last);
  return 0;
}
#endif
