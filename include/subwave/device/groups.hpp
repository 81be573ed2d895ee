/* SPDX-License-Identifier: MIT
 * groups.hpp: the groups: which work-items belong, and each one's place among them.
 *
 *   sub_group              the work-items of a work-group that share a wave
 *   ballot_group           those of a sub-group with the caller's answer to a question
 *   fixed_size_group<P>    the P neighbours, aligned to P
 *   tangle_group           those in the same control flow; creation makes them meet
 *   opportunistic_group    those that happen to be here at once; nobody waits
 *   partition_group        those of a group with the caller's key; not SYCL's
 *
 * All have SYCL's members. Ids run from 0 in lane order; the leader has id 0. Objects are plain
 * values of a few registers, and their members neither wait nor write.
 */
#ifndef SUBWAVE_DEVICE_GROUPS_HPP
#define SUBWAVE_DEVICE_GROUPS_HPP

#include <subwave/device/lane.hpp>

/* As the specification asks; never versioned. */
#define SUBWAVE_NON_UNIFORM_GROUPS 1

SUBWAVE_BEGIN

class sub_group;
template <class ParentGroup = sub_group> class ballot_group;
template <std::size_t PartitionSize, class ParentGroup = sub_group> class fixed_size_group;
template <class ParentGroup = sub_group> class tangle_group;
class opportunistic_group;
template <class ParentGroup = sub_group> class partition_group;

/* SYCL's groups of fixed topology beside sub_group, named for the traits alone: work-group
 * algorithms are the business of rocPRIM, hipCUB and CUB. */
template <int Dimensions> class group;
template <int Dimensions> class root_group;

/* --- traits ---------------------------------------------------------------------------------- */

template <class T> struct is_fixed_topology_group : std::false_type {};
template <> struct is_fixed_topology_group<sub_group> : std::true_type {};
template <int D> struct is_fixed_topology_group<group<D>> : std::true_type {};
template <int D> struct is_fixed_topology_group<root_group<D>> : std::true_type {};

template <class T> struct is_user_constructed_group : std::false_type {};
template <class G> struct is_user_constructed_group<ballot_group<G>> : std::true_type {};
template <std::size_t P, class G>
struct is_user_constructed_group<fixed_size_group<P, G>> : std::true_type {};
template <class G> struct is_user_constructed_group<tangle_group<G>> : std::true_type {};
template <> struct is_user_constructed_group<opportunistic_group> : std::true_type {};
template <class G> struct is_user_constructed_group<partition_group<G>> : std::true_type {};

template <class T>
struct is_group
    : std::bool_constant<is_fixed_topology_group<T>::value || is_user_constructed_group<T>::value> {
};

template <class T>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;
template <class T>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;
template <class T> inline constexpr bool is_group_v = is_group<T>::value;

/* Whether all lanes that run together where such a group is used are of one group. Sides of a
 * ballot and fixed-size groups may do one instruction with several groups at once. */
template <class T> struct is_alone : std::false_type {};
template <> struct is_alone<sub_group> : std::true_type {};
template <class G> struct is_alone<tangle_group<G>> : std::true_type {};
template <> struct is_alone<opportunistic_group> : std::true_type {};

/* Whether more than two groups may do one instruction at once, and are not blocks of the wave. */
template <class T> struct is_one_of_many : std::false_type {};
template <class G> struct is_one_of_many<partition_group<G>> : std::true_type {};

/* The lanes of groups that are blocks of the wave, aligned to their size; 0 of others. */
template <class T> inline constexpr int block_size_v = 0;
template <std::size_t P, class G>
inline constexpr int block_size_v<fixed_size_group<P, G>> = static_cast<int>(P);

/* The one maker of groups: users get theirs from the creation functions. */
struct group_factory {
    template <class Group, class... Arguments>
    static SUBWAVE_DEVICE Group make(Arguments... arguments)
    {
        return Group(arguments...);
    }
};

