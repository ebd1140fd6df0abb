#include "reproduce/figure.hpp"

namespace spodnet::figures {

const std::vector<Figure>& all_figures() {
  static const std::vector<Figure> figures = {fig2(), fig3(), fig4(), fig5(),  fig6(),
                                              fig7(), fig8(), fig9(), beyond()};
  return figures;
}

}  // namespace spodnet::figures
