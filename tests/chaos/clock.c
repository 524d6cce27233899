/* Moves the clock of a process by CHAOS_CLOCK_OFFSET seconds, and by those in the file CHAOS_CLOCK_FILE, which may change
   while it runs. Preloaded, because no process may set the clock of the machine. Monotonic clocks stay as they are, as
   after a real jump. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *shared;

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("CHAOS_CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) shared = found;
}

static long offset(void) {
    const char *given = getenv("CHAOS_CLOCK_OFFSET");
    return (given ? atol(given) : 0) + (shared ? *shared : 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (out) *out = found.tv_sec;
    return found.tv_sec;
}
