// SPDX-License-Identifier: MIT
// What hardware does not forgive, planted: of each kernel a wrong form, of which faults.py expects
// one finding at the line that is marked with the kernel's name, and a right one, of which it
// expects none. An instruction stands in one line with its mark:
// clang-format off
#include <hip/hip_runtime.h>
#if defined(__gfx1200__) || defined(__gfx1201__)
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define LDS_LOAD "ds_load_b32"
#define LDS_STORE "ds_store_b32"
#define SCALAR "s_load_b32"
#define WAIT_LOAD(n) "s_wait_loadcnt " #n "\n"
#define WAIT_LDS(n) "s_wait_dscnt " #n "\n"
#define WAIT_SCALAR(n) "s_wait_kmcnt " #n "\n"
#define WAIT_STORE "s_wait_storecnt 0\n"
#define ADD "v_add_nc_u32"
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#elif defined(__GFX11__) || defined(__gfx1100__)
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define LDS_LOAD "ds_load_b32"
#define LDS_STORE "ds_store_b32"
#define SCALAR "s_load_b32"
#define WAIT_LOAD(n) "s_waitcnt vmcnt(" #n ")\n"
#define WAIT_LDS(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_SCALAR(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_STORE "s_waitcnt_vscnt null, 0\n"
#define ADD "v_add_nc_u32"
#define BARRIER "s_barrier\n"
#elif defined(__gfx1030__)
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define LDS_LOAD "ds_read_b32"
#define LDS_STORE "ds_write_b32"
#define SCALAR "s_load_dword"
#define WAIT_LOAD(n) "s_waitcnt vmcnt(" #n ")\n"
#define WAIT_LDS(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_SCALAR(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_STORE "s_waitcnt_vscnt null, 0\n"
#define ADD "v_add_nc_u32"
#define BARRIER "s_barrier\n"
#else
#define CDNA 1
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define LDS_LOAD "ds_read_b32"
#define LDS_STORE "ds_write_b32"
#define SCALAR "s_load_dword"
#define WAIT_LOAD(n) "s_waitcnt vmcnt(" #n ")\n"
#define WAIT_LDS(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_SCALAR(n) "s_waitcnt lgkmcnt(" #n ")\n"
#define WAIT_STORE "s_waitcnt vmcnt(0)\n"
#define ADD "v_add_u32"
#define BARRIER "s_barrier\n"
#endif
#define WAIT_ALL WAIT_LOAD(0) WAIT_LDS(0) WAIT_SCALAR(0)
#define DI static __device__ __forceinline__
// One kernel each: as it should not be, and as it should.
#define BOTH(name)                                                                         \
  extern "C" __global__ void name##_wrong(int *o, const int *a) { name<true>(o, a); }      \
  extern "C" __global__ void name##_right(int *o, const int *a) { name<false>(o, a); }

// --- a register before the wait for the load that writes it ---

template <bool wrong> DI void wait_load(int *o, const int *a) {
  int x;
  asm volatile(LOAD " v40, %0, off" ::"v"(a + threadIdx.x) : "v40");
  if (!wrong) asm volatile(WAIT_LOAD(0));
  asm volatile(ADD " %0, v40, v40" : "=v"(x) :: "v40"); // wait_load
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_load)

template <bool wrong> DI void wait_second(int *o, const int *a) { // with one left, the first is over
  int x;
  asm volatile(LOAD " v40, %0, off\n" LOAD " v41, %0, off\n" WAIT_LOAD(1)::"v"(a + threadIdx.x) : "v40", "v41");
  if (wrong) asm volatile(ADD " %0, v41, v41" : "=v"(x) :: "v41"); // wait_second
  else asm volatile(ADD " %0, v40, v40" : "=v"(x) :: "v40");
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_second)

template <bool wrong> DI void wait_written(int *o, const int *a) {
  int x;
  asm volatile(LOAD " v40, %0, off" ::"v"(a + threadIdx.x) : "v40");
  if (!wrong) asm volatile(WAIT_LOAD(0));
  asm volatile("v_mov_b32 v40, 7" ::: "v40"); // wait_written
  asm volatile(WAIT_ALL "v_mov_b32 %0, v40" : "=v"(x) :: "v40");
  o[threadIdx.x] = x;
}
BOTH(wait_written)

template <bool wrong> DI void wait_lds(int *o, const int *a) {
  __shared__ int s[64];
  int x;
  s[threadIdx.x] = a[threadIdx.x];
  asm volatile(WAIT_ALL LDS_LOAD " v40, %0" ::"v"(threadIdx.x * 4), "v"(s) : "v40", "memory");
  if (wrong) asm volatile(WAIT_LOAD(0));
  else asm volatile(WAIT_LDS(0));
  asm volatile(ADD " %0, v40, v40" : "=v"(x) :: "v40"); // wait_lds
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_lds)

