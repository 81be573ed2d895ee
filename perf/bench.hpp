/* SPDX-License-Identifier: MIT
 * bench.hpp: what a file of cases sees: the device, the wishes of the command line, how to be
 * timed.
 */
#ifndef SUBWAVE_BENCH_HPP
#define SUBWAVE_BENCH_HPP

#include "registry.hpp"

#include <measure.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/* Ends a measurement, with the reason. */
struct failure : std::runtime_error {
    using runtime_error::runtime_error;
};
/* The same where nothing is wrong: the device, build or peer does not have what was asked for. */
struct unsupported : failure {
    using failure::failure;
};

/* --- the device ------------------------------------------------------------------------------ */

/* What the C interface leaves to the runtime beneath it: its clock, and how calls are queued. */
class runtime {
public:
    virtual ~runtime() = default;
    virtual void *stream() const = 0;             /* null on the CPU device */
    virtual std::int64_t cache_bytes() const = 0; /* of the last level */
    virtual int clock_mhz() const = 0;            /* the highest; 0 if unknown */
    virtual const char *method() const = 0; /* how a batch is queued and timed, for the record */
    /* Queues a copy on the stream. */
    virtual void copy(void *to, const void *from, std::size_t bytes) = 0;
    /* Keeps what `queue` queues as the batch to be timed; replay() runs it and returns seconds. */
    virtual void record(std::function<void()> queue) = 0;
    virtual double replay() = 0;
};
using open_gpu = std::unique_ptr<runtime> (*)(int index);
std::unique_ptr<runtime> open_host();

struct device {
    explicit device(const char *id);
    ~device();
    device(const device &) = delete;
    device &operator=(const device &) = delete;

    bool is_gpu() const;
    int wave() const { return about.sub_group_sizes[0]; }
    int units() const; /* multiprocessors; threads that the CPU device uses */
    /* Throws what went wrong. */
    void expect(subwave_status status) const;

    subwave_context *context = nullptr;
    subwave_device_properties about = {};
    std::unique_ptr<bench::runtime> runtime;
    std::int64_t cache_bytes;
};

/* measure_array with exceptions. */
class rotating_array {
public:
    rotating_array(const device &on, std::size_t bytes, int sets) : on_(on)
    {
        on.expect(measure_allocate(&array_, on.context, bytes, sets));
    }
    ~rotating_array() { measure_free(&array_); }
    rotating_array(const rotating_array &) = delete;
    rotating_array &operator=(const rotating_array &) = delete;

    void *operator[](int set) const { return measure_at(&array_, set); }
    void fill(const void *contents) const { on_.expect(measure_fill(&array_, contents)); }
    void poison(int set) const { on_.expect(measure_poison(&array_, set)); }
    std::vector<unsigned char> read(int set) const
    {
        std::vector<unsigned char> contents(array_.bytes);
        on_.expect(measure_read(&array_, set, contents.data()));
        return contents;
    }

private:
    const device &on_;
    measure_array array_ = {};
};

/* --- cases ----------------------------------------------------------------------------------- */

struct shape {
    std::int64_t m = 0, n = 0, k = 0; /* n alone where there is one size */
    std::int64_t batch = 1;
    std::string text() const;
};

enum class cache { warm, cold };

/* What is computed, whoever computes it. */
struct problem_key {
    std::string operation;
    subwave_dtype dtype = SUBWAVE_DTYPE_U8;
    bench::shape shape;
    bench::cache cache = cache::warm;
    /* of a group, of an operation on values; empty if there is none */
    std::string kind = "", op = "";
    std::string text() const;
};

/* The work of one call: floating-point or group operations, and the fewest bytes it can move. */
struct work {
    double operations = 0, bytes = 0;
    const char *unit = "GB/s"; /* of the rate: GFLOP/s, GB/s, or reductions/ns */
    double rate(double seconds) const;
};

/* The memory of a problem, and the judge of its result. */
class problem {
public:
    virtual ~problem() = default;
    /* Spoils the result in the last set, which is the one that is judged. */
    virtual void poison() = 0;
    /* How far the result is from right; `bound` is its limit. */
    virtual double error() = 0;
    int sets = 1;
    double bound = 0;
};

