#pragma once
// One matrix in many multiprocessors: a group of blocks, each with some rows of W, Theta and G, and
// the same entries of every vector (docs/gpu.md).
#include "spodnet/cuda/group_layout.cuh"
#include "spodnet/cuda/group_sums.cuh"
#include "spodnet/cuda/rows.cuh"

namespace spodnet::cuda {

/// A block of a group. Threads of its first four warps own one entry each of those of the block,
/// the others sweep its rows. Blocks meet at barriers in global memory.
struct GroupBlock {
  using Matrix = Rows;
  static constexpr bool kAlone = false;
  struct Place {
    int blocks, block, resident;
    bool backward;
  };
  static constexpr int kVectorWarps = 4, kSlots = 128, kWarps = 16;

  int p, ld;
  int tid, warp, lane;
  bool vector, inside;
  int j, slot;       ///< j > ld where there is no entry
  int first, count;  ///< its rows and entries
  int blocks, block;
  int at_vectors, at_rule;  ///< in shared memory: x, w, y (and one more on the way back), ld each
  GroupLayout on;
  double* memory;    ///< of the group
  double* numbers_;  ///< of the tape

  __host__ __device__ static int rows_each(int p, int blocks) { return (p + blocks - 1) / blocks; }
  __host__ __device__ static int shared_numbers(int p, bool backward) {
    return int(sizeof(GroupShared) / 8) + (backward ? 4 : 3) * even(p);
  }
  __host__ __device__ static int tape_stride(int p) { return even(p); }

  __device__ GroupBlock(const WalkShape& shape, int p_, Place place, double* memory_)
      : p(p_), ld(even(p_)), on(shape, p_, place.blocks), memory(memory_), numbers_(nullptr) {
    tid = int(threadIdx.x), warp = tid / 32, lane = tid % 32;
    blocks = place.blocks, block = place.block;
    const int each = rows_each(p, blocks);
    first = min(p, block * each), count = min(each, p - first);
    vector = warp < kVectorWarps, slot = tid;
    inside = vector && slot < count;
    j = inside ? first + slot : p + 1 + slot;
    at_vectors = int(sizeof(GroupShared) / 8);
    at_rule = at_vectors + (place.backward ? 4 : 3) * ld;
  }
  /// The matrix W; its rows follow the rule's numbers in shared memory.
  __device__ Rows rows(Place place) const {
    return {first,
            count,
            min(place.resident, count),
            ld,
            even(at_rule),
            memory + on.rest + long(first) * ld,
            warp - kVectorWarps,
            kWarps - kVectorWarps,
            lane,
            !vector};
  }

  __device__ __forceinline__ static GroupShared& shared() {
    return *reinterpret_cast<GroupShared*>(shared_memory);
  }
  __device__ __forceinline__ int threads() const { return int(blockDim.x); }
  __device__ __forceinline__ int helper() const { return warp - kVectorWarps; }
  __device__ __forceinline__ int helpers() const { return kWarps - kVectorWarps; }
  __device__ __forceinline__ int all_threads() const { return blocks * threads(); }
  __device__ __forceinline__ int thread() const { return block * threads() + tid; }
  __device__ __forceinline__ int all_warps() const { return blocks * kWarps; }
  __device__ __forceinline__ int all_warp() const { return warp * blocks + block; }

  // ---- barriers
  /// One thread of each block meets the others'; what was written before is seen after.
  __device__ __forceinline__ void meet() const {
    unsigned* counter = reinterpret_cast<unsigned*>(memory);
    const unsigned target = ++shared().phase * unsigned(blocks);
    count_for_others(counter);
    wait_for_others(counter, target);
  }
  __device__ __forceinline__ void wait_vectors() const { wait_barrier(1, 32 * kVectorWarps); }
  __device__ __forceinline__ void wait_helpers() const {
    wait_barrier(Rows::kHelpers, 32 * helpers());
  }
  /// Of all blocks, called by their owners of entries.
  __device__ __forceinline__ void meet_vectors() const {
    wait_vectors();
    if (tid == 0) meet();
    wait_vectors();
  }
  /// Of all threads of all blocks.
  __device__ __forceinline__ void all_barrier() const {
    block_barrier();
    if (tid == 0) meet();
    block_barrier();
  }

