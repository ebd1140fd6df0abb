#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

// Eigen's heavy templates in double, compiled once for the whole project in eigen_once.cpp. The
// build puts this header ahead of every source (cmake/SpodnetFastBuild.cmake); no source includes
// it, and without it everything is the same except for the time a build takes.
#ifndef SPODNET_EIGEN_ONCE
#define SPODNET_EIGEN_ONCE extern
#endif

namespace Eigen {
namespace internal {

using EigenOnceTraits = gebp_traits<double, double>;
using EigenOnceOut = blas_data_mapper<double, Index, ColMajor>;
template <int Order>
using EigenOnceIn = const_blas_data_mapper<double, Index, Order>;

SPODNET_EIGEN_ONCE template struct gebp_kernel<double, double, Index, EigenOnceOut,
                                               EigenOnceTraits::mr, EigenOnceTraits::nr>;
SPODNET_EIGEN_ONCE template struct gemm_pack_rhs<double, Index, EigenOnceIn<ColMajor>,
                                                 EigenOnceTraits::nr, ColMajor>;
SPODNET_EIGEN_ONCE template struct gemm_pack_rhs<double, Index, EigenOnceIn<RowMajor>,
                                                 EigenOnceTraits::nr, RowMajor>;
SPODNET_EIGEN_ONCE template struct gemm_pack_lhs<double, Index, EigenOnceIn<ColMajor>,
                                                 EigenOnceTraits::mr, EigenOnceTraits::LhsProgress,
                                                 EigenOnceTraits::LhsPacket4Packing, ColMajor>;
SPODNET_EIGEN_ONCE template struct gemm_pack_lhs<double, Index, EigenOnceIn<RowMajor>,
                                                 EigenOnceTraits::mr, EigenOnceTraits::LhsProgress,
                                                 EigenOnceTraits::LhsPacket4Packing, RowMajor>;
SPODNET_EIGEN_ONCE template struct general_matrix_vector_product<
    Index, double, EigenOnceIn<ColMajor>, ColMajor, false, double, EigenOnceIn<RowMajor>, false>;
SPODNET_EIGEN_ONCE template struct general_matrix_vector_product<
    Index, double, EigenOnceIn<RowMajor>, RowMajor, false, double, EigenOnceIn<ColMajor>, false>;

}  // namespace internal

using EigenOnceRows = Matrix<double, Dynamic, Dynamic, RowMajor>;
using EigenOnceRef = Ref<const EigenOnceRows>;

SPODNET_EIGEN_ONCE template SelfAdjointEigenSolver<EigenOnceRows>&
SelfAdjointEigenSolver<EigenOnceRows>::compute(const EigenBase<EigenOnceRows>&, int);
SPODNET_EIGEN_ONCE template SelfAdjointEigenSolver<EigenOnceRows>&
SelfAdjointEigenSolver<EigenOnceRows>::compute(const EigenBase<EigenOnceRef>&, int);
SPODNET_EIGEN_ONCE template SelfAdjointEigenSolver<EigenOnceRows>&
SelfAdjointEigenSolver<EigenOnceRows>::compute(const EigenBase<MatrixXd>&, int);
SPODNET_EIGEN_ONCE template SelfAdjointEigenSolver<MatrixXd>&
SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, int);

SPODNET_EIGEN_ONCE template LLT<EigenOnceRows>& LLT<EigenOnceRows>::compute(
    const EigenBase<EigenOnceRows>&);
SPODNET_EIGEN_ONCE template LLT<EigenOnceRows>& LLT<EigenOnceRows>::compute(
    const EigenBase<EigenOnceRef>&);
SPODNET_EIGEN_ONCE template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
SPODNET_EIGEN_ONCE template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<EigenOnceRef>&);

SPODNET_EIGEN_ONCE template void PartialPivLU<EigenOnceRows>::compute();

}  // namespace Eigen