/* A kernel that the library could launch, beside the one that it plans. */
struct candidate {
    std::string name; /* among those of its variant */
    int tile_rows = 0, tile_columns = 0, parts = 0, splits = 0, band = 0;
    bool planned = false, automatic = false; /* by its variant's plan; by AUTO */
    /* as predicted, or NaN: of the unit's peak; beside the time of what is planned */
    double share = std::numeric_limits<double>::quiet_NaN(),
           time = std::numeric_limits<double>::quiet_NaN();
};

/* One way to solve it. `call` queues the work on set number `set`. */
struct contender {
    std::string by, variant; /* "subwave" or the peer's name; a variant of it, or empty */
    std::string version;
    std::function<void(problem &, int set)> call;
    std::optional<bench::candidate> candidate = {};
};

/* A compute call of the library, and what peers compute in its place. */
class call_problem : public problem {
public:
    call_problem(const device &on, const measure_problem &p, int count);
    ~call_problem() override { measure_release(&data); }
    call_problem(const call_problem &) = delete;
    call_problem &operator=(const call_problem &) = delete;
    void poison() override { on_.expect(measure_reset(&data)); }
    double error() override;
    void queue(int set) const { on_.expect(measure_queue(&data, set)); }

    measure_data data = {};

private:
    const device &on_;
};

/* The library's call in one of its variants, which `choose` selects. */
contender ours(const char *variant, std::function<void(measure_problem &)> choose);

/* The kernels that the library could launch for a product of subwave_matmul, or for a batch of
 * subwave_matmul_strided_batched. */
std::vector<contender> candidates_of(const device &on, const measure_problem &p);
std::vector<contender> batched_candidates_of(const device &on, const measure_problem &p);

struct settings {
    std::vector<std::string> devices, operations, variants, dtypes, kinds, ops;
    std::vector<shape> sizes;
    std::int64_t batch = 0; /* 0: as many as the case thinks right */
    std::vector<cache> caches = {cache::warm, cache::cold};
    /* stop at this time, or at this relative spread of the median */
    double time = 0.5, noise = 0.01;
    std::int64_t cache_bytes = 0; /* 0: what the system says */
    bool list = false, check = true, tune = false;
    std::string json;    /* a path, "-" for standard output, or empty */
    std::string command; /* the command line, for the record */
};

struct outcome {
    std::string failure;
    bool unsupported = false, noisy = false;
    measure_timing timing = {};
    double error = std::numeric_limits<double>::quiet_NaN(), bound = 0;
    std::optional<bool> right; /* nothing: not checked */
};

/* Writes the table and the JSON lines. */
class reporter {
public:
    explicit reporter(const settings &wishes);
    ~reporter();
    void begin(const device &on);
    void progress(const problem_key &key, const contender &who);
    void row(const device &on, const problem_key &key, const contender &who, const work &amount,
             const outcome &result);
    void end_of_problem(); /* prints the rows since the last, with their ratios */
    bool all_right() const { return all_right_; }
    void expect_rows(int count) { total_ = count; }

private:
    struct line;
    void print_losses() const;
    void print_json(const device &on, const problem_key &key, const contender &who,
                    const work &amount, const outcome &result);
    const settings &wishes_;
    std::vector<line> lines_;
    std::FILE *table_, *json_ = nullptr;
    std::string date_;
    int done_ = 0, total_ = 0;
    bool all_right_ = true, headed_ = false;
};

/* A run over one device; goes through the cases twice, first to count them. */
class session {
public:
    session(const settings &wishes, bench::device &on, reporter &out)
        : wishes(wishes), on(on), out_(out)
    {
    }
    const settings &wishes;
    bench::device &on;

