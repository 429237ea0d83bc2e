/*
 * Preloaded into a process, this library notes in the file SYNC_LOG, in order, what the process brings to disk and what it renames:
 * lines `sync PATH` and `rename FROM TO`. A rename that comes before the sync of what it names would lose it with the power.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *line, size_t length) {
  const char *log = getenv("SYNC_LOG");
  int fd = log ? open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd < 0) return;
  ssize_t written = write(fd, line, length);
  (void)written;
  close(fd);
}

static void note_sync(int fd) {
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  note(line, (size_t)snprintf(line, sizeof line, "sync %s\n", path));
}

int fsync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  int result = real(fd);
  if (result == 0) note_sync(fd);
  return result;
}

int rename(const char *from, const char *to) {
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  int result = real(from, to);
  char line[8400];
  if (result == 0) note(line, (size_t)snprintf(line, sizeof line, "rename %s %s\n", from, to));
  return result;
}
