#include "reproduce/verdict.hpp"

namespace spodnet::figures {

std::string verdict_of(std::size_t holding, std::size_t all) {
  if (all == 0) return "not measured";
  return holding == all ? "yes" : holding == 0 ? "no" : "partly";
}

ResultTable verdict_table(const std::vector<Verdict>& verdicts) {
  ResultTable table{"verdicts", {"claim", "place", "paper", "measured", "holds", "reason"}, {}};
  for (const Verdict& v : verdicts)
    table.rows.push_back({v.claim, v.place, v.paper, v.measured, v.holds, v.reason});
  return table;
}

}  // namespace spodnet::figures
