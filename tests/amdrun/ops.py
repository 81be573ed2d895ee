# SPDX-License-Identifier: MIT
"""The vector and scalar arithmetic instructions, and the C code made of them.

A line is: name, types, C expression.  Types are results ":" sources.  Letters: u i f 32 bits, U I d 64 bits, w s h
16 bits (unsigned, signed, float), P two f32, p two 16-bit halves, M a mask of lanes (result), m this lane's bit of a
mask.  The sources are a, b, c; one statement with r (and q, the bit of M) or an expression for r.  A line that starts
with a space goes on with the one before.
"""
import re

VALU = """
v_mov_b32 u:u a
v_mov_b64 U:U a
v_not_b32 u:u ~a
v_and_b32 u:uu a & b
v_or_b32 u:uu a | b
v_xor_b32 u:uu a ^ b
v_xnor_b32 u:uu ~(a ^ b)
v_bfi_b32 u:uuu (a & b) | (~a & c)
v_bfe_u32 u:uuu bfe(a, b, c)
v_bfe_i32 u:uuu bfei(a, b, c)
v_bfm_b32 u:uu ((1u << (a & 31)) - 1) << (b & 31)
v_and_or_b32 u:uuu (a & b) | c
v_or3_b32 u:uuu a | b | c
v_xor3_b32 u:uuu a ^ b ^ c
v_bitop3_b32 u:uuu bitop3(a, b, c, (u32)o->imm)
v_lshl_or_b32 u:uuu (a << (b & 31)) | c
v_lshl_add_u32 u:uuu (a << (b & 31)) + c
v_add_lshl_u32 u:uuu (a + b) << (c & 31)
v_add3_u32 u:uuu a + b + c
v_xad_u32 u:uuu (a ^ b) + c
v_alignbit_b32 u:uuu (u32)(((u64)a << 32 | b) >> (c & 31))
v_alignbyte_b32 u:uuu (u32)(((u64)a << 32 | b) >> 8 * (c & 3))
v_perm_b32 u:uuu perm(a, b, c)
v_lshlrev_b32 u:uu b << (a & 31)
v_lshrrev_b32 u:uu b >> (a & 31)
v_ashrrev_i32 i:ui b >> (a & 31)
v_lshlrev_b64 U:uU b << (a & 63)
v_lshrrev_b64 U:uU b >> (a & 63)
v_ashrrev_i64 I:uI b >> (a & 63)
v_lshlrev_b16 w:ww b << (a & 15)
v_lshrrev_b16 w:ww b >> (a & 15)
v_ashrrev_i16 w:ws (u32)(b >> (a & 15))
v_lshl_add_u64 U:UuU (a << (b & 7)) + c
v_add_u32 u:uu a + b
v_sub_u32 u:uu a - b
v_subrev_u32 u:uu b - a
v_add_u32_clamp u:uu (u32)(a + b) < a ? ~0u : a + b
v_sub_u32_clamp u:uu a < b ? 0 : a - b
v_subrev_u32_clamp u:uu b < a ? 0 : b - a
v_add_i32 u:uu a + b
v_sub_i32 u:uu a - b
v_add_co_u32 u,M:uu r = a + b; q = r < a
v_sub_co_u32 u,M:uu r = a - b; q = a < b
v_subrev_co_u32 u,M:uu r = b - a; q = b < a
v_addc_co_u32 u,M:uum { u64 y = (u64)a + b + m; r = (u32)y; q = (u32)(y >> 32); }
v_subb_co_u32 u,M:uum { u64 y = (u64)a - b - m; r = (u32)y; q = (u32)(y >> 32) & 1; }
v_subbrev_co_u32 u,M:uum { u64 y = (u64)b - a - m; r = (u32)y; q = (u32)(y >> 32) & 1; }
v_mul_lo_u32 u:uu a * b
v_mul_hi_u32 u:uu (u32)((u64)a * b >> 32)
v_mul_hi_i32 u:ii (u32)((i64)a * b >> 32)
v_mul_u32_u24 u:uu (a & 0xffffff) * (b & 0xffffff)
v_mul_i32_i24 u:uu (u32)(sx24(a) * sx24(b))
v_mul_hi_u32_u24 u:uu (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 32)
v_mul_hi_i32_i24 u:uu (u32)((i64)sx24(a) * sx24(b) >> 32)
v_mad_u32_u24 u:uuu (a & 0xffffff) * (b & 0xffffff) + c
v_mad_i32_i24 u:uuu (u32)sx24(a) * (u32)sx24(b) + c
v_dot4_i32_i8 u:uuu dot4(a, b, c)
v_mad_u64_u32 U,M:uuU { u64 y = (u64)a * b; r = y + c; q = r < y; }
v_mad_i64_i32 I,M:iiI { i64 y = (i64)a * b; r = (i64)((u64)y + (u64)c);
    q = (u32)((((u64)y & (u64)c) | (((u64)y | (u64)c) & ~(u64)r)) >> 63) & 1; }
v_min_u32 u:uu a < b ? a : b
v_max_u32 u:uu a > b ? a : b
v_min_i32 i:ii a < b ? a : b
v_max_i32 i:ii a > b ? a : b
v_min3_u32 u:uuu { r = a < b ? a : b; r = r < c ? r : c; }
v_max3_u32 u:uuu { r = a > b ? a : b; r = r > c ? r : c; }
v_min3_i32 i:iii { r = a < b ? a : b; r = r < c ? r : c; }
v_max3_i32 i:iii { r = a > b ? a : b; r = r > c ? r : c; }
v_minmax_u32 u:uuu { r = a < b ? a : b; r = r > c ? r : c; }
v_maxmin_u32 u:uuu { r = a > b ? a : b; r = r < c ? r : c; }
v_minmax_i32 i:iii { r = a < b ? a : b; r = r > c ? r : c; }
v_maxmin_i32 i:iii { r = a > b ? a : b; r = r < c ? r : c; }
v_med3_i32 i:iii med3i(a, b, c)
v_med3_u32 u:uuu med3u(a, b, c)
v_sad_u32 u:uuu (a > b ? a - b : b - a) + c
v_bcnt_u32_b32 u:uu (u32)__builtin_popcount(a) + b
v_mbcnt_lo_u32_b32 u:uu (u32)__builtin_popcount(a & (i < 32 ? (1u << (i & 31)) - 1 : ~0u)) + b
v_mbcnt_hi_u32_b32 u:uu (u32)__builtin_popcount(a & (i < 32 ? 0 : (1u << (i & 31)) - 1)) + b
v_ffbh_u32 u:u ffbh(a)
v_ffbl_b32 u:u ffbl(a)
v_ffbh_i32 u:i ffbhi(a)
v_bfrev_b32 u:u brev(a)
v_add_u16 w:ww a + b
v_sub_u16 w:ww a - b
v_subrev_u16 w:ww b - a
v_mul_lo_u16 w:ww a * b
v_mad_legacy_u16 w:www a * b + c
v_mad_u16 w:www a * b + c
v_mad_i16 w:www a * b + c
v_min_u16 w:ww a < b ? a : b
v_max_u16 w:ww a > b ? a : b
v_min_i16 w:ss (u32)(a < b ? a : b)
v_max_i16 w:ss (u32)(a > b ? a : b)
v_min3_u16 w:www { r = a < b ? a : b; r = r < c ? r : c; }
v_max3_u16 w:www { r = a > b ? a : b; r = r > c ? r : c; }
v_min3_i16 w:sss (u32)(a < b ? (a < c ? a : c) : (b < c ? b : c))
v_max3_i16 w:sss (u32)(a > b ? (a > c ? a : c) : (b > c ? b : c))
v_cndmask_b32 u:uum m ? b : a
v_cndmask_b16 w:wwm m ? b : a
v_mov_b16 w:w a
v_not_b16 w:w ~a
v_and_b16 w:ww a & b
v_or_b16 w:ww a | b
v_xor_b16 w:ww a ^ b
v_add_f32 f:ff a + b
v_sub_f32 f:ff a - b
v_subrev_f32 f:ff b - a
v_mul_f32 f:ff a * b
v_mul_legacy_f32 f:ff a == 0 || b == 0 ? 0 : a * b
v_fma_f32 f:fff __builtin_fmaf(a, b, c)
v_mad_f32 f:fff a * b + c
v_min_f32 f:ff minf(a, b)
v_max_f32 f:ff maxf(a, b)
v_med3_f32 f:fff med3f(a, b, c)
v_min3_f32 f:fff minf(minf(a, b), c)
v_max3_f32 f:fff maxf(maxf(a, b), c)
v_rcp_f32 f:f 1.f / a
v_rcp_iflag_f32 f:f 1.f / a
v_rsq_f32 f:f (f32)(1. / sqrt((f64)a))
v_sqrt_f32 f:f sqrtf(a)
v_exp_f32 f:f (f32)exp2((f64)a)
v_log_f32 f:f (f32)log2((f64)a)
v_sin_f32 f:f sinrev(a)
v_cos_f32 f:f cosrev(a)
v_floor_f32 f:f floorf(a)
v_ceil_f32 f:f ceilf(a)
v_trunc_f32 f:f truncf(a)
v_rndne_f32 f:f nearbyintf(a)
v_fract_f32 f:f fractf_(a)
v_ldexp_f32 f:fi (f32)ldexp((f64)a, b > 1000 ? 1000 : b < -1000 ? -1000 : b)
v_frexp_exp_i32_f32 i:f frexpe(a)
v_frexp_mant_f32 f:f (f32)frexpm(a)
v_div_scale_f32 f,M:fff q = (u32)div_scalef(a, b, c, &r)
v_div_fmas_f32 f:fffm { r = __builtin_fmaf(a, b, c); if (m) r *= expf_(c) > 127 ? 0x1p64f : 0x1p-64f; }
v_div_fixup_f32 f:fff div_fixupf(a, b, c)
v_add_f64 d:dd a + b
v_mul_f64 d:dd a * b
v_fma_f64 d:ddd __builtin_fma(a, b, c)
v_min_f64 d:dd mind(a, b)
v_max_f64 d:dd maxd(a, b)
v_rcp_f64 d:d 1. / a
v_rsq_f64 d:d 1. / sqrt(a)
v_sqrt_f64 d:d sqrt(a)
v_floor_f64 d:d floor(a)
v_ceil_f64 d:d ceil(a)
v_trunc_f64 d:d trunc(a)
v_rndne_f64 d:d nearbyint(a)
v_fract_f64 d:d fractd(a)
v_ldexp_f64 d:di ldexp(a, b)
v_frexp_exp_i32_f64 i:d frexpe(a)
v_frexp_mant_f64 d:d frexpm(a)
v_div_scale_f64 d,M:ddd q = (u32)div_scaled(a, b, c, &r)
v_div_fmas_f64 d:dddm { r = __builtin_fma(a, b, c); if (m) r *= expd_(c) > 1023 ? 0x1p128 : 0x1p-128; }
v_div_fixup_f64 d:ddd div_fixupd(a, b, c)
v_trig_preop_f64 d:du trig_preop(a, b)
v_add_f16 h:hh a + b
v_sub_f16 h:hh a - b
v_subrev_f16 h:hh b - a
v_mul_f16 h:hh a * b
v_fma_f16 w:hhh dtoh(__builtin_fma((f64)a, (f64)b, (f64)c))
v_min_f16 h:hh minf(a, b)
v_max_f16 h:hh maxf(a, b)
v_min3_f16 h:hhh minf(minf(a, b), c)
v_max3_f16 h:hhh maxf(maxf(a, b), c)
v_rcp_f16 h:h 1.f / a
v_sqrt_f16 h:h sqrtf(a)
v_floor_f16 h:h floorf(a)
v_ceil_f16 h:h ceilf(a)
v_trunc_f16 h:h truncf(a)
v_rndne_f16 h:h nearbyintf(a)
v_cvt_f32_f16 f:h a
v_cvt_f16_f32 h:f a
v_cvt_f32_f64 f:d (f32)a
v_cvt_f64_f32 d:f (f64)a
v_cvt_f32_i32 f:i (f32)a
v_cvt_f32_u32 f:u (f32)a
v_cvt_f64_i32 d:i (f64)a
v_cvt_f64_u32 d:u (f64)a
v_cvt_u32_f32 u:f cvtu32(a)
v_cvt_i32_f32 i:f cvti32(a)
v_cvt_u32_f64 u:d cvtu32(a)
v_cvt_i32_f64 i:d cvti32(a)
v_cvt_f32_ubyte0 f:u (f32)(a & 255)
v_cvt_f32_ubyte1 f:u (f32)(a >> 8 & 255)
v_cvt_f32_ubyte2 f:u (f32)(a >> 16 & 255)
v_cvt_f32_ubyte3 f:u (f32)(a >> 24)
v_cvt_f16_u16 h:w (f32)a
v_cvt_f16_i16 h:s (f32)a
v_cvt_u16_f16 w:h cvtu16(a)
v_cvt_i16_f16 w:h cvti16(a)
v_cvt_rpi_i32_f32 i:f cvti32(floor((f64)a + 0.5))
v_cvt_flr_i32_f32 i:f cvti32(floor((f64)a))
v_pack_b32_f16 u:ww a | b << 16
v_cvt_pk_f16_f32 u:ff ftoh(a) | ftoh(b) << 16
v_fma_mix_f32 f:fff __builtin_fmaf(a, b, c)
v_fma_mixlo_f16 w:fff ftoh(__builtin_fmaf(a, b, c))
v_fma_mixhi_f16 w:fff ftoh(__builtin_fmaf(a, b, c))
v_cmp_class_f32 M:fu q = (u32)classf(a, b)
v_cmp_class_f64 M:du q = (u32)classd(a, b)
"""

