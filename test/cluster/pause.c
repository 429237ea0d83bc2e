// The first process of a pod and of a machine: waits, buries the orphans it is given, and ends when it is asked to.
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void bury(int signal) {
  (void)signal;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

int main(void) {
  struct sigaction on_end = {.sa_handler = end};
  struct sigaction on_child = {.sa_handler = bury, .sa_flags = SA_NOCLDSTOP};
  if (sigaction(SIGTERM, &on_end, 0) || sigaction(SIGINT, &on_end, 0) || sigaction(SIGCHLD, &on_child, 0)) return 1;
  bury(SIGCHLD);
  for (;;) pause();
}
