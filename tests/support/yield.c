/* For tests with more ranks than processors: MPICH 4 on UCX polls without ever giving its processor away, so that each
 * wait lasts until the kernel ends the time slice, several milliseconds. This gives it away whenever a poll found
 * nothing. After some such polls in a row it sleeps, unless POLLS_BEFORE_SLEEP is INT_MAX: ranks that only yield leave
 * each other little but their polls, and take the processors of the test that runs beside this one. Preload it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <time.h>

#ifndef POLLS_BEFORE_SLEEP
#define POLLS_BEFORE_SLEEP 20
#endif
enum { SLEEP_NS = 100000 };

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static _Thread_local int in_vain;
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned found = next(worker);
  if (found) {
    in_vain = 0;
  } else if (in_vain < POLLS_BEFORE_SLEEP) {
    ++in_vain;
    sched_yield();
  } else {
    const struct timespec time = {.tv_nsec = SLEEP_NS};
    nanosleep(&time, NULL);
  }
  return found;
}
