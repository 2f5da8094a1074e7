/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scores of a fit, held against the certified bounds. */
#include "attest/experiments/fit/job.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/numeric/optimize/random.h"
#include "attest/theory/flint/decimal.h"
#include "attest/theory/floor/floor.h"

/* The floor as `attest floor --quiet` begins: rational, or twenty digits and an ellipsis. */
static void floor_text(char *text, size_t room, const at_floor_t floor)
{
    fmpq_t rational;
    arb_t ball;
    char *digits;

    fmpq_init(rational);
    arb_init(ball);
    if (qqbar_is_rational(floor->value)) {
        qqbar_get_fmpq(rational, floor->value);
        digits = fmpq_get_str(NULL, 10, rational);
        snprintf(text, room, "%s", digits);
        flint_free(digits);
    } else {
        qqbar_get_arb(ball, floor->value, 128);
        digits = at_arb_get_decimal(ball, 20, 0);
        snprintf(text, room, "%s...", digits != NULL ? digits : "?");
        free(digits);
    }
    arb_clear(ball);
    fmpq_clear(rational);
}

static void set_double(fmpq_t q, double x)
{
    arf_t exact;

    arf_init(exact);
    arf_set_d(exact, x);
    arf_get_fmpq(q, exact);
    arf_clear(exact);
}

/* The floor on the constant bounds->witness, which is a double, and what rounding did to its targets; both exact
 * but for the last rounding, down and up. */
static int look_at_witness(at_fit_job *job, const at_floor_t floor, at_error *err)
{
    at_fit_bounds *bounds = &job->bounds;
    size_t n = job->task.n;
    double *rows = malloc(3 * n * sizeof *rows), *values = rows + 2 * n;
    at_task point = job->task;
    fmpq_t c, y, low, high, error;
    qqbar_t rounded;

    if (rows == NULL)
        return at_error_memory(err, "the floor");
    point.low = point.high = bounds->witness;
    int status = at_task_constant_rows(&point, 1, rows, values, err);
    fmpq_init(c), fmpq_init(y), fmpq_init(low), fmpq_init(high), fmpq_init(error);
    qqbar_init(rounded);
    for (size_t i = 0; i < n && status == AT_OK; i++) {
        set_double(c, bounds->witness);
        fmpq_poly_evaluate_fmpq(y, floor->rows + i, c);
        if (i == 0 || fmpq_cmp(y, low) < 0)
            fmpq_set(low, y);
        if (i == 0 || fmpq_cmp(y, high) > 0)
            fmpq_set(high, y);
        if (!isfinite(values[i]))
            status = at_error_set(err, AT_USAGE, "the function is beyond doubles on the constant %.17g",
                                  bounds->witness);
        else
            set_double(c, values[i]);
        fmpq_sub(y, y, c);
        fmpq_abs(y, y);
        if (fmpq_cmp(y, error) > 0)
            fmpq_set(error, y);
    }
    fmpq_sub(y, high, low);
    fmpq_div_2exp(y, y, 1);
    qqbar_set_fmpq(rounded, y);
    bounds->at_witness = at_qqbar_lower_double(rounded);
    fmpq_neg(error, error);
    qqbar_set_fmpq(rounded, error);
    bounds->value_error = -at_qqbar_lower_double(rounded);
    qqbar_clear(rounded);
    fmpq_clear(c), fmpq_clear(y), fmpq_clear(low), fmpq_clear(high), fmpq_clear(error);
    free(rows);
    return status;
}

static int function_floor(at_fit_job *job, at_error *err)
{
    at_fit_bounds *bounds = &job->bounds;
    const char *comma = strchr(job->settings->domain, ',');
    char *low = strndup(job->settings->domain, (size_t) (comma - job->settings->domain));
    fmpq_t a, b;
    at_floor_t floor;
    arb_t witness;
    int status = AT_OK;

    fmpq_init(a);
    fmpq_init(b);
    at_floor_init(floor);
    arb_init(witness);
    if (low == NULL)
        status = at_error_memory(err, "the domain");
    else if (at_fmpq_set_text(a, low) != 0 || at_fmpq_set_text(b, comma + 1) != 0)
        status = at_error_set(err, AT_USAGE, "--domain takes two rationals a,b such as 0,1 or "
                              "-1/2,3/4, not '%s'", job->settings->domain);
    if (status == AT_OK)
        status = at_floor_collapsing(floor, &job->function, job->task.n, a, b, err);
    if (status == AT_OK) {
        bounds->exists = floor->has_floor;
        bounds->floor = floor->has_floor ? at_qqbar_lower_double(floor->value) : 0.0;
        qqbar_get_arb(witness, floor->constant, 64);
        bounds->witness = arf_get_d(arb_midref(witness), ARF_RND_NEAR);
        bounds->top = (size_t) floor->top;
        bounds->bottom = (size_t) floor->bottom;
        floor_text(bounds->text, sizeof bounds->text, floor);
        status = look_at_witness(job, floor, err);
    }
    arb_clear(witness);
    at_floor_clear(floor);
    fmpq_clear(b);
    fmpq_clear(a);
    free(low);
    return status;
}

