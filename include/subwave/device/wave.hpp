/* SPDX-License-Identifier: MIT
 * wave.hpp: the wave primitives of the platform at hand; the same names and contracts in all three.
 * platform/<name>/wave.hpp implements them in this order, one function per machine instruction or
 * idiom, together with the headers that it includes (platform/gpu/wave.hpp is shared by AMD and
 * NVIDIA).
 *
 * Lanes
 *   lanes_below(mask, more = 0)          set bits of `mask` below this lane, and `more`
 *   wave_lane()                          this lane, 0 .. wave_size() - 1
 *   counts_lanes_by_scalars              whether it takes no vector instruction to keep and to count
 *                                        the lanes in which a condition holds: on AMD
 *   wave_siblings                        what NVIDIA keeps in registers for many ladders of
 *                                        sets_or_blocks (ladder.hpp); nothing elsewhere
 *   wave_uniform(value)                  value, an int that is the same in all lanes, which the
 *                                        compiler may not see
 *   block_item(), block_size()           this work-item's number in its block, and how many there
 *                                        are
 *   wave_members()                       lanes of this wave that exist; fewer in a partial last
 *                                        wave
 *
 * Who calls. `members` names the lanes that make a call together, the caller among them. All
 * functions are force-inlined: AMD reads the EXEC mask, which must be the caller's.
 *   wave_whole(members)                  the mask for calls by all of wave_members()
 *   wave_active(where)                   lanes that execute this call in lockstep
 *   wave_caller_count(members, where)    how many they are, where all members call, and no others
 *   wave_opportunistic(where)            a subset of wave_active() that contains the caller
 *   wave_ballot(members, p, where)       bit i set if lane i is a member with p true
 *   inverse_ballot(mask)                 whether this lane's bit of `mask` is set, a mask that is the
 *                                        same in all lanes
 *   has_inverse_ballot                   whether that takes no instruction, where a branch depends on it
 *   wave_side(callers, members, p, where)  lanes of the members, all of whom call, with the
 *                                        caller's p
 *   wave_match(members, word, where)     the members, all of whom call, with the caller's 32 bits
 *
 * Moves of a value between lanes
 *   wave_shuffle(members, v, lane)       v of `lane`, a member; `lane` may differ from lane to lane
 *   wave_select(members, v, there, find, where)  v of lane find() where `there`; elsewhere the
 *                                        lane's own. GPUs call find() in all lanes, without a branch,
 *                                        and ignore what it gives elsewhere
 *   wave_broadcast(members, v, lane)     v of `lane`, a member; `lane` the same in all of them
 *   wave_team_size()                     lanes per team: a wave divides into teams that can each
 *                                        broadcast from a lane of their own at the cost of one
 *                                        whole-wave broadcast
 *   wave_small_team                      the same if that is less than a wave, otherwise 0
 *   wave_broadcast_in_team(members, v, item)  v of lane `item` of the caller's team;
 *                                        read_in_team(item) of a published tile
 *   wave_broadcast_each(members, v, lane) wave_broadcast where other groups make the call too
 *   wave_broadcast_first(members, v, where)  v of the first member; sides of a ballot may share the
 *                                        call
 *   wave_knows(number)                   whether it is a constant for which there is a move of its
 *                                        own
 *   wave_xor_block<Size>(members, v, mask, where)  v of lane ^ mask; mask < Size
 *   wave_xors_partial(mask)              whether this mask has a move of its own that may be made
 *                                        in a partial wave
 *   wave_xor_partial(members, v, mask, where)  v of lane ^ mask by that move; the lane's own where
 *                                        that is not there
 *   wave_sibling(members, v, size)       v of a lane of the sibling of this lane's block of `size`
 *                                        lanes, where all lanes of a block hold the same
 *   wave_broadcast_block<Size>(members, v, id, where)  v of lane `id` of the lane's block of Size
 *   wave_shifts_partial                  whether the next may be called in a partial wave
 *   wave_shift_one<Size, FromBelow>(members, v, where)  v of the lane below or above; the lane's
 *                                        own at that end of its block, and at a partial wave's if
 *                                        wave_shifts_partial
 *   wave_shift_in(members, v, first, where)  v of the lane below, and in lane 0 its `first`; by all
 *                                        lanes of a whole wave
 *   wave_publish(members, v)             a tile whose read(lane) is wave_broadcast(members, v,
 *                                        lane), read_each(lane) wave_broadcast_each,
 *                                        read_block<Size>(id) wave_broadcast_block,
 *                                        select(lane, f) wave_shuffle of f(v), and
 *                                        select_block<Size>(lane, id, f) the same where `lane` is
 *                                        `id` of the lane's block of Size
 *
 * Barriers
 *   wave_barrier(members, where)         orders the members' memory accesses before and after it
 *   block_barrier(where)                 the same for the work-group; reached by all of it
 *
 * Memory
 *   wave_loads_ahead                     whether a load issued ahead of its use saves time
 *   wave_vector<T>::type                 16 bytes of T with arithmetic, on the CPU device only
 *   load_together<Count>(to, from)       Count elements by one load; `from` aligned to their bytes,
 *                                        or as its elements on the CPU device
 *   wave_loads_anywhere                  whether one load reads 16 bytes from any address that
 *                                        is aligned as an element
 *   adds_wide_offsets                    whether the compiler makes offsets wide, and adds them itself, where
 *                                        they need not be: LLVM 15 for AMD
 *   stores_cost_sectors                  whether a wave's store to half of 32 aligned bytes, which
 *                                        are a sector, takes as long as one to all of them
 *   load_anywhere<Count>(to, from)       Count elements, by one load if wave_loads_anywhere
 *   store_anywhere<Count>(to, from)      Count elements to any address, as load_anywhere
 *   load_relaxed(at)                     a 64-bit word of device memory that other blocks write
 *                                        meanwhile: all of it before or all of it after; of other
 *                                        memory it says nothing
 *   load_relaxed_pair(at, to)            two such words side by side, aligned to 16 bytes, each as
 *                                        it is then; on NVIDIA by one load
 *   store_relaxed(at, word)              writes one so
 *   fetch_add_acq_rel(at, value)         adds to a word of device memory, and returns what it was;
 *                                        acquires and releases, as C says it, among all blocks
 *   add_to_global(at, value)             adds a number of 4 or 8 bytes to one in global memory,
 *                                        atomically. A float by one instruction if the device has it,
 *                                        which on AMD needs memory that the host does not share, and
 *                                        may take f32 below the normal numbers as 0
 *   add_to_shared(at, value)             the same in shared memory, fastest where it is 0
 *   load_in_order<Count>(to, from)       load_together, and on NVIDIA the compiler does not move it
 *   load_once<Count>(to, from)           the same, of what nobody writes and is read once; on
 *                                        NVIDIA of 8-byte elements
 *   load_scalars<Count, Loads>(to, from) Count elements of what nobody writes; on AMD by `Loads`
 *                                        loads into registers that a wave has once, from the
 *                                        address that the first lane has, a multiple of 4, which
 *                                        `from` becomes
 *   add_products(sums, scalars, i, b)    sums[c] += scalars[i] * b[c] for each c, of scalars that
 *                                        all lanes have, as load_scalars loads them; of complex
 *                                        numbers too
 *   touch(address)                       asks for the line there ahead of a load, on NVIDIA;
 *                                        nothing elsewhere
 *   touch_shared(address)                the same, to the cache that all blocks share
 *   in_global_memory(x)                  x, a pointer that the compiler cannot know to be to global
 *                                        memory
 *   in_shared_memory(x)                  x, a pointer to shared memory; on AMD of a type that says so
 *   element_near(base, i)                base[i], i so small that 32 bits count the bytes to it;
 *                                        `base` is the same in all lanes
 *   element_in_row(base, row, i)         base[row + i], likewise; `row` is the same in all lanes, too
 *   copy_to_local(local, global)         *local = *global, of 4, 8 or 16 bytes, in shared memory,
 *                                        which this lane sees after copies_to_local_done()
 *   copy_to_local<false>(local, global)  the same past a multiprocessor's cache, if of 16 bytes
 *   copy_part_to_local<Count>(local, global, count)   the same of `Count` elements that are aligned
 *                                        together, of which only the first `count` are there, and any
 *                                        others become 0
 *   copies_bypass_registers              whether copy_to_local() does not go through registers, so
 *                                        that a kernel need not load elements before it stores them
 *   copies_to_local_done()
 *   copies_to_local_begun()              ends a stage of copies: those since the last call, if any
 *   copies_to_local_wait<Excepted>()     this lane sees its copies of all stages, except for the
 *                                        `Excepted` that ended last
 *
 * What compilers and schedulers do
 *   seen_as_whole(x)                     x; AMD's compiler then does not keep a double twice, as a
 *                                        number and as two words
 *   remains_branch()                     the branch in which it stands remains one on AMD, where all
 *                                        lanes would otherwise do what is in it, and few take the
 *                                        result
 *   keep_order()                         what stands before it is issued before what follows, on
 *                                        AMD
 *   computed_anew(value)                 value, an int; on NVIDIA, where a loop needs the
 *                                        registers, what follows from it is not kept from one call
 *                                        to the next
 *   by_itself(x)                         x, which AMD's compiler then does not make a pair with another
 *                                        value, for an instruction for both
 *   moved(x)                             x, on AMD in another register
 *   end_of_kernel()                      on AMD, ends the kernel for the wave, all of whose lanes call it;
 *                                        elsewhere what follows is executed too, and has to do no harm
 *   assume_line_of_items()               says that blocks have one dimension
 *   lane_registers                       words that a lane can have in registers where a compute unit
 *                                        has 1024 work-items
 *   branches_end_in_moves                whether the compiler, where branches meet, moves their values to
 *                                        the same registers; if these are many, each branch should store
 *                                        its own
 *   blocks_begin_in_order                whether a block begins only after those of lower numbers
 *   argument_read_anew(argument)         the kernel's first argument; on AMD from memory again, so
 *                                        that its scalars need not be kept
 *   argument_element(array, offset, i)   array[i] of an array that is `offset` bytes within the
 *                                        kernel's first argument; i is the same for all lanes
 *   of_each_lane(number)                 an integer of 64 bits, on AMD also of 32, which AMD then
 *                                        does not keep in scalar registers
 *   held(number)                         an integer of 64 bits, which each lane keeps in a register rather
 *                                        than working it out where it is used
 *
 * Numbers
 *   half_bits(value), half_value(bits)   f32 to f16, rounded to nearest even, and back
 *   fused_multiply_add(a, b, sum)        sum + a b, rounded once on a GPU. Written out, since a
 *                                        compiler that fuses where it likes does so here and not
 *                                        there: operands' alignment, which decides between forms of
 *                                        a kernel, would change bits
 *   fused_multiply_adds(sums, factors, i, b)   sums[c] = fused_multiply_add(factors[i], b[c], sums[c])
 *                                        for each c; on AMD by v_pk_fma_f32 where there is one
 *   rounded_product(a, b)                a b, rounded by itself: no compiler fuses it with an addition
 *   number_between(x, least, most)       x; `least` if it is less or NaN, `most` if it is greater
 *   fraction(x)                          x, at least 0, minus the greatest integer up to it
 *   square_root(x)                       of an f64, rounded to nearest even
 *   number_min(a, b), number_max(a, b)   IEEE minNum and maxNum, with -0 below +0
 *
 * The matrix unit in groups
 *   wave_multiplies_matrices<T>          whether there is wave_multiply_16x8x8
 *   wave_multiply_16x8x8(a, b, c0..c3)   C += A B by 32 lanes: lane 4 p + q holds A[p + 8 i][q + 4
 *                                        j] as a[i + 2 j], B[q + 4 j][p] as b[j], and C[p][2 q + j]
 *                                        as c0, c1 and of row p + 8 as c2, c3
 */
#ifndef SUBWAVE_DEVICE_WAVE_HPP
#define SUBWAVE_DEVICE_WAVE_HPP

#include <subwave/device/arch.hpp>

#include SUBWAVE_PLATFORM_HEADER(wave)

#endif
