/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large blocks of memory: see memory.h. */
#include "attest/core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const size_t SMALL = (size_t) 1 << 28;

/* The sum of the lines of /proc/meminfo whose names are given, in bytes; SIZE_MAX without them. */
static size_t read_system(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kilobytes, sum = 0;
    int found = 0;

    if (file == NULL)
        return SIZE_MAX;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1
            || sscanf(line, "SwapFree: %llu", &kilobytes) == 1) {
            sum += kilobytes;
            found++;
        }
    fclose(file);
    return found == 2 && sum < SIZE_MAX / 1024 ? (size_t) sum * 1024 : SIZE_MAX;
}

/* The one number of a file; SIZE_MAX where there is none ("max" is no limit). */
static size_t read_number(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned long long number;
    size_t value = SIZE_MAX;

    if (file == NULL)
        return SIZE_MAX;
    if (fscanf(file, "%llu", &number) == 1 && number < SIZE_MAX)
        value = (size_t) number;
    fclose(file);
    return value;
}

/* Of this process's control group, as a container sees it: version 2, else version 1. */
static size_t read_group(void)
{
    static const char *const files[2][2] = {
        { "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current" },
        { "/sys/fs/cgroup/memory/memory.limit_in_bytes",
          "/sys/fs/cgroup/memory/memory.usage_in_bytes" },
    };

    for (int version = 0; version < 2; version++) {
        size_t limit = read_number(files[version][0]), used = read_number(files[version][1]);

        if (limit != SIZE_MAX && used != SIZE_MAX)
            return limit > used ? limit - used : 0;
    }
    return SIZE_MAX;
}

size_t at_memory_available(void)
{
    size_t system = read_system(), group = read_group();

    return system < group ? system : group;
}

int at_memory_check(size_t bytes, const char *what, at_error *err)
{
    size_t available = bytes < SMALL ? SIZE_MAX : at_memory_available();

    if (bytes <= available)
        return AT_OK;
    return at_error_set(err, AT_ENVIRONMENT, "out of memory: %s needs %.1f GB, %.1f are available",
                        what, (double) bytes / 1e9, (double) available / 1e9);
}
