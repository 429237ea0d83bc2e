// What a checkpoint is taken of: a program with a state that is in its memory only. See `workloadReference` in small-images.ts.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asked_for_sum;

static void end(int signal) {
  (void)signal;
  _exit(0);
}

static void ask_for_sum(int signal) {
  (void)signal;
  asked_for_sum = 1;
}

static uint64_t sum(const uint64_t *words, size_t count) {
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++) total = (total ^ words[i]) * 0x9E3779B97F4A7C15ull;
  return total;
}

int main(int argc, char **argv) {
  size_t mebibytes = argc > 1 ? strtoul(argv[1], 0, 10) : 0;
  const char *text = argc > 2 ? argv[2] : "";
  signal(SIGTERM, end);
  signal(SIGUSR1, ask_for_sum);

  // Back to front, so that what finds it has found this memory and not the command line.
  size_t length = strlen(text);
  char *kept = malloc(length + 1);
  for (size_t i = 0; i < length; i++) kept[i] = text[length - 1 - i];
  kept[length] = 0;

  size_t count = mebibytes * (1024 * 1024 / sizeof(uint64_t));
  uint64_t *words = malloc(count * sizeof(uint64_t) + 1);
  uint64_t next = 88172645463325252ull;
  // No page is like another, and nothing can be made smaller.
  for (size_t i = 0; i < count; i++) {
    next ^= next << 13;
    next ^= next >> 7;
    next ^= next << 17;
    words[i] = next;
  }
  setvbuf(stdout, 0, _IOLBF, 0);
  printf("ready\n");

  struct timespec tenth = {.tv_sec = 0, .tv_nsec = 100 * 1000 * 1000};
  for (unsigned long ticks = 1;; ticks++) {
    nanosleep(&tenth, 0);
    if (asked_for_sum) {
      asked_for_sum = 0;
      printf("sum %016llx %zu\n", (unsigned long long)sum(words, count), strlen(kept));
    }
    printf("count %lu\n", ticks);
  }
}
