/* A preloaded library in which the system calls that write fail on request (run.mjs).
 *
 * It counts, over all processes of a command, the calls that change a file below FAULT_UNDER. The call number FAULT_AT
 * fails with FAULT_ERRNO, in the place of being made; with FAULT_ON set, so do all later ones except those that free
 * space (unlink and rename work on a full disk).
 *
 * FAULT_COUNTER names a file of eight bytes that the processes share: the count. FAULT_LOG receives a line of each
 * failed call: its name and file. Without FAULT_AT, FAULT_LOG receives a line of each call.
 *
 * write() of less than it was asked to is no fault, and is not tried.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic uint64_t* counter;
static const char* under;
static uint64_t fail_at;
static int fail_errno, stays, log_fd = -1;

static void Setup(void) {
  static int is_done;
  if (is_done) return;
  is_done = 1;
  const char* file = getenv("FAULT_COUNTER");
  under = getenv("FAULT_UNDER");
  if (file == NULL || under == NULL) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) abort();
  void* shared = (void*)syscall(SYS_mmap, NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) abort();
  if (getenv("FAULT_AT") != NULL) fail_at = strtoull(getenv("FAULT_AT"), NULL, 10);
  if (getenv("FAULT_ERRNO") != NULL) fail_errno = atoi(getenv("FAULT_ERRNO"));
  stays = getenv("FAULT_ON") != NULL;
  if (getenv("FAULT_LOG") != NULL) {
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  counter = shared;
}

static int IsUnder(const char* path) { return strncmp(path, under, strlen(under)) == 0; }

/* Counts a call on `path`; true when it shall fail, and errno says why. */
static int Fails(const char* name, const char* path, int frees_space) {
  Setup();
  if (counter == NULL || path == NULL) return 0;
  char whole[2 * PATH_MAX];
  if (path[0] == '/') {
    snprintf(whole, sizeof whole, "%s", path);
  } else {
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) return 0;
    snprintf(whole, sizeof whole, "%s/%s", here, path);
  }
  if (!IsUnder(whole)) return 0;
  const uint64_t number = ++*counter;
  const int fails = fail_at != 0 && (number == fail_at || (stays && number > fail_at && !frees_space));
  if (log_fd >= 0 && (fails || fail_at == 0)) {
    char line[2 * PATH_MAX + 64];
    const int length = snprintf(line, sizeof line, "%s %s\n", name, whole);
    syscall(SYS_write, log_fd, line, (size_t)length);
  }
  if (fails) errno = fail_errno;
  return fails;
}

static int FailsFd(const char* name, int fd) {
  Setup();
  if (counter == NULL) return 0;
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = '\0';
  return Fails(name, path, 0);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                \
  int name(const char* path, int flags, ...) {                                    \
    va_list list;                                                                 \
    va_start(list, flags);                                                        \
    const mode_t mode = va_arg(list, mode_t);                                     \
    va_end(list);                                                                 \
    if ((flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
      if (Fails(#name, path, 0)) return -1;                                       \
    }                                                                             \
    return REAL(name)(path, flags, mode);                                         \
  }
OPEN(open)
OPEN(open64)

#define BY_FD(type, name, parameters, arguments) \
  type name parameters {                         \
    if (FailsFd(#name, fd)) return -1;           \
    return REAL(name) arguments;                 \
  }
BY_FD(ssize_t, write, (int fd, const void* bytes, size_t size), (fd, bytes, size))
BY_FD(ssize_t, pwrite, (int fd, const void* bytes, size_t size, off_t at), (fd, bytes, size, at))
BY_FD(ssize_t, pwrite64, (int fd, const void* bytes, size_t size, off64_t at), (fd, bytes, size, at))
BY_FD(ssize_t, writev, (int fd, const struct iovec* parts, int count), (fd, parts, count))
BY_FD(ssize_t, pwritev, (int fd, const struct iovec* parts, int count, off_t at), (fd, parts, count, at))
BY_FD(ssize_t, pwritev64, (int fd, const struct iovec* parts, int count, off64_t at), (fd, parts, count, at))
BY_FD(int, fsync, (int fd), (fd))
BY_FD(int, fdatasync, (int fd), (fd))
BY_FD(int, ftruncate, (int fd, off_t size), (fd, size))
BY_FD(int, ftruncate64, (int fd, off64_t size), (fd, size))
BY_FD(int, fchmod, (int fd, mode_t mode), (fd, mode))

#define BY_PATH(name, parameters, arguments, path, frees_space) \
  int name parameters {                                         \
    if (Fails(#name, path, frees_space)) return -1;             \
    return REAL(name) arguments;                                \
  }
BY_PATH(rename, (const char* from, const char* to), (from, to), to, 1)
BY_PATH(link, (const char* from, const char* to), (from, to), to, 0)
BY_PATH(symlink, (const char* from, const char* to), (from, to), to, 0)
BY_PATH(unlink, (const char* path), (path), path, 1)
BY_PATH(rmdir, (const char* path), (path), path, 1)
BY_PATH(mkdir, (const char* path, mode_t mode), (path, mode), path, 0)
BY_PATH(chmod, (const char* path, mode_t mode), (path, mode), path, 0)
BY_PATH(mkstemps, (char* path, int suffix), (path, suffix), path, 0)
BY_PATH(mkostemps, (char* path, int suffix, int flags), (path, suffix, flags), path, 0)
BY_PATH(mkostemps64, (char* path, int suffix, int flags), (path, suffix, flags), path, 0)

char* mkdtemp(char* path) { return Fails("mkdtemp", path, 0) ? NULL : REAL(mkdtemp)(path); }

#define MAP(name, offset)                                                         \
  void* name(void* at, size_t size, int access, int flags, int fd, offset from) { \
    if ((flags & MAP_ANONYMOUS) == 0 && FailsFd(#name, fd)) return MAP_FAILED;    \
    return REAL(name)(at, size, access, flags, fd, from);                         \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
