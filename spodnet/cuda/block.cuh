#pragma once
// One matrix in one multiprocessor: who does what, and where things lie (docs/gpu.md).
#include "spodnet/cuda/outer_sums.cuh"
#include "spodnet/cuda/tape.cuh"
#include "spodnet/cuda/tile.cuh"
#include "spodnet/cuda/walk.hpp"

namespace spodnet::cuda {

/// The vectors of a block, at the start of shared memory.
template <int C>
struct alignas(16) Shared {
  static constexpr int kLength = 32 * C, kWarps = C == 4 ? 8 : 32 * C / kTileRows<C>;
  static constexpr int kMostSums = 8;

  double x[kLength], u[kLength];     ///< what a product is taken of
  double w[2][kLength], y[kLength];  ///< of the update of W
  double row[2 * kLength];           ///< a row of W, or two
  double parts[kWarps][kLength];     ///< of a product, by warp
  double squares[kWarps + 1];        ///< of x'W x
  double sums[2][kMostSums][C];      ///< of Block::sum
  double coef[8];                    ///< of the updates: of W, from 4 on of G
  GTerm term[kLength];               ///< of the update of G
  double t_theta[kLength], t_diag[kLength];
  double diag_S[kLength];
  double fetched[8][kLength];  ///< of a tape
};

/// A block that walks one matrix. The threads of the first C warps own one entry j each of every
/// vector (`vector`); the warps after them hold W (tile.cuh). Theta, later G, lies in shared
/// memory.
template <int C>
struct Block {
  using Matrix = Tile<C>;
  static constexpr bool kAlone = true;
  struct Place {};  ///< a block alone needs to know nothing of others
  static constexpr int kVectorWarps = C, kSlots = 32 * C;
  static constexpr int kLength = Shared<C>::kLength;  ///< of a vector
  static constexpr int kMostWarps = Shared<C>::kWarps + C;
  static constexpr int kMostP = Shared<C>::kWarps * kTileRows<C>;

  int p, ld;                   ///< ld: row stride of T, odd
  int tid, warp, lane, warps;  ///< warps: those that hold W
  bool vector, inside;         ///< inside: entry j exists
  int j, slot;                 ///< its entry, and its place among those of the block: here the same
  int at_numbers, at_T, at_rule;  ///< where the parts of shared memory start
  int turn = 0;

  __host__ __device__ static constexpr int tile_warps(int p_) {
    return (p_ + kTileRows<C> - 1) / kTileRows<C>;
  }
  /// Numbers of shared memory, without the rule's.
  __host__ __device__ static constexpr int shared_numbers(int p_) {
    return int(sizeof(Shared<C>) / 8) + even(p_ * kTapeNumbers) + even(p_ * (p_ | 1));
  }
  __host__ __device__ static constexpr int tape_stride(int) { return kLength; }
  /// Numbers of global memory beside the tapes.
  __host__ __device__ static long own_numbers(const WalkShape&, int) { return 0; }

  __device__ Block(const WalkShape&, int p_, Place, double*) : p(p_), ld(p_ | 1) {
    tid = int(threadIdx.x), warp = tid / 32, lane = tid % 32;
    warps = tile_warps(p);
    vector = warp < C, j = slot = tid, inside = j < p;
    at_numbers = int(sizeof(Shared<C>) / 8);
    at_T = at_numbers + even(p * kTapeNumbers);
    at_rule = at_T + even(p * ld);
  }

  /// W, in registers.
  __device__ Tile<C> rows(Place) const { return {warp - C, warps, lane}; }
  __device__ __forceinline__ static Shared<C>& shared() {
    return *reinterpret_cast<Shared<C>*>(shared_memory);
  }
  __device__ __forceinline__ int threads() const { return int(blockDim.x); }
  __device__ __forceinline__ int helper() const { return warp - C; }  ///< among the others' warps
  __device__ __forceinline__ int helpers() const { return threads() / 32 - C; }
  /// All threads and warps that walk this matrix, and which this is.
  __device__ __forceinline__ int all_threads() const { return threads(); }
  __device__ __forceinline__ int thread() const { return tid; }
  __device__ __forceinline__ int all_warps() const { return threads() / 32; }
  __device__ __forceinline__ int all_warp() const { return warp; }
  __device__ __forceinline__ void all_barrier() const { block_barrier(); }

  /// Row i of Theta, or of G.
  __device__ __forceinline__ double* T(int i) const { return shared_memory + at_T + i * ld; }
  __device__ __forceinline__ double G_entry(int i) const { return inside ? T(i)[j] : 0.0; }
  /// The numbers of column i, on the way back.
  __device__ __forceinline__ double* numbers(int i) const {
    return shared_memory + at_numbers + i * kTapeNumbers;
  }
  __device__ void take_numbers(const Tape& tape) const {
    for (int k = tid; k < p * kTapeNumbers; k += threads()) numbers(0)[k] = tape.numbers(0)[k];
  }

  /// Entry j of a row of a tape.
  __device__ __forceinline__ void put(double* row, double value) const { row[j] = value; }

  // Vectors: who owns an entry sets it, and shares it with those that hold W (`receive`).
  __device__ __forceinline__ void set_x(double value) const { shared().x[j] = value; }
  __device__ __forceinline__ double x() const { return shared().x[j]; }
  __device__ __forceinline__ void set_u(double value) const { shared().u[j] = value; }
  __device__ __forceinline__ double u_at(int k) const { return shared().u[k]; }
  __device__ __forceinline__ void set_w(int which, double value) const {
    shared().w[which][j] = value;
  }
  __device__ __forceinline__ void set_y(double value) const { shared().y[j] = value; }
  __device__ void set_diag_S(const WalkProblem& problem) const {
    if (vector) shared().diag_S[j] = inside ? problem.S[long(j) * p + j] : 0.0;
  }
  __device__ __forceinline__ double s_jj() const { return shared().diag_S[j]; }
  __device__ __forceinline__ double s_22(const WalkProblem&, int i) const {
    return shared().diag_S[i];
  }
  __device__ __forceinline__ void share() const { block_barrier(); }
  __device__ __forceinline__ void receive_first(int) const { block_barrier(); }
  __device__ __forceinline__ void receive_second() const { block_barrier(); }

