// Numbers of several matrices at once, one per lane. Included inside an instruction set's own
// namespace, like core/kernels_impl.hpp.
#define SPODNET_INLINE static inline __attribute__((always_inline))

template <int L>
struct Lanes {
  typedef double Number __attribute__((vector_size(8 * L)));
  typedef long long Mask __attribute__((vector_size(8 * L)));
};

template <class V>
constexpr int lanes_of = int(sizeof(V) / sizeof(double));
template <class V>
using MaskOf = typename Lanes<lanes_of<V>>::Mask;

template <class V>
SPODNET_INLINE V all(double a) {
  return a - V{};
}
template <class V>
SPODNET_INLINE V only_where(MaskOf<V> mask, V v) {
  return (V)(mask & (MaskOf<V>)v);
}
template <class V>
SPODNET_INLINE V relu(V v) {
  return only_where<V>(~(v <= 0.0), v);
}
constexpr long long kSignBit = -0x7fffffffffffffffLL - 1;

template <class V>
SPODNET_INLINE V abs_of(V v) {
  return (V)((MaskOf<V>)v & ~kSignBit);
}
/// x, or -x where s is negative.
template <class V>
SPODNET_INLINE V flip_where_negative(V x, V s) {
  return (V)((MaskOf<V>)x ^ ((MaskOf<V>)s & kSignBit));
}
/// x with the sign of s; 0 where s is 0 (the derivative of |s| times x).
template <class V>
SPODNET_INLINE V times_sign(V x, V s) {
  return only_where<V>(s != 0.0, flip_where_negative(x, s));
}
template <class V>
SPODNET_INLINE V root(V v) {
  V r;
  for (int l = 0; l < lanes_of<V>; ++l) r[l] = __builtin_sqrt(v[l]);
  return r;
}
/// core/formulas.hpp's arithmetic.
template <class V>
struct LaneArithmetic {
  SPODNET_INLINE V all(double x) { return x - V{}; }
  static V where(MaskOf<V> mask, V a, V b) { return mask ? a : b; }
  static V zero_where(MaskOf<V> mask, V a) { return only_where<V>(~mask, a); }
  static V abs(V a) { return abs_of(a); }
  static V flip(V a, V s) { return flip_where_negative(a, s); }
  static V ratio(V a, V b) { return a / b; }
  static V root_of_ratio(V a, V b) { return root<V>(a / b); }
  static V plus_product(V a, V b, V c) { return a + b * c; }
};
/// Sum over the lanes where mask holds (masked lanes may be NaN).
template <class V>
SPODNET_INLINE double sum_where(MaskOf<V> mask, V v) {
  const V kept = only_where<V>(mask, v);
  double s = 0;
  for (int l = 0; l < lanes_of<V>; ++l) s += kept[l];
  return s;
}

/// Entry (r, c), r >= c, of a packed lower triangle.
SPODNET_INLINE std::size_t tri(std::size_t r, std::size_t c) { return r * (r + 1) / 2 + c; }
