// The kernels of core/kernels.hpp, one by one, at several sizes and on every instruction set that
// this machine has. GFLOP/s and GB/s (least traffic: each number read or written once).
//   kernels_bench [--benchmark_filter=avx512/update_product]
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/random.hpp"

namespace {

using namespace spodnet;

AlignedVector random_numbers(std::size_t count) {
  RandomStream random(1, count);
  AlignedVector x(count);
  for (double& value : x) value = 1e-3 * random.normal();
  return x;
}

void set_rates(benchmark::State& state, double flops, double numbers) {
  using benchmark::Counter;
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["byte/s"] =
      Counter(8 * numbers, Counter::kIsIterationInvariantRate, Counter::kIs1024);
}

void update_product(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p);
  AlignedVector A = random_numbers(ld * ld), out(ld);
  const AlignedVector x1 = random_numbers(ld), x2 = random_numbers(ld), z = random_numbers(ld);
  double sign = 1e-6;  // alternates, so that A stays where it is
  for (auto _ : state) {
    sign = -sign;
    kernel.update_product(p, ld, A.data(), x1.data(), sign, x2.data(), sign, z.data(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  set_rates(state, 4.0 * double(p * p), double(p * p) + 4.0 * double(p));
}

void symmetric_product(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p);
  const AlignedVector A = random_numbers(ld * ld), x = random_numbers(ld);
  AlignedVector out(ld);
  for (auto _ : state) {
    kernel.symmetric_product(p, ld, A.data(), x.data(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  set_rates(state, 2.0 * double(p * p), double(p * p) / 2 + 2.0 * double(p));
}

/// As the adjoint calls it: the most terms at once, in pairs (x_k, y_k), (y_k, x_k).
void rank_update(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p);
  AlignedVector A = random_numbers(ld * ld);
  const AlignedVector x = random_numbers(ld * kMaxTerms);
  std::array<double, kMaxTerms> coef;
  std::array<const double*, kMaxTerms> left, right;
  for (std::size_t k = 0; k < kMaxTerms; ++k) {
    coef[k] = k / 2 % 2 == 0 ? 1e-6 : -1e-6;
    left[k] = x.data() + k * ld;
    right[k] = x.data() + (k ^ 1) * ld;
  }
  for (auto _ : state) {
    kernel.rank_update(p, ld, A.data(), kMaxTerms, coef.data(), left.data(), right.data(), ld);
    benchmark::DoNotOptimize(A.data());
  }
  set_rates(state, double(kMaxTerms) * double(p * p),
            double(p * p) + double(kMaxTerms) * double(p));
}

/// C (p x p) += A B.
void gemm(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p);
  const AlignedVector A = random_numbers(p * ld), B = random_numbers(p * ld);
  AlignedVector C(p * ld);
  for (auto _ : state) {
    kernel.gemm(p, ld, p, A.data(), ld, 1, B.data(), ld, C.data(), ld);
    benchmark::DoNotOptimize(C.data());
  }
  set_rates(state, 2.0 * double(p * p * p), 4.0 * double(p * p));
}

/// p / 2 rows: the hidden units of gamma.
void combine(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p), count = p / 2;
  const AlignedVector rows = random_numbers(count * ld), coef = random_numbers(count);
  std::vector<const double*> pointers;
  for (std::size_t k = 0; k < count; ++k) pointers.push_back(rows.data() + k * ld);
  AlignedVector out(ld);
  for (auto _ : state) {
    kernel.combine(ld, count, coef.data(), pointers.data(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  set_rates(state, 2.0 * double(ld * count), double(ld * count) + 2.0 * double(ld));
}

/// lambda of one column: 5 hidden units.
void abs_mlp(benchmark::State& state, const Kernels& kernel, std::size_t p) {
  const std::size_t ld = padded(p), hidden = 5;
  const AlignedVector x = random_numbers(ld), B1 = random_numbers(8), c1 = random_numbers(8),
                      B2 = random_numbers(8);
  const ScalarMlp mlp{B1.data(), c1.data(), B2.data(), 0.1, hidden};
  AlignedVector lambda(ld);
  for (auto _ : state) {
    kernel.abs_mlp(ld, mlp, 1.0, x.data(), lambda.data());
    benchmark::DoNotOptimize(lambda.data());
  }
  set_rates(state, 5.0 * double(ld * hidden), 2.0 * double(ld));
}

using Bench = void (*)(benchmark::State&, const Kernels&, std::size_t);

constexpr std::pair<const char*, Bench> kBenches[] = {{"update_product", update_product},
                                                      {"symmetric_product", symmetric_product},
                                                      {"rank_update", rank_update},
                                                      {"gemm", gemm},
                                                      {"combine", combine},
                                                      {"abs_mlp", abs_mlp}};

/// All kernels of one instruction set; nothing when this machine lacks it.
void add_benches(const std::string& set) {
  try {
    force_kernels(set);
  } catch (const Error&) {
    return;
  }
  const Kernels& kernel = kernels();
  for (const auto& [name, bench] : kBenches)
    for (const std::size_t p : {20, 33, 100, 300, 1000})
      benchmark::RegisterBenchmark(
          (set + "/" + name + "/" + std::to_string(p)).c_str(),
          [bench = bench, &kernel, p](benchmark::State& state) { bench(state, kernel, p); });
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* set : {"avx512", "avx2", "baseline"}) add_benches(set);
  force_kernels("");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