template <bool wrong> DI void wait_permute(int *o, const int *a) {
  int x, y = a[threadIdx.x];
  asm volatile("ds_bpermute_b32 v40, %0, %1" ::"v"(threadIdx.x * 4), "v"(y) : "v40");
  if (!wrong) asm volatile(WAIT_LDS(0));
  asm volatile(ADD " %0, v40, v40" : "=v"(x) :: "v40"); // wait_permute
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_permute)

template <bool wrong> DI void wait_scalar(int *o, const int *a) { // they end in any order
  int x;
  asm volatile(SCALAR " s40, %0, 0x0\n" SCALAR " s41, %0, 0x4" ::"s"(a) : "s40", "s41");
  if (wrong) asm volatile(WAIT_SCALAR(1));
  else asm volatile(WAIT_SCALAR(0));
  asm volatile("v_mov_b32 %0, s40" : "=v"(x) :: "s40"); // wait_scalar
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_scalar)

template <bool wrong> DI void wait_store(int *o, const int *a) { // it comes after the load
  int x;
  asm volatile(LOAD " v40, %0, off" ::"v"(a + threadIdx.x) : "v40");
  asm volatile(STORE " %0, %1, off" ::"v"(o + threadIdx.x), "v"(5) : "memory");
#ifdef CDNA
  if (wrong) asm volatile("s_waitcnt vmcnt(2)");
  else asm volatile("s_waitcnt vmcnt(1)");
#else
  if (wrong) asm volatile(WAIT_STORE);
  else asm volatile(WAIT_LOAD(0));
#endif
  asm volatile(ADD " %0, v40, v40" : "=v"(x) :: "v40"); // wait_store
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_store)

#if defined(CDNA) && !defined(__gfx906__) && !defined(__gfx908__)
template <bool wrong> DI void wait_accumulator(int *o, const int *a) {
  int x;
  asm volatile(LOAD " a40, %0, off" ::"v"(a + threadIdx.x) : "a40");
  if (!wrong) asm volatile(WAIT_LOAD(0));
  asm volatile("v_accvgpr_read_b32 %0, a40" : "=v"(x) :: "a40"); // wait_accumulator
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(wait_accumulator)
#endif

// --- LDS that two waves touch with no barrier between ---

template <bool wrong> DI void race_read(int *o, const int *a) {
  __shared__ int s[128];
  s[threadIdx.x] = a[threadIdx.x]; // race_read other
  if (!wrong) __syncthreads();
  asm volatile("" ::: "memory");
  o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; // race_read
}
BOTH(race_read)

template <bool wrong> DI void race_write(int *o, const int *a) { // the next round's writes, before all have read
  __shared__ int s[128];
  int x = 0;
  for (int k = 0; k < 2; k++) {
    s[threadIdx.x] = a[threadIdx.x] + k; // race_write
    __syncthreads();
    x += s[blockDim.x - 1 - threadIdx.x]; // race_write other
    if (!wrong) __syncthreads();
    asm volatile("" ::: "memory");
  }
  o[threadIdx.x] = x;
}
BOTH(race_write)

template <bool wrong> DI void race_byte(int *o, const int *a) { // one byte of a word is the neighbour's
  __shared__ signed char s[130];
  s[threadIdx.x] = (signed char)a[threadIdx.x]; // race_byte other
  asm volatile("" ::: "memory");
  int y = wrong ? 1 : 0;
  o[threadIdx.x] = s[threadIdx.x + (threadIdx.x + 1 == blockDim.x / 2 ? y : 0)]; // race_byte
}
BOTH(race_byte)

template <bool wrong> DI void race_atomic(int *o, const int *a) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  if (wrong && threadIdx.x == 0) s = 5; // race_atomic other
  asm volatile("" ::: "memory");
  atomicAdd(&s, a[threadIdx.x]); // race_atomic
  __syncthreads();
  o[threadIdx.x] = wrong ? s * 0 : s;
}
BOTH(race_atomic)

template <bool wrong> DI void race_late(int *o, const int *a) { // a store that is on its way at the barrier
  __shared__ int s[128];
  int x, y = a[threadIdx.x], from = (blockDim.x - 1 - threadIdx.x) * 4;
  asm volatile(WAIT_ALL LDS_STORE " %0, %1" ::"v"(threadIdx.x * 4), "v"(y), "v"(s) : "memory"); // race_late other
  if (!wrong) asm volatile(WAIT_LDS(0));
  asm volatile(BARRIER WAIT_LDS(0));
  asm volatile(LDS_LOAD " %0, %1\n" WAIT_LDS(0) : "=v"(x) : "v"(from) : "memory"); // race_late
  o[threadIdx.x] = x;
}
BOTH(race_late)

