/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing files: beside the destination, then renamed, so that nobody ever sees half of one. */
#include "config.h"

#include "attest/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int system_error(at_error *err, const char *path, const char *what)
{
    return at_error_set(err, AT_ENVIRONMENT, "%s: %s: %s", path, what, strerror(errno));
}

/* What path finally names: symbolic links resolved where the target exists. */
static char *resolve(const char *path)
{
    char *target = realpath(path, NULL);

    return target != NULL ? target : strdup(path);
}

/* Opens the destination itself or the temporary beside it. */
static int open_descriptor(at_outfile *out, at_error *err)
{
    struct stat info;
    size_t size = strlen(out->path) + 32;
    int descriptor;

    if (stat(out->path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (S_ISDIR(info.st_mode)) {
            errno = EISDIR;
            return -1;
        }
        return open(out->path, O_WRONLY | O_CLOEXEC);
    }
    out->temporary = malloc(size);
    if (out->temporary == NULL) {
        at_error_memory(err, "a file name");
        return -1;
    }
    snprintf(out->temporary, size, "%s.tmp-%ld", out->path, (long) getpid());
    descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        free(out->temporary);
        out->temporary = NULL;
    }
    return descriptor;
}

int at_outfile_open(at_outfile *out, const char *path, at_error *err)
{
    int descriptor, status = AT_OK;

    out->stream = NULL;
    out->temporary = NULL;
    out->path = resolve(path);
    if (out->path == NULL)
        return at_error_memory(err, "a file name");
    descriptor = open_descriptor(out, err);
    if (descriptor < 0)
        status = system_error(err, path, "cannot be written");
    else if ((out->stream = fdopen(descriptor, "wb")) == NULL) {
        status = system_error(err, path, "cannot be written");
        close(descriptor);
    }
    if (status != AT_OK)
        at_outfile_discard(out);
    return status;
}

int at_outfile_commit(at_outfile *out, at_error *err)
{
    int failed = ferror(out->stream) != 0;
    int status = AT_OK;

    if (failed)
        errno = ENOSPC;   /* the true cause is gone; this one is by far the commonest */
    failed = fflush(out->stream) != 0 || failed;
    /* Pipes and some file systems have nothing to synchronise. */
    if (!failed && fsync(fileno(out->stream)) != 0)
        failed = errno != EINVAL && errno != EROFS && errno != ENOTSUP;
    if (failed) {
        status = system_error(err, out->path, "cannot be written");
    } else {
        failed = fclose(out->stream) != 0;
        out->stream = NULL;
        if (failed || (out->temporary != NULL && rename(out->temporary, out->path) != 0))
            status = system_error(err, out->path, "cannot be written");
        else if (out->temporary != NULL) {
            free(out->temporary);
            out->temporary = NULL;
        }
    }
    at_outfile_discard(out);
    return status;
}

void at_outfile_discard(at_outfile *out)
{
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->temporary != NULL)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    out->stream = NULL;
    out->temporary = out->path = NULL;
}

int at_file_write(const char *path, const void *bytes, size_t size, at_error *err)
{
    at_outfile out;
    int status = at_outfile_open(&out, path, err);

    if (status != AT_OK)
        return status;
    if (size > 0 && fwrite(bytes, 1, size, out.stream) != size) {
        status = system_error(err, path, "cannot be written");
        at_outfile_discard(&out);
        return status;
    }
    return at_outfile_commit(&out, err);
}

static int make_one(const char *path)
{
    struct stat info;

    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return 0;
        errno = ENOTDIR;
    }
    return -1;
}

int at_directory_make(const char *path, at_error *err)
{
    char *copy = strdup(path);
    int failed = 0;

    if (copy == NULL)
        return at_error_memory(err, "a file name");
    for (char *slash = copy; !failed && *slash != '\0';) {
        slash = strchr(slash + 1, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        failed = make_one(copy) != 0;
        *slash = '/';
    }
    failed = failed || make_one(copy) != 0;
    free(copy);
    return failed ? system_error(err, path, "the folder cannot be made") : AT_OK;
}

char *at_path_join(const char *directory, const char *name)
{
    size_t length = strlen(directory);
    size_t size = length + strlen(name) + 2;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s%s%s", directory,
                 length > 0 && directory[length - 1] != '/' ? "/" : "", name);
    return path;
}
