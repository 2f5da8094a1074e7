/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that draws: see gnuplot.h. */
#include "config.h"

#include "attest/plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#ifdef HAVE_XLOCALE_H
#include <xlocale.h>    /* newlocale, on macOS and the BSDs */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool at_gnuplot_find(char *program, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : "/usr/local/bin:/usr/bin:/bin"; at != NULL;
         at = strchr(at, ':')) {
        at += *at == ':';
        int length = (int) strcspn(at, ":");
        int wrote = length > 0 ? snprintf(program, size, "%.*s/gnuplot", length, at)
                               : snprintf(program, size, "./gnuplot");
        if (wrote > 0 && (size_t) wrote < size && access(program, X_OK) == 0)
            return true;
    }
    return false;
}

static bool is_utf8(const char *name)
{
    locale_t locale = name != NULL && *name != '\0' ? newlocale(LC_CTYPE_MASK, name, (locale_t) 0)
                                                    : (locale_t) 0;
    if (locale == (locale_t) 0)
        return false;
    const char *codes = nl_langinfo_l(CODESET, locale);
    bool utf8 = strcmp(codes, "UTF-8") == 0 || strcmp(codes, "utf8") == 0;
    freelocale(locale);
    return utf8;
}

/* A locale whose characters are UTF-8: of the common ones first, so that a drawing does not depend on
 * where it was made; NULL where there is none. */
static const char *utf8_locale(void)
{
    const char *const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8", "POSIX.UTF-8", getenv("LC_ALL"),
                                  getenv("LC_CTYPE"), getenv("LANG") };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_utf8(names[k]))
            return names[k];
    return NULL;
}

/* The environment less what says a language or where gnuplot draws, plus LC_ALL; NULL when out of
 * memory.  The strings stay the environment's but for the first. */
static char **surroundings(const char *locale)
{
    static const char *const dropped[] = { "LC_", "LANG", "GNUTERM=", "GNUPLOT_LIB=" };
    size_t count = 0, used = 1;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    size_t length = strlen(locale) + sizeof "LC_ALL=";
    char *first = malloc(length);
    if (copy == NULL || first == NULL) {
        free(first);
        free(copy);
        return NULL;
    }
    snprintf(first, length, "LC_ALL=%s", locale);
    copy[0] = first;
    for (size_t k = 0; k < count; k++) {
        bool drop = false;
        for (size_t d = 0; d < sizeof dropped / sizeof *dropped; d++)
            drop |= strncmp(environ[k], dropped[d], strlen(dropped[d])) == 0;
        if (!drop)
            copy[used++] = environ[k];
    }
    return copy;
}

/* In the child: nothing but system calls, for other threads may have held any lock. */
static void become(const char *program, char *const *arguments, char *const *environment,
                   const char *directory, int error_end)
{
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(error_end, STDERR_FILENO) >= 0
        && chdir(directory) == 0)
        execve(program, arguments, environment);
    _exit(127);
}

/* Waits for gnuplot; said gets what it wrote on the pipe, cut at size. */
static int wait_for(pid_t child, int pipe_end, char *said, size_t size, int *code)
{
    size_t used = 0;
    char rest[256];
    for (ssize_t got = 1; got != 0;) {
        bool room = used + 1 < size;
        got = read(pipe_end, room ? said + used : rest, room ? size - 1 - used : sizeof rest);
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0 && room)
            used += (size_t) got;
    }
    while (used > 0 && strchr(" \t\r\n", said[used - 1]) != NULL)
        used--;
    said[used] = '\0';
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}

/* Starts the program and waits; returns 0 or an errno. */
static int start_and_wait(const char *program, char *const *arguments, char *const *environment,
                          const char *directory, char *said, size_t size, int *code)
{
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = fork();
    if (child == 0)
        become(program, arguments, environment, directory, ends[1]);
    int fault = child < 0 ? errno : 0;
    close(ends[1]);
    if (fault == 0)
        fault = wait_for(child, ends[0], said, size, code);
    close(ends[0]);
    return fault;
}

int at_gnuplot_run(const char *directory, const char *name, const char *settings, char *said,
                   size_t size, at_error *err)
{
    const char *locale = utf8_locale();
    char script[128], all[700], program[4096];
    int code = 0;
    said[0] = '\0';
    if (!at_gnuplot_find(program, sizeof program))
        return at_error_set(err, AT_ENVIRONMENT, "gnuplot is not there: install the package "
                            "gnuplot-nox (or gnuplot), then `attest plot %s`", directory);
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(all, sizeof all, "%s%s", settings, locale == NULL ? "; ascii = 1" : "");
    char *const arguments[] = { "gnuplot", "--default-settings", "-e", all, script, NULL };
    char **environment = surroundings(locale != NULL ? locale : "C");
    if (environment == NULL)
        return at_error_memory(err, "gnuplot's environment");
    int fault = start_and_wait(program, arguments, environment, directory, said, size, &code);
    free(environment[0]);
    free(environment);
    if (fault != 0)
        return at_error_set(err, AT_ENVIRONMENT, "gnuplot: %s", strerror(fault));
    if (code != 0)
        return at_error_set(err, AT_ENVIRONMENT, "gnuplot %s/%s (status %d): %s", directory, script,
                            code, said[0] != '\0' ? said : "it gave no reason");
    return AT_OK;
}
