// The command `starling`: becomes `starling-command` beside it, which Python runs. Python answers Ctrl-C with a
// traceback until the command's own code has begun. So SIGINT is held back until then: STARLING_SIGINT=held tells the
// command to let it in.

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>

namespace {

constexpr int not_started = 126;  // as shells have it

int fails(const char* what) {
  fprintf(stderr, "starling: %s: %s\n", what, strerror(errno));
  return not_started;
}

}  // namespace

int main(int /*argc*/, char** argv) {
  sigset_t interrupt;
  sigset_t before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  if (sigismember(&before, SIGINT) == 0) setenv("STARLING_SIGINT", "held", 1);

  const char* const started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  static char command[PATH_MAX + sizeof "-command"];
  if (realpath(started_as, command) == nullptr) return fails(started_as);
  strcat(command, "-command");
  argv[0] = command;
  execv(command, argv);
  return fails(command);
}
