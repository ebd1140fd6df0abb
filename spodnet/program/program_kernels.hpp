#pragma once

#include "spodnet/program/operation.hpp"

namespace spodnet {

/// Numbers, or one number for all; null where an operation has fewer operands.
struct PointOperand {
  const double* x = nullptr;
  bool one = false;
};

/// What a program's interpreter is made of, for one instruction set (core/kernels.hpp).
struct ProgramKernels {
  /// d[k] = op(a[k], b[k], c[k]), k < n, of three operands.
  using Point = void (*)(long n, double* d, const PointOperand* operands);

  const char* name;
  Point point[int(program::Op::mul_add_relu) - int(program::Op::add) + 1];
  /// C (M x N) = A (M x K) B (K x N), or added to C; x[row * xm + column * xn] each.
  void (*product)(long M, long N, long K, const double* A, long am, long ak, const double* B,
                  long bk, long bn, double* C, long cm, long cn, bool add);
  double (*total)(long n, const double* x);
  double (*largest)(long n, const double* x);  ///< n >= 1; NaN where there is one

  Point of(program::Op op) const { return point[int(op) - int(program::Op::add)]; }
};

/// Those of the instruction set that kernels() has.
const ProgramKernels& program_kernels();

}  // namespace spodnet
