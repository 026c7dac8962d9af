/* For tests with more ranks than processors: a rank that waits gives its processor away, and sleeps after some polls in
 * a row that found nothing. Ranks that only yield leave each other little but their polls, and take the processors of
 * the test that runs beside this one. Preload it.
 *
 * MPICH 4 on UCX polls without ever giving its processor away, so that each wait would last until the kernel ends the
 * time slice, several milliseconds. Open MPI yields in a poll that found nothing: so this knows of such polls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { POLLS_BEFORE_SLEEP = 20, SLEEP_NS = 100000 };

unsigned ucp_worker_progress(void* worker);
int opal_progress(void);

static _Thread_local int in_vain;       /* polls in a row */
static _Thread_local int polls;         /* of Open MPI, one in the other: no sched_yield in them is the program's */
static _Thread_local int found_nothing; /* in the latest */

/* The function itself, also where a Python module has opened the MPI library for itself alone. */
static void* next_of(const char* name, const char* library) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found || !library) return found;
  return dlsym(dlopen(library, RTLD_LAZY | RTLD_NOLOAD), name);
}

static int give_away(void) {
  static int (*yield)(void);
  if (!yield) *(void**)&yield = next_of("sched_yield", NULL);
  if (in_vain < POLLS_BEFORE_SLEEP) {
    ++in_vain;
    return yield();
  }
  const struct timespec time = {.tv_nsec = SLEEP_NS};
  nanosleep(&time, NULL);
  return 0;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  if (!next) *(void**)&next = next_of("ucp_worker_progress", NULL);
  unsigned found = next(worker);
  if (found) {
    in_vain = 0;
  } else {
    give_away();
  }
  return found;
}

/* Open MPI 4's returns nothing; nobody reads what this one returns then. */
int opal_progress(void) {
  static int (*next)(void);
  if (!next) *(void**)&next = next_of("opal_progress", "libopen-pal.so.80");
  ++polls;
  found_nothing = 0;
  int events = next();
  --polls;
  if (!found_nothing) in_vain = 0;
  return events;
}

int sched_yield(void) {
  if (polls > 0) {
    found_nothing = 1;
    return give_away();
  }
  static int (*next)(void);
  if (!next) *(void**)&next = next_of("sched_yield", NULL);
  return next();
}