  // The row of W that the next column is, and the last product with W.
  __device__ __forceinline__ double row() const { return shared().row[j]; }
  __device__ __forceinline__ double row_diagonal(int i) const { return shared().row[i]; }
  __device__ void begin_rows(Tile<C>& W) const { W.get_row(0, shared().row); }
  __device__ __forceinline__ void collect(int, int, double, double) const {}
  __device__ __forceinline__ double product() const { return product_of(j); }
  __device__ __forceinline__ double product_at(int i) const { return product_of(i); }
  __device__ __forceinline__ double product_next(int next) const { return product_of(next); }
  __device__ __forceinline__ double w_next(int which, int next) const {
    return shared().w[which][next];
  }
  __device__ __forceinline__ double square() const {
    return fixed_sum<Shared<C>::kWarps, 1>(shared().squares);
  }
  /// What warps without rows would have left there.
  __device__ void clear_parts() const {
    for (int k = tid; k < Shared<C>::kWarps * kLength; k += threads())
      (&shared().parts[0][0])[k] = 0;
    if (tid <= Shared<C>::kWarps) shared().squares[tid] = 0;
  }

  // The terms of G's update.
  __device__ __forceinline__ void set_terms(int, const GTerm& term, double theta,
                                            double diag) const {
    shared().term[j] = term;
    shared().t_theta[j] = theta;
    shared().t_diag[j] = diag;
  }
  __device__ __forceinline__ void share_terms() {
    wait_vectors();
    arrive_barrier(kTermsReady, threads());
  }
  __device__ __forceinline__ void receive_terms(int) const { wait_barrier(kTermsReady, threads()); }
  __device__ __forceinline__ void receive_last_terms(int) const {}
  __device__ __forceinline__ GTerm term(int, int k) const { return shared().term[k]; }
  __device__ __forceinline__ double t_theta(int, int k) const { return shared().t_theta[k]; }
  __device__ __forceinline__ double t_diag(int, int k) const { return shared().t_diag[k]; }
  /// G's diagonal entry at the column read next.
  __device__ __forceinline__ double show_diagonal(int i, double) const { return T(i)[i]; }
  __device__ __forceinline__ double diagonal(int, double shown) const { return shown; }

  /// Sums over all entries, for the threads that own them, who all call it.
  template <int N>
  __device__ __forceinline__ void sum(double (&value)[N]) {
    static_assert(N <= Shared<C>::kMostSums);
    warp_sum(value);
    if constexpr (C == 1) return;
    auto& mine = shared().sums[turn ^= 1];
    if (lane == 0)
#pragma unroll
      for (int k = 0; k < N; ++k) mine[k][warp] = value[k];
    wait_vectors();
#pragma unroll
    for (int k = 0; k < N; ++k) {
      value[k] = mine[k][0];
#pragma unroll
      for (int m = 1; m < C; ++m) value[k] += mine[k][m];
    }
  }
  /// Of numbers in shared memory over the blocks of a matrix: there is one.
  __device__ __forceinline__ void sum_array(double*, int) const {}
  __device__ __forceinline__ void sum_array_of_all(double*, int) const {}
  /// Over all threads, in every thread; all call it.
  template <int N, class Op = Add>
  __device__ __forceinline__ void all_sum(double (&value)[N], Op op = {}) const {
    double(*parts)[N] = reinterpret_cast<double(*)[N]>(shared().parts);
    warp_sum(value, op);
    block_barrier();
    if (lane == 0)
#pragma unroll
      for (int k = 0; k < N; ++k) parts[warp][k] = value[k];
    block_barrier();
#pragma unroll
    for (int k = 0; k < N; ++k) {
      value[k] = parts[0][k];
      for (int m = 1; m < threads() / 32; ++m) value[k] = op(value[k], parts[m][k]);
    }
    block_barrier();
  }
  __device__ __forceinline__ void wait_vectors() const {
    if constexpr (C == 1)
      __syncwarp();
    else
      wait_barrier(1, kLength);
  }

 private:
  __device__ __forceinline__ double product_of(int k) const {
    return fixed_sum<Shared<C>::kWarps, kLength>(&shared().parts[0][k]);
  }
};

/// W += the last column's update, W x, and row `next` of W.
template <int C>
__device__ __forceinline__ void first_product(const Block<C>& b, Tile<C>& W, bool pending, int turn,
                                              int next) {
  Shared<C>& shared = b.shared();
  if (!W.mine) return;
  if (pending)  // Eq. (3)
    W.update(shared.w[turn ^ 1], shared.coef[0], shared.y, shared.coef[1]);
  W.product(shared.x, shared.parts[0], shared.squares);
  W.get_row(next, shared.row);
}
/// W u.
template <int C>
__device__ __forceinline__ void second_product(const Block<C>& b, const Tile<C>& W) {
  if (W.mine) W.product(b.shared().u, b.shared().parts[0], b.shared().squares);
}
/// W before a column's update, and W x.
template <int C>
__device__ __forceinline__ void undo_and_product(const Block<C>& b, Tile<C>& W, double cw,
                                                 double cy) {
  if (!W.mine) return;
  W.update(b.shared().w[0], cw, b.shared().y, cy);
  W.product(b.shared().x, b.shared().parts[0]);
}

}  // namespace spodnet::cuda