/* --- what all groups have -------------------------------------------------------------------- */

/* SYCL's members, from the four linear ones of `Derived`. */
template <class Derived> class group_members {
public:
    using id_type = id<1>;
    using range_type = range<1>;
    using linear_id_type = std::uint32_t;
    static constexpr int dimensions = 1;
    static constexpr memory_scope fence_scope = memory_scope::sub_group;

    SUBWAVE_DEVICE id_type get_group_id() const { return self().get_group_linear_id(); }
    SUBWAVE_DEVICE id_type get_local_id() const { return self().get_local_linear_id(); }
    SUBWAVE_DEVICE range_type get_group_range() const { return self().get_group_linear_range(); }
    SUBWAVE_DEVICE range_type get_local_range() const { return self().get_local_linear_range(); }
    SUBWAVE_DEVICE bool leader() const { return self().get_local_linear_id() == 0; }

private:
    SUBWAVE_DEVICE const Derived &self() const { return static_cast<const Derived &>(*this); }
};

/* A group that is any set of lanes: ids are ranks in the set. */
template <class Derived> class lane_set : public group_members<Derived> {
public:
    SUBWAVE_DEVICE std::uint32_t get_local_linear_id() const { return lanes_below(lanes_); }
    SUBWAVE_DEVICE std::uint32_t get_local_linear_range() const
    {
        return lane_count(static_cast<lane_bits>(lanes_));
    }

    /* Beyond SYCL: the members as lanes; the mask under which they call wave primitives; the lane
     * of a local id. */
    SUBWAVE_DEVICE lane_mask lanes() const { return lanes_; }
    SUBWAVE_DEVICE lane_mask callers() const { return lanes_; }
    SUBWAVE_DEVICE int lane_of(std::uint32_t local_id) const
    {
        return ranked_lane(static_cast<lane_bits>(lanes_), static_cast<int>(local_id));
    }

protected:
    SUBWAVE_DEVICE explicit lane_set(lane_mask lanes) : lanes_(lanes) {}

private:
    lane_mask lanes_;
};

/* --- sub_group ------------------------------------------------------------------------------- */

/* Lane i of the wave is local id i. The last sub-group of a work-group whose size is no multiple of
 * wave_size() has fewer members. */
class sub_group : public group_members<sub_group> {
public:
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const
    {
        return wave_uniform(block_item() / wave_size());
    }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const
    {
        return (block_size() + wave_size() - 1) / wave_size();
    }
    SUBWAVE_DEVICE std::uint32_t get_local_linear_id() const { return wave_lane(); }
    SUBWAVE_DEVICE std::uint32_t get_local_linear_range() const
    {
        return lane_count(static_cast<lane_bits>(lanes_));
    }
    /* wave_size(), whatever the work-group's size. */
    SUBWAVE_DEVICE range<1> get_max_local_range() const { return wave_size(); }

    SUBWAVE_DEVICE lane_mask lanes() const { return lanes_; }
    SUBWAVE_DEVICE lane_mask callers() const { return wave_whole(lanes_); }
    SUBWAVE_DEVICE int lane_of(std::uint32_t local_id) const { return static_cast<int>(local_id); }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE explicit sub_group(lane_mask lanes) : lanes_(lanes) {}
    lane_mask lanes_;
};

namespace this_work_item {
/* The caller's sub-group. Local ids follow the linear id in the work-group, x fastest. */
SUBWAVE_DEVICE sub_group get_sub_group() { return group_factory::make<sub_group>(wave_members()); }
} // namespace this_work_item

/* SYCL's constraint on parents: creation functions do not take part in overload resolution with
 * another, so that a program can ask whether a call would compile. */
template <class Group>
using parent_must_be_a_sub_group = std::enable_if_t<std::is_same<Group, sub_group>::value>;
template <class Group> using parent_must_be_a_group = std::enable_if_t<is_group_v<Group>>;