PK = """
v_pk_fma_f32 P:PPP __builtin_fmaf(a, b, c)
v_pk_mul_f32 P:PP a * b
v_pk_add_f32 P:PP a + b
v_pk_add_f16 p:hh ftoh(a + b)
v_pk_mul_f16 p:hh ftoh(a * b)
v_pk_fma_f16 p:hhh dtoh(__builtin_fma((f64)a, (f64)b, (f64)c))
v_pk_min_f16 p:hh ftoh(minf(a, b))
v_pk_max_f16 p:hh ftoh(maxf(a, b))
v_pk_add_u16 p:ww a + b
v_pk_sub_u16 p:ww a - b
v_pk_add_i16 p:ww a + b
v_pk_sub_i16 p:ww a - b
v_pk_mul_lo_u16 p:ww a * b
v_pk_mad_u16 p:www a * b + c
v_pk_lshlrev_b16 p:ww b << (a & 15)
v_pk_lshrrev_b16 p:ww b >> (a & 15)
v_pk_ashrrev_i16 p:ws (u32)(b >> (a & 15))
v_pk_min_u16 p:ww a < b ? a : b
v_pk_max_u16 p:ww a > b ? a : b
v_pk_min_i16 p:ss (u32)(a < b ? a : b)
v_pk_max_i16 p:ss (u32)(a > b ? a : b)
"""

