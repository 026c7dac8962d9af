/* For tests with more ranks than processors: MPICH 4 on UCX polls without ever giving its processor away, so that each
 * wait lasts until the kernel ends the time slice, several milliseconds. This gives it away whenever a poll found
 * nothing. Preload it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned found = next(worker);
  if (!found) sched_yield();
  return found;
}