/* --- ballot_group ---------------------------------------------------------------------------- */

/* Group 0 are the members of the parent whose predicate was true, group 1 the others; there are
 * always two, of which one may be empty. (Newer DPC++ numbers them the other way round.) */
template <class ParentGroup> class ballot_group : public lane_set<ballot_group<ParentGroup>> {
public:
    static constexpr memory_scope fence_scope = ParentGroup::fence_scope;
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return predicate_ ? 0 : 1; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return 2; }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE ballot_group(lane_mask lanes, bool predicate)
        : lane_set<ballot_group>(lanes), predicate_(predicate)
    {
    }
    bool predicate_;
};

/* As get_ballot_group(), but nobody waits. */
template <class Group>
SUBWAVE_DEVICE ballot_group<Group> ballot_group_without_barrier(Group parent, bool predicate,
                                                                site where = site::current())
{
    lane_mask side = wave_side(parent.callers(), parent.lanes(), predicate, where);
    return group_factory::make<ballot_group<Group>>(side, predicate);
}

/* Called by all of `parent` together, who wait for each other. */
template <class Group, class = parent_must_be_a_sub_group<Group>>
SUBWAVE_DEVICE ballot_group<Group> get_ballot_group(Group parent, bool predicate,
                                                    site where = site::current())
{
    wave_barrier(parent.callers(), where);
    return ballot_group_without_barrier(parent, predicate, where);
}

/* --- fixed_size_group ------------------------------------------------------------------------ */

/* Group i are the parent's members i P to i P + P - 1. */
template <std::size_t PartitionSize, class ParentGroup>
class fixed_size_group : public group_members<fixed_size_group<PartitionSize, ParentGroup>> {
    static_assert(PartitionSize > 0 && (PartitionSize & (PartitionSize - 1)) == 0,
                  "fixed_size_group: the partition size must be a positive power of two");
    static_assert(
        PartitionSize <= max_wave_size(),
        "fixed_size_group: the partition size must not exceed the sub-group's on this target");

public:
    static constexpr memory_scope fence_scope = ParentGroup::fence_scope;
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return wave_lane() / PartitionSize; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const
    {
        return parent_size_ / PartitionSize;
    }
    SUBWAVE_DEVICE std::uint32_t get_local_linear_id() const { return wave_lane() % PartitionSize; }
    SUBWAVE_DEVICE std::uint32_t get_local_linear_range() const { return PartitionSize; }

    SUBWAVE_DEVICE lane_mask lanes() const
    {
        constexpr lane_mask first = ~lane_mask(0) >> (64 - PartitionSize);
        return first << (wave_lane() & ~int(PartitionSize - 1));
    }
    SUBWAVE_DEVICE lane_mask callers() const
    {
        return PartitionSize == max_wave_size() ? wave_whole(lanes()) : lanes();
    }
    SUBWAVE_DEVICE int lane_of(std::uint32_t local_id) const
    {
        const std::uint32_t first = wave_lane() & ~int(PartitionSize - 1);
        return static_cast<int>(first + local_id);
    }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE explicit fixed_size_group(std::uint32_t parent_size) : parent_size_(parent_size)
    {
    }
    std::uint32_t parent_size_;
};

/* Nobody waits. PartitionSize divides the number of the parent's members. */
template <std::size_t PartitionSize, class Group, class = parent_must_be_a_sub_group<Group>>
SUBWAVE_DEVICE fixed_size_group<PartitionSize, Group> get_fixed_size_group(Group parent)
{
    return group_factory::make<fixed_size_group<PartitionSize, Group>>(
        parent.get_local_linear_range());
}

/* --- tangle_group ---------------------------------------------------------------------------- */

