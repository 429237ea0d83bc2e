/*
 * Preloaded into a process, this library keeps beside each file of one folder what a power loss would leave of it: writes go to
 * the real file, and reach its twin in another folder only when the process syncs them. After a SIGKILL the folder of twins is
 * the disk. Syncing a folder makes deletions in it durable. Environment:
 *   POWER_LOSS_LIVE       the folder that the process works in
 *   POWER_LOSS_DURABLE    the folder of the twins
 *   POWER_LOSS_SEED       some writes reach their twin early, whole or torn, as the kernel's own write-back may do at any time
 *   POWER_LOSS_UNSYNCED   file name endings whose syncs are ignored (a disk that lies, or a missing fsync)
 * Mapped memory is not followed: SQLite maps only its -shm file, which holds nothing durable.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FDS 4096
#define MAX_FILES 64
#define SECTOR 512

struct change {
  struct change *next;
  int is_truncate;
  off_t offset;
  size_t length;
  char bytes[];
};

struct file {
  char name[256];
  int is_folder;
  int is_deleted;
  struct change *first, *last;
};

static struct file files[MAX_FILES];
static int file_count;
static struct file *by_fd[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *live, *durable, *unsynced;
static unsigned int seed;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  live = getenv("POWER_LOSS_LIVE");
  durable = getenv("POWER_LOSS_DURABLE");
  unsynced = getenv("POWER_LOSS_UNSYNCED");
  seed = getenv("POWER_LOSS_SEED") ? (unsigned int)atoi(getenv("POWER_LOSS_SEED")) : 1;
}

static void fail(const char *what) {
  perror(what);
  abort();
}

static int random_below(int bound) { return rand_r(&seed) % bound; }

/* The file's record; "" stands for the folder itself. Files elsewhere have none. */
static struct file *find_file(const char *path) {
  size_t prefix = live ? strlen(live) : 0;
  if (!prefix || strncmp(path, live, prefix) != 0 || (path[prefix] && path[prefix] != '/')) return NULL;
  const char *name = path[prefix] ? path + prefix + 1 : "";
  for (int i = 0; i < file_count; i++)
    if (strcmp(files[i].name, name) == 0) return &files[i];
  if (file_count == MAX_FILES || strlen(name) >= sizeof files[0].name) fail("power-loss: too many files");
  struct file *file = &files[file_count++];
  strcpy(file->name, name);
  file->is_folder = !*name;
  return file;
}

static void twin_path(const struct file *file, char *path) { snprintf(path, 4096, "%s/%s", durable, file->name); }

static int open_twin(const struct file *file, int flags) {
  char path[4096];
  twin_path(file, path);
  return REAL(open)(path, flags, 0600);
}

static void write_twin(int fd, const char *bytes, size_t length, off_t offset) {
  while (length > 0) {
    ssize_t written = REAL(pwrite)(fd, bytes, length, offset);
    if (written <= 0) fail("power-loss: cannot write the twin");
    bytes += written, length -= (size_t)written, offset += written;
  }
}

static void forget_changes(struct file *file) {
  for (struct change *next, *change = file->first; change; change = next) next = change->next, free(change);
  file->first = file->last = NULL;
}

static void sync_file(struct file *file) {
  int fd = open_twin(file, O_RDWR | O_CREAT | O_CLOEXEC);
  if (fd < 0) fail("power-loss: cannot open the twin");
  for (struct change *change = file->first; change; change = change->next) {
    if (change->is_truncate) {
      if (REAL(ftruncate)(fd, change->offset) != 0) fail("power-loss: cannot truncate the twin");
    } else {
      write_twin(fd, change->bytes, change->length, change->offset);
    }
  }
  REAL(close)(fd);
  forget_changes(file);
}

static void sync_folder(void) {
  char path[4096];
  for (int i = 0; i < file_count; i++) {
    if (!files[i].is_deleted) continue;
    twin_path(&files[i], path);
    REAL(unlink)(path);
    files[i].is_deleted = 0;
  }
}

