// The kernels of core/kernels.hpp, included once per instruction set inside that set's own
// namespace (SPODNET_ISA): plain pointers and compiler vector types only, nothing inline is shared
// between files with different flags.
#include "spodnet/core/column_kernels_impl.hpp"
#include "spodnet/core/coordinate_kernels_impl.hpp"
#include "spodnet/core/gemm_kernels_impl.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/product_kernels_impl.hpp"
#include "spodnet/core/ql_sweep_impl.hpp"
#include "spodnet/core/symmetric_kernels_impl.hpp"
#include "spodnet/core/threshold_kernels_impl.hpp"

namespace spodnet {
namespace SPODNET_ISA {

extern const Kernels table;
const Kernels table = {SPODNET_ISA_NAME,
                       dot,
                       axpy,
                       add,
                       linear,
                       combine,
                       gemm,
                       product,
                       row_product,
                       transposed_product,
                       symmetric_product,
                       symmetric_rows,
                       update_product,
                       triangle_column,
                       rank_update,
                       rank_update_rows,
                       invert_factor,
                       schur_product,
                       adam,
                       relu,
                       relu_backward,
                       gradient_step,
                       gradient_step_backward,
                       difference,
                       soft_threshold,
                       soft_threshold_backward,
                       abs_mlp,
                       abs_mlp_backward,
                       mlp_threshold,
                       mlp_threshold_backward,
                       ql_sweep,
                       lasso_pass,
                       box_pass};

}  // namespace SPODNET_ISA
}  // namespace spodnet
