/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox streams behind GSL's generator interface: see random.h. */
#include "attest/numeric/optimize/random.h"

#include <Random123/philox.h>

typedef struct {
    philox4x32_key_t key;
    philox4x32_ctr_t counter;   /* block, sequence, step, purpose */
    philox4x32_ctr_t words;     /* the block before the counter */
    unsigned used;              /* words taken from it; 4: none left */
} philox_state;

static void open_stream(philox_state *state, uint64_t seed, uint32_t purpose, uint32_t step,
                        uint32_t sequence)
{
    state->key.v[0] = (uint32_t) seed;
    state->key.v[1] = (uint32_t) (seed >> 32);
    state->counter.v[0] = 0;
    state->counter.v[1] = sequence;
    state->counter.v[2] = step;
    state->counter.v[3] = purpose;
    state->words = state->counter;
    state->used = 4;
}

static uint32_t next_word(philox_state *state)
{
    if (state->used == 4) {
        state->words = philox4x32(state->counter, state->key);
        state->used = 0;
        for (int i = 0; i < 4 && ++state->counter.v[i] == 0; i++)
            ;   /* carry */
    }
    return state->words.v[state->used++];
}

static void philox_set(void *state, unsigned long seed)
{
    open_stream(state, seed, AT_STREAM_USER, 0, 0);
}

static unsigned long philox_get(void *state)
{
    return next_word(state);
}

static double philox_get_double(void *state)
{
    uint64_t high = next_word(state) >> 5;
    uint64_t low = next_word(state) >> 6;

    return (double) ((high << 26) | low) * 0x1p-53;
}

static const gsl_rng_type philox_type = {
    "at_philox4x32", 0xffffffffUL, 0, sizeof(philox_state),
    philox_set, philox_get, philox_get_double
};

const gsl_rng_type *const at_rng_philox = &philox_type;

void at_rng_stream(gsl_rng *rng, uint64_t seed, uint32_t purpose, uint32_t step,
                   uint32_t sequence)
{
    open_stream(rng->state, seed, purpose, step, sequence);
}

void at_random_below(uint32_t *out, size_t count, uint32_t bound, uint64_t seed,
                     uint32_t purpose, uint32_t step, uint32_t sequence)
{
    philox_state state;
    /* 2^32 mod bound: below it a product's low half belongs to the uneven rest. */
    uint32_t rest = (uint32_t) (-bound) % bound;

    open_stream(&state, seed, purpose, step, sequence);
    for (size_t i = 0; i < count; i++) {
        uint64_t product;

        do
            product = (uint64_t) next_word(&state) * bound;
        while ((uint32_t) product < rest);
        out[i] = (uint32_t) (product >> 32);
    }
}