  // ---- matrices and vectors; see Block
  __device__ __forceinline__ double* T(int i) const { return memory + on.T + long(i) * ld; }
  __device__ __forceinline__ double G_entry(int i) const { return inside ? T(j)[i] : 0.0; }
  __device__ __forceinline__ double* numbers(int i) const { return numbers_ + i * kTapeNumbers; }
  __device__ void take_numbers(const Tape& tape) { numbers_ = tape.numbers(0); }
  __device__ __forceinline__ void put(double* row, double value) const {
    if (!inside) return;
    row[j] = value;
    if (j + 1 == p && ld > p) row[p] = 0;
  }
  __device__ __forceinline__ double* shown(int k) const {
    return memory + on.vectors + long(k) * on.length;
  }
  /// A full vector in shared memory.
  __device__ __forceinline__ double* full(int k) const {
    return shared_memory + at_vectors + k * ld;
  }

  __device__ __forceinline__ void set_x(double value) const {
    put(shown(kShownX), value);
    shared().x[slot] = value;
  }
  __device__ __forceinline__ double x() const { return shared().x[slot]; }
  __device__ __forceinline__ void set_u(double value) const { put(shown(kShownU), value); }
  __device__ __forceinline__ double u_at(int k) const { return shown(kShownU)[k]; }
  __device__ __forceinline__ void set_w(int which, double value) const {
    put(shown(kShownW + which), value);
  }
  __device__ __forceinline__ void set_y(double value) const { put(shown(kShownY), value); }
  __device__ void set_diag_S(const WalkProblem& problem) const {
    if (vector) shared().diag_S[slot] = inside ? problem.S[long(j) * p + j] : 0.0;
  }
  __device__ __forceinline__ double s_jj() const { return shared().diag_S[slot]; }
  __device__ __forceinline__ double s_22(const WalkProblem& problem, int i) const {
    return problem.S[long(i) * p + i];
  }
  __device__ __forceinline__ void share() const {
    wait_vectors();
    if (tid == 0) meet();
    block_barrier();
  }
  /// Shown vectors to shared memory, by the threads that sweep.
  __device__ __forceinline__ void take(int to, const double* from) const {
    double* out = full(to);
    const int step = 32 * helpers();
#pragma unroll 4
    for (int k = tid - 32 * kVectorWarps; k < ld; k += step) out[k] = k < p ? from[k] : 0.0;
  }
  __device__ __forceinline__ void receive_first(int turn) const {
    block_barrier();
    take(0, shown(kShownX));
    take(1, shown(kShownW + (turn ^ 1)));
    take(2, shown(kShownY));
    wait_helpers();
  }
  __device__ __forceinline__ void receive_second() const {
    block_barrier();
    take(0, shown(kShownU));
    wait_helpers();
  }

  __device__ __forceinline__ double row() const { return inside ? shared().row[slot] : 0.0; }
  __device__ __forceinline__ double row_diagonal(int) const { return shared().collected[3]; }
  __device__ void begin_rows(Rows& W) {
    if (W.mine) W.get_column(0, shared().row);
    block_barrier();
    double s[1] = {j == 0 ? row() : 0.0};
    if (vector) {
      sum(s);
      if (tid == 0) shared().collected[3] = s[0];
    }
  }
  /// After a product with x: x'W x, its entries at i and `next`, and of column `next` what its
  /// owner has: the diagonal entry of W, entry of w; and the sum of `part`.
  __device__ __forceinline__ void collect(int i, int next, double x, double w) {
    const double mine = product(), at_next = j == next ? 1.0 : 0.0;
    double s[6] = {mine * x,        j == i ? mine : 0.0, at_next * mine,
                   at_next * row(), at_next * w,         part};
    sum(s);
    part = 0;
    if (tid < 6) shared().collected[tid] = shared().result[tid];
    wait_vectors();
  }
  double part = 0;  ///< of this thread, for the next `collect`
  __device__ __forceinline__ double product() const {
    return inside ? shared().product[slot] : 0.0;
  }
  __device__ __forceinline__ double square() const { return shared().collected[0]; }
  __device__ __forceinline__ double product_at(int) const { return shared().collected[1]; }
  __device__ __forceinline__ double product_next(int) const { return shared().collected[2]; }
  __device__ __forceinline__ double w_next(int, int) const { return shared().collected[4]; }
  __device__ __forceinline__ double part_sum() const { return shared().collected[5]; }
  __device__ void clear_parts() const {}