// --- a lane beyond the block ---

#if defined(CDNA)
#define ALL_LANES "s_mov_b64 s[40:41], exec\ns_mov_b64 exec, -1\n"
#define OWN_LANES "s_mov_b64 exec, s[40:41]\n"
#else
#define ALL_LANES "s_mov_b32 s40, exec_lo\ns_mov_b32 exec_lo, -1\n"
#define OWN_LANES "s_mov_b32 exec_lo, s40\n"
#endif
template <bool wrong> DI void lane_store(int *o, const int *a) { // arithmetic may take all lanes, memory may not
  int *p = o + threadIdx.x, x = a[threadIdx.x];
  unsigned low = (unsigned)(size_t)o, high = (unsigned)((size_t)o >> 32);
  asm volatile(ALL_LANES ADD " v42, %0, %0\n" ::"v"(x) : "v42", "s40", "s41");
  asm volatile("v_mov_b32 v40, %0\nv_mov_b32 v41, %1" ::"s"(low), "s"(high) : "v40", "v41");
  if (wrong) asm volatile(STORE " v[40:41], v42, off" ::: "memory"); // lane_store
  asm volatile(OWN_LANES);
  if (!wrong) asm volatile(STORE " %0, v42, off" ::"v"(p) : "memory");
  asm volatile(WAIT_STORE);
}
BOTH(lane_store)

template <bool wrong> DI void lane_lds(int *o, const int *a) {
  __shared__ int s[64];
  int x = a[threadIdx.x];
  s[threadIdx.x] = x;
  asm volatile(ALL_LANES "v_mov_b32 v40, 0\n" ::"v"(s) : "v40", "s40", "s41", "memory");
  if (wrong) asm volatile(LDS_LOAD " v41, v40\n" ::: "v41", "memory"); // lane_lds
  asm volatile(OWN_LANES);
  if (!wrong) asm volatile(LDS_LOAD " v41, v40\n" ::: "v41", "memory");
  asm volatile(WAIT_ALL);
  o[threadIdx.x] = x;
}
BOTH(lane_lds)

// --- a value that nobody wrote ---

template <bool wrong> DI void undefined_data(int *o, const int *a) {
  int x, y = a[threadIdx.x];
  asm volatile("v_and_b32 %0, %1, v50" : "=v"(x) : "v"(wrong ? 255 : 0) : "v50"); // undefined_data reads
  o[threadIdx.x] = x + y; // undefined_data
}
BOTH(undefined_data)

template <bool wrong> DI void undefined_branch(int *o, const int *a) {
  int x, y = a[threadIdx.x];
  asm volatile("s_and_b32 %0, %1, s50" : "=s"(x) : "s"(wrong ? 1 : 0) : "s50", "scc"); // undefined_branch reads
  asm volatile("s_cmp_eq_u32 %0, 1" ::"s"(x) : "scc");
  asm volatile("s_cbranch_scc1 1f\nv_mov_b32 %0, 3\n1:" : "+v"(y)); // undefined_branch
  o[threadIdx.x] = y;
}
BOTH(undefined_branch)

template <bool wrong> DI void undefined_address(int *o, const int *a) {
  int x;
  asm volatile("v_and_b32 %0, %1, v50" : "=v"(x) : "v"(wrong ? 4 : 0) : "v50"); // undefined_address reads
  o[threadIdx.x] = 0;
  o[threadIdx.x] = a[threadIdx.x & x]; // undefined_address
}
BOTH(undefined_address)

template <bool wrong> DI void undefined_lds(int *o, const int *a) { // the last element is nobody's
  __shared__ int s[64];
  int n = wrong ? blockDim.x - 1 : blockDim.x, t = threadIdx.x;
  if (t < n) s[t] = a[t];
  __syncthreads();
  int x = s[blockDim.x - 1 - t]; // undefined_lds reads
  asm volatile("" : "+v"(x));
  o[t] = x; // undefined_lds
}
BOTH(undefined_lds)

template <bool wrong> DI void undefined_unused(int *o, const int *a) { // loaded, but only used where it was written
  __shared__ int s[64];
  int n = blockDim.x - 1, t = threadIdx.x;
  if (t < n) s[t] = a[t];
  __syncthreads();
  int x = s[t]; // undefined_unused reads
  asm volatile("" : "+v"(x));
  o[t] = t < n || wrong ? x : 1; // undefined_unused
}
BOTH(undefined_unused)