static void add_change(struct file *file, int is_truncate, const char *bytes, size_t length, off_t offset) {
  struct change *change = malloc(sizeof *change + length);
  if (!change) fail("power-loss: out of memory");
  *change = (struct change){.is_truncate = is_truncate, .offset = offset, .length = length};
  if (length) memcpy(change->bytes, bytes, length);
  if (file->last) file->last->next = change;
  else file->first = change;
  file->last = change;
  if (is_truncate || random_below(4) != 0) return;
  int fd = open_twin(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  size_t sectors = length / SECTOR;
  size_t early = random_below(2) || sectors == 0 ? length : SECTOR * (size_t)random_below((int)sectors + 1);
  write_twin(fd, bytes, early, offset);
  REAL(close)(fd);
}

static struct file *tracked(int fd) { return fd >= 0 && fd < MAX_FDS ? by_fd[fd] : NULL; }

static int track(int fd, const char *path) {
  if (fd < 0) return fd;
  pthread_mutex_lock(&lock);
  struct file *file = find_file(path);
  if (file && fd >= MAX_FDS) fail("power-loss: too many descriptors");
  if (fd < MAX_FDS) by_fd[fd] = file;
  pthread_mutex_unlock(&lock);
  return fd;
}

#define MODE(flags, mode)                       \
  mode_t mode = 0;                              \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {      \
    va_list arguments;                          \
    va_start(arguments, flags);                 \
    mode = va_arg(arguments, mode_t);           \
    va_end(arguments);                          \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return track(REAL(open)(path, flags, mode), path);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return track(REAL(open64)(path, flags, mode), path);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return track(REAL(openat)(folder, path, flags, mode), path);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return track(REAL(openat64)(folder, path, flags, mode), path);
}

int close(int fd) {
  if (tracked(fd)) by_fd[fd] = NULL;
  return REAL(close)(fd);
}

static ssize_t record_write(int fd, const char *bytes, ssize_t written, off_t offset) {
  if (written <= 0) return written;
  int error = errno;
  pthread_mutex_lock(&lock);
  add_change(tracked(fd), 0, bytes, (size_t)written, offset);
  pthread_mutex_unlock(&lock);
  errno = error;
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  ssize_t written = REAL(pwrite)(fd, bytes, length, offset);
  return tracked(fd) ? record_write(fd, bytes, written, offset) : written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return pwrite(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  if (!tracked(fd)) return REAL(write)(fd, bytes, length);
  off_t offset = lseek(fd, 0, SEEK_CUR);
  return record_write(fd, bytes, REAL(write)(fd, bytes, length), offset);
}

/* What nobody uses on these files is refused rather than missed. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (tracked(fd)) fail("power-loss: writev is not followed");
  return REAL(writev)(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  if (tracked(fd)) fail("power-loss: pwritev is not followed");
  return REAL(pwritev)(fd, parts, count, offset);
}

int rename(const char *from, const char *to) {
  if (find_file(from) || find_file(to)) fail("power-loss: rename is not followed");
  return REAL(rename)(from, to);
}

int ftruncate(int fd, off_t length) {
  int result = REAL(ftruncate)(fd, length);
  if (result != 0 || !tracked(fd)) return result;
  pthread_mutex_lock(&lock);
  add_change(tracked(fd), 1, NULL, 0, length);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int unlink(const char *path) {
  int result = REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  struct file *file = result == 0 ? find_file(path) : NULL;
  if (file) {
    forget_changes(file);
    file->is_deleted = 1;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int is_ignored(const struct file *file) {
  size_t name = strlen(file->name), ending = unsynced ? strlen(unsynced) : 0;
  return ending > 0 && name >= ending && strcmp(file->name + name - ending, unsynced) == 0;
}

int fsync(int fd) {
  struct file *file = tracked(fd);
  if (!file) return REAL(fsync)(fd);
  pthread_mutex_lock(&lock);
  if (file->is_folder) sync_folder();
  else if (!is_ignored(file)) sync_file(file);
  pthread_mutex_unlock(&lock);
  return 0;
}

int fdatasync(int fd) { return tracked(fd) ? fsync(fd) : REAL(fdatasync)(fd); }