  // ---- the terms of G's update: of column i in one of two places
  __device__ __forceinline__ double* shown_term(int i, int k) const {
    return shown(kShownTerms + 6 * (i & 1) + k);
  }
  __device__ __forceinline__ void set_terms(int i, const GTerm& term, double theta,
                                            double diag) const {
    put(shown_term(i, 0), term.y), put(shown_term(i, 1), term.h);
    put(shown_term(i, 2), term.m), put(shown_term(i, 3), term.w);
    put(shown_term(i, 4), theta), put(shown_term(i, 5), diag);
  }
  __device__ __forceinline__ void share_terms() const {
    meet_vectors();
    arrive_barrier(kTermsReady, threads());
  }
  __device__ __forceinline__ void receive_terms(int i) const {
    wait_barrier(kTermsReady, threads());
    for (int k = 0; k < 4; ++k) take(k, shown_term(i, k));
    wait_helpers();
  }
  /// The same for the whole block, after a barrier of all.
  __device__ __forceinline__ void receive_last_terms(int i) const {
    if (!vector)
      for (int k = 0; k < 4; ++k) take(k, shown_term(i, k));
    block_barrier();
  }
  __device__ __forceinline__ GTerm term(int i, int k) const {
    return {shown_term(i, 0)[k], shown_term(i, 1)[k], shown_term(i, 2)[k], shown_term(i, 3)[k]};
  }
  __device__ __forceinline__ double t_theta(int i, int k) const { return shown_term(i, 4)[k]; }
  __device__ __forceinline__ double t_diag(int i, int k) const { return shown_term(i, 5)[k]; }
  /// The owner shows G's diagonal entry with the terms of the column before.
  __device__ __forceinline__ double show_diagonal(int i, double mine) const {
    if (j == i) memory[2 + (i & 1)] = mine;
    return 0;
  }
  __device__ __forceinline__ double diagonal(int i, double) const { return memory[2 + (i & 1)]; }

  // ---- sums over all entries or threads, in an order that depends on p alone
  template <int N>
  __device__ __forceinline__ void sum(double (&value)[N]) const {
    reduce(*this, value, kVectorWarps, Add{}, [this] { wait_vectors(); });
  }
  template <int N, class Op = Add>
  __device__ __forceinline__ void all_sum(double (&value)[N], Op op = {}) const {
    block_barrier();
    reduce(*this, value, kWarps, op, [] { block_barrier(); });
  }
  /// Of numbers in shared memory over the blocks, by the owners of entries or by all threads.
  __device__ void sum_array(double* x, int n) const {
    sum_array_by(*this, x, n, 32 * kVectorWarps, [this] { wait_vectors(); });
  }
  __device__ void sum_array_of_all(double* x, int n) const {
    block_barrier();
    sum_array_by(*this, x, n, threads(), [] { block_barrier(); });
  }
};

__device__ __forceinline__ void first_product(const GroupBlock& b, Rows& W, bool pending, int,
                                              int next) {
  GroupShared& shared = b.shared();
  if (pending)  // Eq. (3)
    W.product<true>(b.full(1), shared.coef[0], b.full(2), shared.coef[1], b.full(0),
                    shared.product);
  else
    W.product<false>(nullptr, 0, nullptr, 0, b.full(0), shared.product);
  __syncwarp();
  W.get_column(next, shared.row);
}
__device__ __forceinline__ void second_product(const GroupBlock& b, const Rows& W) {
  W.product<false>(nullptr, 0, nullptr, 0, b.full(0), b.shared().product);
}
__device__ __forceinline__ void undo_and_product(const GroupBlock& b, Rows& W, double cw,
                                                 double cy) {
  W.product<true>(b.full(1), cw, b.full(2), cy, b.full(0), b.shared().product);
}

}  // namespace spodnet::cuda