/* The parent's members that were in the same control flow when it was created. For use there. */
template <class ParentGroup> class tangle_group : public lane_set<tangle_group<ParentGroup>> {
public:
    static constexpr memory_scope fence_scope = ParentGroup::fence_scope;
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return 0; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return 1; }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE explicit tangle_group(lane_mask lanes) : lane_set<tangle_group>(lanes) {}
};

/* As get_tangle_group(), but nobody waits: for members that meet again before they use the group. */
template <class Group>
SUBWAVE_DEVICE tangle_group<Group> tangle_group_without_barrier(Group parent,
                                                                site where = site::current())
{
    return group_factory::make<tangle_group<Group>>(wave_active(where) & parent.callers());
}

/* May be called in divergent control flow; those in the same flow wait for each other. A loop or
 * helper around the call wants SUBWAVE_LOOP / SUBWAVE_CALL for the CPU device. */
template <class Group, class = parent_must_be_a_sub_group<Group>>
SUBWAVE_DEVICE tangle_group<Group> get_tangle_group(Group parent, site where = site::current())
{
    const tangle_group<Group> tangle = tangle_group_without_barrier(parent, where);
    wave_barrier(tangle.lanes(), where);
    return tangle;
}

/* --- opportunistic_group --------------------------------------------------------------------- */

/* The members of the caller's sub-group that made the call at once: at least the caller, not
 * necessarily all in the same control flow. For use there. */
class opportunistic_group : public lane_set<opportunistic_group> {
public:
    static constexpr memory_scope fence_scope = memory_scope::sub_group;
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return 0; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return 1; }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE explicit opportunistic_group(lane_mask lanes)
        : lane_set<opportunistic_group>(lanes)
    {
    }
};

namespace this_kernel {
/* Callable anywhere; nobody waits. Exactly the active lanes on AMD, any of them on NVIDIA. */
SUBWAVE_DEVICE opportunistic_group get_opportunistic_group(site where = site::current())
{
    return group_factory::make<opportunistic_group>(wave_opportunistic(where));
}
} // namespace this_kernel

/* --- partition_group ------------------------------------------------------------------------- */

/* Beyond SYCL: the members of the parent with the caller's key. Groups are numbered by their first
 * members. */
template <class ParentGroup> class partition_group : public lane_set<partition_group<ParentGroup>> {
public:
    static constexpr memory_scope fence_scope = memory_scope::sub_group;
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return id_; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return range_; }

private:
    friend struct group_factory;
    SUBWAVE_DEVICE partition_group(lane_mask lanes, lane_mask leaders)
        : lane_set<partition_group>(lanes),
          id_(static_cast<std::uint16_t>(
              lane_count(static_cast<lane_bits>(leaders) &
                         ((lane_bits(1) << lowest_lane(static_cast<lane_bits>(lanes))) - 1)))),
          range_(static_cast<std::uint16_t>(lane_count(static_cast<lane_bits>(leaders))))
    {
    }
    std::uint16_t id_, range_;
};

/* Called by all of `parent` together, a group of any kind. `key` is an integer, an enumeration or a
 * pointer. AMD takes a step for each bit in which keys differ, NVIDIA an instruction for 32 bits. */
template <class Group, class Key, class = parent_must_be_a_group<Group>>
SUBWAVE_DEVICE partition_group<Group> get_partition_group(Group parent, Key key,
                                                          site where = site::current())
{
    static_assert(std::is_integral<Key>::value || std::is_enum<Key>::value ||
                      std::is_pointer<Key>::value,
                  "get_partition_group: a key is an integer, an enumeration or a pointer");
    wave_barrier(parent.callers(), where);
    const auto words = to_words(key);
    lane_mask same = parent.lanes();
    SUBWAVE_UNROLL
    for (std::uint32_t word : words.word)
        same &= wave_match(parent.callers(), word, where);
    const bool first = lanes_below(same) == 0;
    return group_factory::make<partition_group<Group>>(
        same, wave_ballot(parent.callers(), first, where) & parent.lanes());
}

SUBWAVE_END

#endif