SALU = """
s_mov_b32 u:u r = a
s_mov_b64 U:U r = a
s_cmov_b32 u:uu r = SCC ? a : b
s_cmov_b64 U:UU r = SCC ? a : b
s_cselect_b32 u:uu r = SCC ? a : b
s_cselect_b64 U:UU r = SCC ? a : b
s_add_u32 u:uu r = a + b; SCC = r < a
s_sub_u32 u:uu r = a - b; SCC = a < b
s_addc_u32 u:uu { u64 y = (u64)a + b + SCC; r = (u32)y; SCC = y >> 32; }
s_subb_u32 u:uu { u64 y = (u64)a - b - SCC; r = (u32)y; SCC = y >> 32 & 1; }
s_add_i32 u:uu r = a + b; SCC = ((a ^ r) & (b ^ r)) >> 31
s_sub_i32 u:uu r = a - b; SCC = ((a ^ b) & (a ^ r)) >> 31
s_add_u64 U:UU r = a + b
s_sub_u64 U:UU r = a - b
s_mul_u64 U:UU r = a * b
s_mul_i32 u:uu r = a * b
s_mul_hi_u32 u:uu r = (u32)((u64)a * b >> 32)
s_mul_hi_i32 u:ii r = (u32)((i64)a * b >> 32)
s_min_i32 u:ii SCC = a < b; r = (u32)(a < b ? a : b)
s_max_i32 u:ii SCC = a > b; r = (u32)(a > b ? a : b)
s_min_u32 u:uu SCC = a < b; r = a < b ? a : b
s_max_u32 u:uu SCC = a > b; r = a > b ? a : b
s_lshl_b32 u:uu r = a << (b & 31); SCC = r != 0
s_lshr_b32 u:uu r = a >> (b & 31); SCC = r != 0
s_ashr_i32 u:iu r = (u32)(a >> (b & 31)); SCC = r != 0
s_lshl_b64 U:Uu r = a << (b & 63); SCC = r != 0
s_lshr_b64 U:Uu r = a >> (b & 63); SCC = r != 0
s_ashr_i64 U:Iu r = (u64)(a >> (b & 63)); SCC = r != 0
s_lshl1_add_u32 u:uu { u64 y = ((u64)a << 1) + b; r = (u32)y; SCC = y >> 32 != 0; }
s_lshl2_add_u32 u:uu { u64 y = ((u64)a << 2) + b; r = (u32)y; SCC = y >> 32 != 0; }
s_lshl3_add_u32 u:uu { u64 y = ((u64)a << 3) + b; r = (u32)y; SCC = y >> 32 != 0; }
s_lshl4_add_u32 u:uu { u64 y = ((u64)a << 4) + b; r = (u32)y; SCC = y >> 32 != 0; }
s_bfe_u32 u:uu { u32 o_ = b & 31, n = b >> 16 & 127; r = n >= 32 ? a >> o_ : a >> o_ & ((1u << n) - 1); SCC = r != 0; }
s_bfe_i32 u:uu { u32 o_ = b & 31, n = b >> 16 & 127;
    r = n == 0 ? 0 : o_ + n >= 32 ? (u32)((i32)a >> o_) : (u32)((i32)(a << (32 - o_ - n)) >> (32 - n)); SCC = r != 0; }
s_bfe_u64 U:Uu { u32 o_ = b & 63, n = b >> 16 & 127;
    r = n >= 64 ? a >> o_ : a >> o_ & ((1ull << n) - 1); SCC = r != 0; }
s_bfe_i64 U:Uu { u32 o_ = b & 63, n = b >> 16 & 127;
    r = n == 0 ? 0 : o_ + n >= 64 ? (u64)((i64)a >> o_) :
    (u64)((i64)(a << (64 - o_ - n)) >> (64 - n)); SCC = r != 0; }
s_bfm_b32 u:uu r = ((1u << (a & 31)) - 1) << (b & 31)
s_bfm_b64 U:uu r = ((1ull << (a & 63)) - 1) << (b & 63)
s_not_b32 u:u r = ~a; SCC = r != 0
s_not_b64 U:U r = ~a; SCC = r != 0
s_brev_b32 u:u r = brev(a)
s_brev_b64 U:U r = brev64(a)
s_bcnt0_i32_b32 u:u r = (u32)__builtin_popcount(~a); SCC = r != 0
s_bcnt0_i32_b64 u:U r = (u32)__builtin_popcountll(~a); SCC = r != 0
s_bcnt1_i32_b32 u:u r = (u32)__builtin_popcount(a); SCC = r != 0
s_bcnt1_i32_b64 u:U r = (u32)__builtin_popcountll(a); SCC = r != 0
s_ff1_i32_b32 u:u r = ffbl(a)
s_ff1_i32_b64 u:U r = ffbl64(a)
s_ff0_i32_b32 u:u r = ffbl(~a)
s_ff0_i32_b64 u:U r = ffbl64(~a)
s_flbit_i32_b32 u:u r = ffbh(a)
s_flbit_i32_b64 u:U r = ffbh64(a)
s_flbit_i32 u:i r = ffbhi(a)
s_flbit_i32_i64 u:I r = ffbhi64(a)
s_sext_i32_i8 u:u r = (u32)(i32)(i8)a
s_sext_i32_i16 u:u r = (u32)(i32)(i16)a
s_abs_i32 u:i r = a < 0 ? -(u32)a : (u32)a; SCC = r != 0
s_absdiff_i32 u:uu r = a - b; r = (i32)r < 0 ? -r : r; SCC = r != 0
s_pack_ll_b32_b16 u:uu r = (a & 0xffff) | b << 16
s_pack_lh_b32_b16 u:uu r = (a & 0xffff) | (b & 0xffff0000)
s_pack_hh_b32_b16 u:uu r = a >> 16 | (b & 0xffff0000)
s_pack_hl_b32_b16 u:uu r = a >> 16 | b << 16
s_bitset0_b32 u:uu r = b & ~(1u << (a & 31))
s_bitset1_b32 u:uu r = b | 1u << (a & 31)
s_bitset0_b64 U:uU r = b & ~(1ull << (a & 63))
s_bitset1_b64 U:uU r = b | 1ull << (a & 63)
s_bitcmp0_b32 :uu SCC = !(a >> (b & 31) & 1)
s_bitcmp1_b32 :uu SCC = a >> (b & 31) & 1
s_bitcmp0_b64 :Uu SCC = !(a >> (b & 63) & 1)
s_bitcmp1_b64 :Uu SCC = a >> (b & 63) & 1
s_add_f32 f:ff r = a + b
s_sub_f32 f:ff r = a - b
s_mul_f32 f:ff r = a * b
s_min_num_f32 f:ff r = minf(a, b)
s_max_num_f32 f:ff r = maxf(a, b)
s_fmac_f32 f:fff r = __builtin_fmaf(a, b, c)
s_fmamk_f32 f:fff r = __builtin_fmaf(a, b, c)
s_fmaak_f32 f:fff r = __builtin_fmaf(a, b, c)
s_trunc_f32 f:f r = truncf(a)
s_floor_f32 f:f r = floorf(a)
s_ceil_f32 f:f r = ceilf(a)
s_rndne_f32 f:f r = nearbyintf(a)
s_cvt_f32_u32 f:u r = (f32)a
s_cvt_f32_i32 f:i r = (f32)a
s_cvt_u32_f32 u:f r = cvtu32(a)
s_cvt_i32_f32 u:f r = (u32)cvti32(a)
s_cvt_f16_f32 u:f r = ftoh(a)
s_add_f16 u:hh r = ftoh(a + b)
s_sub_f16 u:hh r = ftoh(a - b)
s_mul_f16 u:hh r = ftoh(a * b)
s_min_num_f16 u:hh r = ftoh(minf(a, b))
s_max_num_f16 u:hh r = ftoh(maxf(a, b))
s_fmac_f16 u:hhh r = dtoh(__builtin_fma((f64)a, (f64)b, (f64)c))
s_cvt_f32_f16 f:u r = htof(a & 0xffff)
v_s_rcp_f32 f:f r = 1.f / a
v_s_sqrt_f32 f:f r = sqrtf(a)
v_s_rsq_f32 f:f r = (f32)(1. / sqrt((f64)a))
"""



