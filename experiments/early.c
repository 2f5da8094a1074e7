/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must happen before the libraries start.  OpenBLAS starts a thread for each processor when it
 * is loaded, each with a stack and a buffer of its own, and where the address space is limited
 * (`ulimit -v`, a batch system's memory limit) it waits for memory that never comes, before main.
 * attest calls it from its own threads, one at a time in each, so one is all that it needs.  The
 * variable that says so has to be there when the library reads it: the program starts once more.
 * Newer ones (0.3.29) take that thread's buffer when they are loaded and ask for it for ever: where it
 * does not fit, the program ends here. */
#define _GNU_SOURCE 1
#include "config.h"
#include "attest/core/error.h"

#include <alloca.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && defined(__GLIBC__) && defined(HAVE_OPENBLAS)

static const char variable[] = "OPENBLAS_NUM_THREADS=1";

/* As distributions build OpenBLAS. */
enum { BUFFER = 128 << 20 };

/* Nothing of libc but system calls: its streams are not there yet. */
static void end_without_room(void)
{
    static const char message[] = "attest: out of memory: the address space is limited (ulimit -v), and "
        "OpenBLAS takes 128 MB of it when it starts; raise the limit\n";
    void *room = mmap(NULL, BUFFER, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED) {
        ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);

        (void) written;     /* there is nobody else to tell */
        _exit(AT_ENVIRONMENT);
    }
    munmap(room, BUFFER);
}

static void before_libraries(int argc, char **argv, char **environment)
{
    const size_t name = sizeof variable - 2;    /* less the value and the end */
    struct rlimit limit;
    size_t count = 0;

    (void) argc;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    end_without_room();
    for (; environment[count] != NULL; count++)
        if (strncmp(environment[count], variable, name) == 0)
            return;
    char **longer = alloca((count + 2) * sizeof *longer);
    memcpy(longer, environment, count * sizeof *longer);
    longer[count] = (char *) variable;
    longer[count + 1] = NULL;
    execve("/proc/self/exe", argv, longer);     /* upon failure all stays as it was */
}

/* Constructors of the program run after those of its libraries; this runs before both. */
__attribute__((section(".preinit_array"), used))
static void (*const first)(int, char **, char **) = before_libraries;

#else
typedef int at_nothing_to_do_early;     /* a translation unit is not empty */
#endif
