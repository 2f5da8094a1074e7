/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The precision at hand.  The build compiles each source that includes this file twice, with -DREAL=double
 * and with -DREAL=float; the sources are written in the names of the double side, and in the float
 * build each name below gets its f. */
#ifndef ATTEST_NUMERIC_TRANSFORMER_REAL_H
#define ATTEST_NUMERIC_TRANSFORMER_REAL_H

#include "attest/numeric/kernels/blas.h"
#include "attest/numeric/kernels/kernels.h"
#include "attest/numeric/transformer/transformer.h"

#ifndef REAL
#error "compile with -DREAL=double or -DREAL=float"
#endif

#define AT_IS_double 0
#define AT_IS_float 1
#define AT_JOIN_EXPANDED(a, b) a##b
#define AT_JOIN(a, b) AT_JOIN_EXPANDED(a, b)

#if AT_JOIN(AT_IS_, REAL)
/* Of headers that declare both sides. */
#define at_transformer at_transformerf
#define at_transformer_alloc at_transformerf_alloc
#define at_transformer_alloc_within at_transformerf_alloc_within
#define at_transformer_free at_transformerf_free
#define at_transformer_bytes at_transformerf_bytes
#define at_transformer_set_fixed at_transformerf_set_fixed
#define at_transformer_forward at_transformerf_forward
#define at_transformer_score at_transformerf_score
#define at_transformer_gradient at_transformerf_gradient
#define at_transformer_pullback at_transformerf_pullback
#define at_kernels at_kernelsf
#define at_kernels_for at_kernelsf_for
#define at_product at_productf
#define at_blas_gemm at_blasf_gemm
/* Of this folder and of numeric/encoding/. */
#define at_multiply_room at_multiplyf_room
#define at_multiply at_multiplyf
#define at_weight_count at_weightf_count
#define at_weight_of_head at_weightf_of_head
#define at_weight_list at_weightf_list
#define at_weight_pack at_weightf_pack
#define at_attention_scores at_attentionf_scores
#define at_attention_packed_room at_attentionf_packed_room
#define at_attention_forward at_attentionf_forward
#define at_attention_backward at_attentionf_backward
#define at_arena_slice_sequences at_arenaf_slice_sequences
#define at_arena_lanes_apart at_arenaf_lanes_apart
#define at_arena_lay_derived at_arenaf_lay_derived
#define at_arena_lay_side at_arenaf_lay_side
#define at_arena_lay at_arenaf_lay
#define at_arena_derived at_arenaf_derived
#define at_arena_set at_arenaf_set
#define at_slice_forward at_slicef_forward
#define at_slice_decode at_slicef_decode
#define at_slice_classify at_slicef_classify
#define at_slice_regress at_slicef_regress
#define at_slice_backward at_slicef_backward
#define at_block_cut at_blockf_cut
#define at_block_list at_blockf_list
#define at_block_run at_blockf_run
#define at_pass_run at_passf_run
#define at_encodings_float at_encodings_single
#define at_encoding_scratch at_encodingf_scratch
#define at_encoding_prepare at_encodingf_prepare
#define at_encoding_back at_encodingf_back
#define at_offsets_spread at_offsetsf_spread
#define at_offsets_gather at_offsetsf_gather
#endif

#endif