    bool wants(const char *operation) const;
    /* The wish, or both: what a sweep times is one of them. */
    std::vector<cache> caches(double bytes_of_a_set) const;
    /* The wish, or what is usual; "all" is `all`. */
    std::vector<subwave_dtype> dtypes(const std::vector<subwave_dtype> &all,
                                      const std::vector<subwave_dtype> &usual) const;
    /* Whether the wish covers the kind that `text` begins with: "fixed_size 8", "ballot, one
     * side". */
    bool wants_kind(const std::string &text) const;
    bool wants_op(const std::string &op) const;
    std::vector<shape> sizes(const std::vector<shape> &usual) const;
    /* Sets to rotate through; 0 where the case is not offered: cold if that took too many, and
     * warm, unless it alone is wished for, if the cache holds no more than half a set. */
    int sets(cache state, double bytes_of_a_set) const;

    /* Times each contender that is wanted, one after the other, on one problem. */
    void run(const problem_key &key, const work &amount, const std::vector<contender> &contenders,
             const std::function<std::unique_ptr<problem>()> &make);
    void count_only(bool yes) { counting_ = yes; }
    int count() const { return count_; }

private:
    bool wants(const contender &who) const;
    reporter &out_;
    bool counting_ = false;
    int count_ = 0;
};

/* The files of cases. */
void copy_cases(session &s);
void matmul_cases(session &s);
void matmul_batched_cases(session &s);
void matmul_stacked_cases(session &s);
void matmul_grouped_cases(session &s);
void tensor_cases(session &s);
void group_cases(session &s);
void array_cases(session &s);
void row_cases(session &s);
void transpose_cases(session &s);
void transpose_stacked_cases(session &s);
void histogram_cases(session &s);
void scatter_cases(session &s);
void register_cases(session &s);

/* --- peers ----------------------------------------------------------------------------------- */

/* Products C = A B of row-major matrices without gaps, m x k by k x n: sizes on the host, where they
 * stay while a graph of the call is in use, and in device memory the addresses of the matrices. */
struct gemm_group {
    std::vector<int> m, n, k;
    const void *const *a, *const *b;
    void *const *c;
};

/* A BLAS: computes C = A B of row-major matrices without gaps, `shape.batch` of them one after the
 * other; throws what it lacks. */
struct blas {
    const char *name;
    bool on_gpu;
    std::string (*version)();
    void (*gemm)(device &on, subwave_dtype dtype, const shape &size, const void *a, const void *b,
                 void *c);
    /* The products of a group by one call. Null in a library without it. */
    void (*gemm_grouped)(device &on, subwave_dtype dtype, const gemm_group &group) = nullptr;
    /* *result, in device memory, = the dot product of x and y, n elements each, or the norm of x.
     * Null in a library without them. */
    void (*dot)(device &on, subwave_dtype dtype, std::int64_t n, const void *x, const void *y,
                void *result) = nullptr;
    void (*norm2)(device &on, subwave_dtype dtype, std::int64_t n, const void *x,
                  void *result) = nullptr;
    /* y, in device memory, = the transpose of x, m x n without gaps. Null in a library without it. */
    void (*transpose)(device &on, subwave_dtype dtype, std::int64_t m, std::int64_t n,
                      const void *x, void *y) = nullptr;
};
contender theirs(device &on, const blas &peer, subwave_dtype dtype, const shape &size);

/* Memory for the peers, so that none allocates inside the graph that is timed: an eighth of what is
 * free, and no more than 8 GB, which the histogram of a million bins of CUB takes on large GPUs. */
struct peer_workspace {
    explicit peer_workspace(device &on)
    {
        std::int64_t free_bytes = 0, all_bytes = 0;
        on.expect(subwave_memory_info(on.context, &free_bytes, &all_bytes));
        bytes = static_cast<std::size_t>(std::min(free_bytes / 8, std::int64_t(8) << 30));
        on.expect(subwave_malloc(on.context, &memory, bytes));
    }
    void *memory = nullptr;
    std::size_t bytes = 0;
};

/* The library's state for a device, made by Library(on) when first asked for and kept to the
 * end. */
template <class Library> Library &library_for(device &on)
{
    static std::vector<std::pair<device *, std::unique_ptr<Library>>> made;
    for (const auto &entry : made)
        if (entry.first == &on)
            return *entry.second;
    return *made.emplace_back(&on, std::make_unique<Library>(on)).second;
}

} // namespace bench

#endif