def _table(text):
    return [line.split(None, 2) for line in text.strip().replace("\n ", " ").splitlines()]


VALU, PK, SALU = _table(VALU), _table(PK), _table(SALU)

for _t in ("u32", "i32", "u64", "i64", "u16", "i16"):
    _l = {"u32": "u", "i32": "i", "u64": "U", "i64": "I", "u16": "w", "i16": "s"}[_t]
    for _n, _o in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
        VALU.append(["v_cmp_%s_%s" % (_n, _t), "M:" + _l * 2, "q = a %s b" % _o])
for _t, _l in (("f32", "f"), ("f64", "d"), ("f16", "h")):
    for _n, _e in (("eq", "a == b"), ("lg", "a < b || a > b"), ("lt", "a < b"), ("le", "a <= b"), ("gt", "a > b"), 
                   ("ge", "a >= b"), ("neq", "!(a == b)"), ("nlg", "!(a < b || a > b)"), ("nlt", "!(a < b)"),
                   ("nle", "!(a <= b)"), ("ngt", "!(a > b)"), ("nge", "!(a >= b)"),
                   ("o", "a == a && b == b"), ("u", "a != a || b != b")):
        VALU.append(["v_cmp_%s_%s" % (_n, _t), "M:" + _l * 2, "q = " + _e])
        if _t != "f64":
            SALU.append(["s_cmp_%s_%s" % (_n, _t), ":" + ("ff" if _t == "f32" else "hh"), "SCC = " + _e])
