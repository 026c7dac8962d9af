/* How many messages this rank has sent by UCX, for programs that are linked with -rdynamic. MPICH 4 sends by this
 * function where ranks do not share memory (MPIR_CVAR_NOLOCAL); other libraries do not call it. Needs _GNU_SOURCE. */
#pragma once

#include <dlfcn.h>
#include <stddef.h>

static long messages_sent;

void* ucp_tag_send_nbx(void* to, const void* data, size_t count, unsigned long tag, const void* how) {
  typedef void* (*Send)(void*, const void*, size_t, unsigned long, const void*);
  static Send next;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  ++messages_sent;
  return next(to, data, count, tag, how);
}