int at_fit_bounds_compute(at_fit_job *job, at_error *err)
{
    at_fit_bounds *bounds = &job->bounds;

    bounds->collapses = at_encodings[job->layout.model.encoding].right_stochastic;
    if (job->task.id == AT_TASK_FUNCTION)
        return function_floor(job, err);
    bounds->accuracy = at_task_constant_ceiling(&job->task);
    bounds->loss = at_task_constant_floor(&job->task);
    bounds->random_accuracy = at_task_random_ceiling(&job->task, job->layout.model.encoding,
                                                     job->layout.model.causal);
    return AT_OK;
}

const char *at_fit_metrics_header(const at_fit_job *job)
{
    if (job->task.id == AT_TASK_FUNCTION)
        return "step\tloss_mse\terror_random\terror_constant\tmse_random\tmse_constant\trate";
    return "step\tloss_nats\taccuracy_random\taccuracy_constant\tnontrivial_random\t"
           "nontrivial_constant\tloss_random_nats\tloss_constant_nats\tbest_constant\t"
           "least_loss_constant_nats\trate";
}

/* Outputs that were equal would be off by at_witness on the witness; these differ by the spread, and the targets
 * are doubles.  A spread that rounding cannot make is no excuse. */
static bool above_floor(const at_fit_job *job)
{
    const at_evaluation *e = &job->constant;
    double reach = e->max_error + e->spread_absolute + job->bounds.value_error;

    return e->spread <= AT_COLLAPSE_ROUNDING && reach * (1.0 + 8.0 * DBL_EPSILON) >= job->bounds.at_witness;
}

/* Whatever the outputs, if they are one row for all positions; the bound is rounded, too. */
static bool above_bounds(const at_fit_job *job)
{
    const at_evaluation *e = &job->constant;
    double loss = job->bounds.loss - 16.0 * DBL_EPSILON * (1.0 + job->bounds.loss);

    return e->best_accuracy <= job->bounds.accuracy && e->least_loss + e->least_loss_error >= loss;
}

/* 101 constants of the domain and the floor's witness; random sequences. */
static int score_function(at_fit_job *job, double rate, at_error *err)
{
    const at_task *task = &job->task;
    size_t n = task->n, constants = job->settings->constants, random = job->settings->score;
    size_t most = constants + 1 > random ? constants + 1 : random;
    double *rows = malloc(3 * n * most * sizeof *rows), *values = rows + 2 * n * most;
    at_task point = *task;
    int status;

    if (rows == NULL)
        return at_error_memory(err, "a score");
    point.low = point.high = job->bounds.witness;
    status = at_task_constant_rows(task, constants, rows, values, err);
    if (status == AT_OK)
        status = at_task_constant_rows(&point, 1, rows + 2 * n * constants,
                                       values + n * constants, err);
    if (status == AT_OK)
        status = at_evaluate_rows(&job->constant, &job->layout, job->params, rows, values,
                                  constants + 1, job->threads, err);
    if (status == AT_OK)
        status = at_task_rows(task, AT_STREAM_SCORE, 0, 0, random, rows, values, err);
    if (status == AT_OK)
        status = at_evaluate_rows(&job->random, &job->layout, job->params, rows, values, random,
                                  job->threads, err);
    free(rows);
    if (status != AT_OK)
        return status;
    at_table_row(&job->metrics, "%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g", job->step, job->loss,
                 job->random.max_error, job->constant.max_error, job->random.loss,
                 job->constant.loss, rate);
    job->within_bounds &= !job->bounds.collapses || above_floor(job);
    return AT_OK;
}

static int score_tokens(at_fit_job *job, double rate, at_error *err)
{
    const at_fit_settings *s = job->settings;
    at_evaluation *random = &job->random, *constant = &job->constant;
    int status = at_evaluate_random(random, &job->layout, job->params, &job->task,
                                    AT_STREAM_VALIDATE, 0, s->score, job->threads, err);

    if (status == AT_OK)
        status = at_evaluate_constants(constant, &job->layout, job->params, &job->task,
                                       s->constants, job->threads, err);
    if (status != AT_OK)
        return status;
    if (job->step == 0)        /* no training loss yet */
        job->loss = random->loss;
    at_table_row(&job->metrics, "%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t"
                 "%.17g\t%.17g", job->step, job->loss, random->accuracy, constant->accuracy,
                 random->hard_accuracy, constant->hard_accuracy, random->loss, constant->loss,
                 constant->best_accuracy, constant->least_loss, rate);
    job->within_bounds &= !job->bounds.collapses || above_bounds(job);
    return AT_OK;
}

int at_fit_score(at_fit_job *job, double rate, at_error *err)
{
    int status = job->task.id == AT_TASK_FUNCTION ? score_function(job, rate, err)
                                                  : score_tokens(job, rate, err);

    return status == AT_OK && job->metrics.failed ? at_error_memory(err, "metrics.tsv") : status;
}