for _t, _l in (("u32", "u"), ("i32", "i"), ("u64", "U")):
    for _n, _o in (("eq", "=="), ("lg", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
        SALU.append(["s_cmp_%s_%s" % (_n, _t), ":" + _l * 2, "SCC = a %s b" % _o])
for _b, _l, _x in (("b32", "u", ""), ("b64", "U", "")):
    for _n, _e in (("and", "a & b"), ("or", "a | b"), ("xor", "a ^ b"), ("andn2", "a & ~b"), ("orn2", "a | ~b"),
                   ("nand", "~(a & b)"), ("nor", "~(a | b)"), ("xnor", "~(a ^ b)")):
        SALU.append(["s_%s_%s" % (_n, _b), _l + ":" + _l * 2, "r = %s; SCC = r != 0" % _e])
    for _n, _e in (("and", "a & x"), ("or", "a | x"), ("xor", "a ^ x"), ("andn2", "a & ~x"), ("orn2", "a | ~x"),
                   ("nand", "~(a & x)"), ("nor", "~(a | x)"), ("xnor", "~(a ^ x)"), ("andn1", "~a & x"),
                   ("orn1", "~a | x")):
        SALU.append(["s_%s_saveexec_%s" % (_n, _b), _l + ":" + _l,
                     "{ u64 x = rdexec(w); r = (%s)x; x = %s; wrmask(w, EXEC, x & FULL); SCC = (x & FULL) != 0; }" % (
                         "u32" if _l == "u" else "u64", _e)])

SIG = {}
for _n, _s, _e in VALU + PK:
    _d, _a = _s.split(":")
    SIG[_n] = (_d.split(",") if _d else [], list(_a))
SSIG = {}
for _n, _s, _e in SALU:
    _d, _a = _s.split(":")
    SSIG[_n] = (_d, list(_a))

CT = {"u": "u32", "i": "i32", "f": "f32", "U": "u64", "I": "i64", "d": "f64", "w": "u32", "s": "i32", "h": "f32"}
WIDE = "UId"


def _load(letter, k, v):
    if letter in WIDE:
        raw = "(u64)A%d[i] | (u64)B%d[i] << 32" % (k, k)
        return "%s %s = %s;" % (CT[letter], v, "tod(%s)" % raw if letter == "d" else "(%s)(%s)" % (CT[letter], raw))
    x = "A%d[i]" % k
    return "%s %s = %s;" % (CT[letter], v, {"u": x, "i": "(i32)" + x, "f": "tof(%s)" % x, "w": x + " & 0xffff",
                                           "s": "(i32)(i16)%s" % x, "h": "htof(%s & 0xffff)" % x}[letter])


def _valu(name, sig, expr):
    dst, src = sig.split(":")
    dst = dst.split(",")
    res = [x for x in dst if x != "M"]
    mask = "M" in dst
    o = ["const Op *op_%s(W *w, const Op *o)" % name, "{"]
    load = []
    n = 0
    for letter, v in zip(src, "abcm"):
        if letter == "m":
            o.append("    u32 MM[N] AL; expand(maskarg(w, o), MM);")
            load.append("u32 m = MM[i] & 1;")
            continue
        if letter in WIDE:
            o.append("    u32 T%d[2 * N] AL; const u32 *A%d, *B%d; src64(w, o, %d, T%d, &A%d, &B%d);" % ((n,) * 7))
        else:
            o.append("    u32 T%d[N] AL; const u32 *A%d = src32(w, o, %d, T%d);" % ((n,) * 4))
        load.append(_load(letter, n, v))
        n += 1
    if not re.search(r"(?<![=!<>])=(?!=)", expr) and not expr.startswith("{"):
        expr = "r = " + expr
    body = " ".join(load)
    if res:
        t = res[0]
        body += " %s r;" % CT[t]
        o.append("    u32 *D = w->v[o->d];" + (" u32 *H = w->v[o->d + 1];" if t in WIDE else ""))
    if mask:
        body += " u32 q;"
        o.append("    u32 R[N] AL;")
    body += " " + expr + ";"
    if mask:
        body += " R[i] = -(u32)(q != 0);"
    for full in (True, False):
        if not res:
            if full:
                o.append("    LOOP { %s }" % body)
            continue
        t = res[0]

        def put(arr, val):
            if full:
                return "%s[i] = %s;" % (arr, val)
            return "%s[i] = (%s[i] & ~x) | ((%s) & x);" % (arr, arr, val)
        st = "" if full else " u32 x = X[i];"
        if t in WIDE:
            st += " u64 z = %s; %s %s" % (
                "dof(r)" if t == "d" else "(u64)r", put("D", "(u32)z"), put("H", "(u32)(z >> 32)"))
        elif t in "wh":
            st += " " + put("D", "(D[i] & KEEP) | (%s & 0xffff) << DSH" % ("ftoh(r)" if t == "h" else "(u32)r"))
        else:
            st += " " + put("D", "fof(r)" if t == "f" else "(u32)r")
        if t in "wh" and full:
            o.append("    const u32 KEEP = o->keep, DSH = o->dsh;")
        loop = "    if (w->full) LOOP { %s%s }" if full else "    else { const u32 *X = xmask(w); LOOP { %s%s } }"
        o.append(loop % (body, st))
    if mask:
        o.append("    wrmask(w, o->d2, collect(R) & rdexec(w));")
    return "\n".join(o + ["    return o + 1;", "}"])


def _pk(name, sig, expr):
    dst, src = sig.split(":")
    o = ["const Op *op_%s(W *w, const Op *o)" % name, "{"]
    lo, hi = [], []
    for n, (letter, v) in enumerate(zip(src, "abc")):
        if dst == "P":
            o.append("    u32 T%d[2 * N] AL; const u32 *A%d, *B%d; src64(w, o, %d, T%d, &A%d, &B%d);" % ((n,) * 7))
            o.append("    const u32 *L%d = o->sh[%d] & 1 ? B%d : A%d, *H%d = o->sh[%d] & 2 ? B%d : A%d;" % ((n,) * 8))
            o.append("    const u32 NL%d = o->sh[%d] & 4 ? 0x80000000u : 0, NH%d = o->sh[%d] & 8 ? 0x80000000u : 0;" % (
                (n,) * 4))
            lo.append("f32 %s = tof(L%d[i] ^ NL%d);" % (v, n, n))
            hi.append("f32 %s = tof(H%d[i] ^ NH%d);" % (v, n, n))
        else:
            o.append("    u32 T%d[N] AL; const u32 *A%d = src32(w, o, %d, T%d);" % ((n,) * 4))
            o.append("    const u32 SL%d = o->pf[%d] & 1 ? 16 : 0, SH%d = o->pf[%d] & 2 ? 16 : 0;" % ((n,) * 4))
            o.append("    const u32 NL%d = o->pf[%d] & 4 ? 0x8000 : 0, NH%d = o->pf[%d] & 8 ? 0x8000 : 0;" % ((n,) * 4))
            for out, q in ((lo, "L"), (hi, "H")):
                x = "((A%d[i] >> S%s%d & 0xffff) ^ N%s%d)" % (n, q, n, q, n)
                x = {"h": "htof(%s)" % x, "w": x, "s": "(i32)(i16)" + x}[letter]
                out.append("%s %s = %s;" % (CT[letter], v, x))
    if dst == "P":
        o.append("    u32 *D = w->v[o->d], *H = w->v[o->d + 1];")
        body = "f32 y, z; { %s y = %s; } { %s z = %s; }" % (" ".join(lo), expr, " ".join(hi), expr)
        o.append("    if (w->full) LOOP { %s D[i] = fof(y); H[i] = fof(z); }" % body)
        o.append("    else { const u32 *X = xmask(w); LOOP { %s u32 x = X[i];" % body)
        o.append("        D[i] = (D[i] & ~x) | (fof(y) & x); H[i] = (H[i] & ~x) | (fof(z) & x); } }")
    else:
        o.append("    u32 *D = w->v[o->d]; const u32 *X = xmask(w);")
        o.append("    LOOP { u32 y, z; { %s y = (u32)(%s); } { %s z = (u32)(%s); }" % (
            " ".join(lo), expr, " ".join(hi), expr))
        o.append("        u32 x = X[i]; D[i] = (D[i] & ~x) | (((y & 0xffff) | z << 16) & x); }")
    return "\n".join(o + ["    return o + 1;", "}"])


def _salu(name, sig, expr):
    dst, src = sig.split(":")
    o = ["const Op *op_%s(W *w, const Op *o)" % name, "{"]
    for n, (letter, v) in enumerate(zip(src, "abc")):
        x = "%s(w, o, %d)" % ("ss64" if letter in WIDE else "ss32", n)
        x = {"f": "tof((%s & o->am[%d]) ^ o->xm[%d])" % (x, n, n),
             "h": "htof((%s & o->am[%d] & 0xffff) ^ o->xm[%d])" % (x, n, n)}.get(letter, "(%s)%s" % (CT[letter], x))
        o.append("    %s %s = %s;" % (CT[letter], v, x))
    if dst:
        o.append("    %s r;" % CT[dst])
    o.append("    %s;" % expr.replace("SCC", "w->scc"))
    if dst:
        o.append("    wr%s(w, o->d, %s);" % ("64" if dst in WIDE else "32", "fof(r)" if dst == "f" else "r"))
    return "\n".join(o + ["    return o + 1;", "}"])


MOV_PK = """
const Op *op_v_pk_mov_b32(W *w, const Op *o)
{
    u32 T0[2 * N] AL, T1[2 * N] AL; const u32 *A0, *B0, *A1, *B1;
    src64(w, o, 0, T0, &A0, &B0); src64(w, o, 1, T1, &A1, &B1);
    const u32 *L = o->sh[0] & 1 ? B0 : A0, *U = o->sh[1] & 1 ? B1 : A1;
    u32 *D = w->v[o->d], *H = w->v[o->d + 1];
    if (w->full) LOOP { u32 y = L[i], z = U[i]; D[i] = y; H[i] = z; }
    else {
        const u32 *X = xmask(w);
        LOOP { u32 y = L[i], z = U[i], x = X[i]; D[i] = (D[i] & ~x) | (y & x); H[i] = (H[i] & ~x) | (z & x); }
    }
    return o + 1;
}
"""


def two_over_pi(bits=1216):
    """The first bits of 2/pi after the binary point, 64 to a word (Machin's formula)."""
    one = 1 << bits + 64

    def atan_inv(n):
        t = s = one // n
        k = 1
        while t:
            t //= n * n
            k += 2
            s += -(t // k) if k & 2 else t // k
        return s
    pi = 4 * (4 * atan_inv(5) - atan_inv(239))
    v = (2 * one << bits) // pi
    return [v >> bits - 64 * (i + 1) & (1 << 64) - 1 for i in range(bits // 64)]


def source(core):
    out = [core, "static const u64 TWO_OVER_PI[] = {%s};" % ", ".join("%#xull" % x for x in two_over_pi() + [0])]
    out += [_valu(*x) for x in VALU] + [_pk(*x) for x in PK] + [_salu(*x) for x in SALU] + [MOV_PK]
    return "\n".join(out) + "\n"
