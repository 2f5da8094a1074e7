/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs replaced by others: see replace.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/run/replace.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attest/core/file.h"
#include "attest/plots/plot.h"

/* Beside the figures' tables, scripts and drawings, which plots/figures.c names.  config.json is
 * removed last: as long as it is there the folder is known to hold a run. */
static const char *const names[] = {
    "metrics.tsv", "summary.json", "model.safetensors", "checkpoint.safetensors", "output.json",
    "incomplete.tsv", "bounds.tsv", "documents.tsv", "panels-steps.tsv", "regions-points.tsv",
    "rho-attention.tsv", "sweep.tsv", "report.html", "status.txt", "log.txt", "output.txt",
    "files.json",
};
static const char *const endings[] = { ".gp", ".svg", ".png", ".pdf" };

enum { NAMES = sizeof names / sizeof *names, ENDINGS = sizeof endings / sizeof *endings };

json_t *at_run_names(void)
{
    json_t *list = json_array();
    for (size_t k = 0; k < NAMES; k++)
        json_array_append_new(list, json_string(names[k]));
    for (const at_figure *figure = at_figures; figure->name != NULL; figure++) {
        json_array_append_new(list, json_string(figure->data));
        for (size_t k = 0; k < ENDINGS; k++)
            json_array_append_new(list, json_sprintf("%s%s", figure->name, endings[k]));
    }
    return json_pack("{s:o}", "files", list);
}

bool at_run_is_config(const char *path)
{
    json_t *config = json_load_file(path, 0, NULL);
    bool ours = json_is_string(json_object_get(config, "attest"))
                && json_is_string(json_object_get(config, "command"))
                && json_is_object(json_object_get(config, "versions"));
    json_decref(config);
    return ours;
}

/* The names to remove: as the run recorded them, else as this program writes them. */
static json_t *recorded(const char *directory)
{
    char *path = at_path_join(directory, "files.json");
    json_t *record = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    free(path);
    if (json_is_array(json_object_get(record, "files")))
        return record;
    json_decref(record);
    return at_run_names();
}

/* A record may have been edited: nothing outside the folder, and not the folder itself. */
static bool is_plain(const char *name)
{
    return name != NULL && *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0
           && strcmp(name, "..") != 0 && strcmp(name, "config.json") != 0;
}

static int remove_file(const char *directory, const char *name, at_error *err)
{
    char *path = at_path_join(directory, name);
    struct stat info;
    int status = AT_OK;
    if (path == NULL)
        return at_error_memory(err, "a path");
    if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode) && unlink(path) != 0)
        status = at_error_set(err, AT_ENVIRONMENT, "%s: cannot be removed: %s", path, strerror(errno));
    free(path);
    return status;
}

/* A real folder, and no link to one: d_type is not everywhere. */
static bool is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Folders below a sweep's or a reproduction's. */
static void forget_runs(const char *directory, int depth)
{
    static const char *const kept_as_done[] = { "status.txt", "checkpoint.safetensors", "summary.json",
                                                "config.json" };
    DIR *stream = depth > 0 ? opendir(directory) : NULL;
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *folder = at_path_join(directory, entry->d_name);
        char *config = folder != NULL && is_folder(folder) ? at_path_join(folder, "config.json") : NULL;
        if (config != NULL && at_run_is_config(config)) {
            forget_runs(folder, depth - 1);
            for (size_t k = 0; k < sizeof kept_as_done / sizeof *kept_as_done; k++)
                if (remove_file(folder, kept_as_done[k], NULL) != AT_OK)
                    break;      /* said when that run is opened */
        }
        free(config);
        free(folder);
    }
    if (stream != NULL)
        closedir(stream);
}

int at_run_remove(const char *directory, at_error *err)
{
    json_t *record = recorded(directory);
    const json_t *list = json_object_get(record, "files");
    int status = record != NULL ? AT_OK : at_error_memory(err, "the names of a run's files");
    if (status == AT_OK)
        forget_runs(directory, 2);
    for (size_t k = 0; k < json_array_size(list) && status == AT_OK; k++) {
        const char *name = json_string_value(json_array_get(list, k));
        if (is_plain(name))
            status = remove_file(directory, name, err);
    }
    json_decref(record);
    return status == AT_OK ? remove_file(directory, "config.json", err) : status;
}

/* The place of a final "-DIGITS" (or of "-DIGITS.ENDING"), NULL where there is none. */
static const char *process_part(const char *name)
{
    const char *dash = strrchr(name, '-');
    size_t digits = dash != NULL ? strspn(dash + 1, "0123456789") : 0;
    return digits > 0 && (dash[1 + digits] == '\0' || dash[1 + digits] == '.') ? dash : NULL;
}

static bool is_ours(const json_t *list, const char *name, size_t length)
{
    bool found = strncmp(name, "config.json", length) == 0 && length == strlen("config.json");
    for (size_t k = 0; k < json_array_size(list) && !found; k++) {
        const char *one = json_string_value(json_array_get(list, k));
        found = one != NULL && strlen(one) == length && strncmp(one, name, length) == 0;
    }
    return found;
}

static bool is_leftover(const json_t *list, const char *name)
{
    const char *part = process_part(name);
    if (part == NULL)
        return false;
    const size_t length = (size_t) (part - name);
    const size_t tail = strlen(".tmp");
    if (length > tail && strncmp(part - tail, ".tmp", tail) == 0)
        return is_ours(list, name, length - tail);
    /* A drawing: ".FIGURE-PID.svg". */
    char figure[128];
    if (name[0] != '.' || length < 2 || length >= sizeof figure)
        return false;
    snprintf(figure, sizeof figure, "%.*s", (int) length - 1, name + 1);
    return at_figure_find(figure) != NULL;
}

void at_run_sweep_up(const char *directory)
{
    json_t *record = at_run_names();
    DIR *stream = record != NULL ? opendir(directory) : NULL;
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;)
        if (is_leftover(json_object_get(record, "files"), entry->d_name)
            && remove_file(directory, entry->d_name, NULL) != AT_OK)
            break;      /* a folder that cannot be written is said when it is */
    if (stream != NULL)
        closedir(stream);
    json_decref(record);
}
