#include "reproduce/study_fixture.hpp"

namespace spodnet::test {
namespace {

/// A finished study of every figure at its smallest.
struct Finished {
  const TemporaryFolder& folder;
  const ReproduceResult& result;

  CsvTable table(const std::string& name) const { return read_result(folder / (name + ".csv")); }
};

bool is_ours(const std::string& method) {
  return method == "ubg" || method == "pnp" || method == "e2e" || method == "ubg-k2" ||
         method == "ubg-k3" || method == "best";
}

void have_their_columns(const Finished& study) {
  const std::map<std::string, std::string> schema = {
      {"fig2", "p,n,alpha,method,seed,epoch,eig_min_Z,density_Theta,discrepancy"},
      {"fig3", "p,n,alpha,method,seed,epoch,eig_min,condition,sparsity,spd_share"},
      {"fig4", "p,n,alpha,method,seed,epoch,nmse,guaranteed"},
      {"fig5", "p,n,alpha,method,seed,nmse,f1,f1_offdiag"},
      {"fig6", "method,paper_modularity,modularity,edges,communities,detail"},
      {"fig6_nodes", "method,name,community"},
      {"fig6_edges", "method,source,target,theta,partial_correlation"},
      {"fig7", "p,n,alpha,scaling,update,eig_min,max_diagonal,condition"},
      {"fig8", "p,n,alpha,method,seed,spd_share,eig_min"},
      {"fig9", "p,n,alpha,seed,epoch,variant,density,rank,eig_min"},
      {"beyond", "p,n,alpha,method,seed,nmse,f1,f1_offdiag,seconds"},
      {"verdicts", "claim,place,paper,measured,holds,reason"},
  };
  for (const auto& [name, columns] : schema) {
    EXPECT_EQ(study.table(name).columns, split_line(columns)) << name;
    if (!name.starts_with("fig6_")) {
      EXPECT_GT(study.table(name).rows.size(), 0u) << name;
    }
  }
  EXPECT_EQ(study.result.tables.size(), schema.size());
}

void have_a_twin_that_says_how_they_were_made(const Finished& study) {
  for (const auto& path : study.result.tables) {
    std::filesystem::path twin = path;
    const auto json = nlohmann::json::parse(read_bytes(twin.replace_extension(".json")));
    for (const char* key : {"table", "seed", "scale", "settings", "version", "machine", "command"})
      EXPECT_TRUE(json.contains(key)) << twin << " " << key;
    EXPECT_EQ(json["rows"].size(), read_result(path).rows.size()) << twin;
  }
  const auto plan = nlohmann::json::parse(read_bytes(study.folder / "plan.json"));
  EXPECT_EQ(plan["scale"], "tiny");
  EXPECT_GT(plan["seconds"].get<double>(), 0);
  std::set<std::string> origins;
  for (const auto& rate : plan["learning_rates"]) origins.insert(rate["origin"]);
  EXPECT_EQ(origins, (std::set<std::string>{"paper", "chosen on validation", "preset"}));
}

void ours_are_always_spd(const Finished& study) {
  const CsvTable fig3 = study.table("fig3"), fig8 = study.table("fig8");
  for (std::size_t k = 0; k < fig3.rows.size(); ++k) {
    EXPECT_EQ(fig3.number(k, "spd_share"), 1) << k;
    EXPECT_GT(fig3.number(k, "eig_min"), 0) << k;
    EXPECT_GE(fig3.number(k, "condition"), 1) << k;
    EXPECT_GE(fig3.number(k, "sparsity"), 0) << k;
    EXPECT_LE(fig3.number(k, "sparsity"), 1) << k;
  }
  for (std::size_t k = 0; k < fig8.rows.size(); ++k)
    if (fig8.at(k, "method") != "glad-z") {
      EXPECT_EQ(fig8.number(k, "spd_share"), 1) << k;
      EXPECT_GT(fig8.number(k, "eig_min"), 0) << k;
    }
}

void some_of_ours_have_exact_zeros(const Finished& study) {
  const CsvTable fig3 = study.table("fig3");
  std::size_t sparse = 0;
  for (std::size_t k = 0; k < fig3.rows.size(); ++k) sparse += fig3.number(k, "sparsity") > 0;
  EXPECT_GT(sparse, fig3.rows.size() / 2);
}

void scores_lie_in_their_ranges(const Finished& study) {
  for (const char* name : {"fig5", "beyond"}) {
    const CsvTable scores = study.table(name);
    std::set<std::string> methods;
    for (std::size_t k = 0; k < scores.rows.size(); ++k) {
      methods.insert(scores.at(k, "method"));
      EXPECT_GT(scores.number(k, "nmse"), 0);
      for (const char* f1 : {"f1", "f1_offdiag"}) {
        EXPECT_GE(scores.number(k, f1), 0);
        EXPECT_LE(scores.number(k, f1), 1);
      }
    }
    EXPECT_EQ(methods.size(), std::string(name) == "beyond" ? 11u : 8u);
  }
}

void only_the_guaranteed_are_marked(const Finished& study) {
  const CsvTable fig4 = study.table("fig4");
  std::set<std::string> guaranteed, classical;
  for (std::size_t k = 0; k < fig4.rows.size(); ++k) {
    if (fig4.at(k, "guaranteed") == "yes") guaranteed.insert(fig4.at(k, "method"));
    if (fig4.at(k, "epoch").empty()) classical.insert(fig4.at(k, "method"));
    if (is_ours(fig4.at(k, "method"))) {
      EXPECT_EQ(fig4.at(k, "guaranteed"), "yes");
    }
  }
  EXPECT_EQ(guaranteed, (std::set<std::string>{"ubg", "pnp", "e2e", "glasso-cv"}));
  EXPECT_EQ(classical, (std::set<std::string>{"glasso-cv", "ledoit-wolf", "oas"}));
}

void the_walk_has_one_row_per_column_update(const Finished& study) {
  const CsvTable fig7 = study.table("fig7");
  std::map<std::string, std::vector<double>> updates;
  for (std::size_t k = 0; k < fig7.rows.size(); ++k) {
    updates[fig7.at(k, "scaling")].push_back(fig7.number(k, "update"));
    EXPECT_GT(fig7.number(k, "eig_min"), 0);
    EXPECT_GE(fig7.number(k, "max_diagonal"), fig7.number(k, "eig_min"));
  }
  ASSERT_EQ(updates.size(), 2u);
  for (const auto& [scaling, all] : updates) {
    ASSERT_EQ(all.size(), 6u) << scaling;  // p = 5: the input and five updates
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(all[k], double(k));
  }
}

void repaired_glad_keeps_what_the_repair_promises(const Finished& study) {
  const CsvTable fig9 = study.table("fig9");
  for (std::size_t k = 0; k + 3 < fig9.rows.size(); k += 4) {
    ASSERT_EQ(fig9.at(k, "variant"), "z");
    ASSERT_EQ(fig9.at(k + 1, "variant"), "projected");
    ASSERT_EQ(fig9.at(k + 3, "variant"), "thresholded");
    EXPECT_GT(fig9.number(k + 1, "eig_min"), -1e-10);
    EXPECT_LE(fig9.number(k + 3, "density"), fig9.number(k, "density") + 1e-12);
  }
}

void verdicts_judge_every_figure(const Finished& study) {
  const CsvTable verdicts = study.table("verdicts");
  std::string places;
  for (std::size_t k = 0; k < verdicts.rows.size(); ++k) {
    EXPECT_TRUE(std::set<std::string>({"yes", "no", "partly", "not measured"})
                    .count(verdicts.at(k, "holds")))
        << verdicts.at(k, "holds");
    for (const char* cell : {"claim", "place", "paper", "reason"})
      EXPECT_FALSE(verdicts.at(k, cell).empty()) << k << " " << cell;
    places += verdicts.at(k, "place") + '\n';
  }
  for (int figure = 2; figure <= 9; ++figure)
    EXPECT_NE(places.find("Figure " + std::to_string(figure)), std::string::npos) << figure;
}

void animals_graphs_are_whole(const Finished& study) {
  const CsvTable fig6 = study.table("fig6"), nodes = study.table("fig6_nodes"),
                 edges = study.table("fig6_edges");
  ASSERT_EQ(fig6.rows.size(), 6u);
  if (!std::filesystem::exists(animals_path()))
    return;  // SaysThatTheAnimalsAreMissing is the other case
  EXPECT_EQ(nodes.rows.size(), 6u * 33u);
  std::map<std::string, double> counted;
  for (std::size_t k = 0; k < edges.rows.size(); ++k) {
    ++counted[edges.at(k, "method")];
    EXPECT_NE(edges.number(k, "theta"), 0);
  }
  for (std::size_t k = 0; k < fig6.rows.size(); ++k) {
    EXPECT_EQ(fig6.number(k, "edges"), counted[fig6.at(k, "method")]);
    if (fig6.at(k, "method") == "glasso") {
      EXPECT_NEAR(fig6.number(k, "modularity"), 0.613, 0.003);
    }
  }
}

TEST(Tables, OfEveryFigureAtItsSmallest) {
  const TemporaryFolder folder;
  const ReproduceResult result = reproduce(tiny(folder.path()), builtin_models());
  const Finished study{folder, result};
  have_their_columns(study);
  have_a_twin_that_says_how_they_were_made(study);
  ours_are_always_spd(study);
  some_of_ours_have_exact_zeros(study);
  scores_lie_in_their_ranges(study);
  only_the_guaranteed_are_marked(study);
  the_walk_has_one_row_per_column_update(study);
  repaired_glad_keeps_what_the_repair_promises(study);
  verdicts_judge_every_figure(study);
  animals_graphs_are_whole(study);
}

TEST(Reproduce, SaysThatTheAnimalsAreMissing) {
  const TemporaryFolder folder;
  ReproduceOptions options = tiny(folder.path(), {"fig6"});
  options.animals.clear();
  const ReproduceResult result = reproduce(options, builtin_models());
  const CsvTable fig6 = read_result(folder / "fig6.csv");
  ASSERT_EQ(fig6.rows.size(), 6u);
  EXPECT_NE(fig6.at(0, "detail").find("--animals"), std::string::npos);
  EXPECT_EQ(fig6.at(0, "modularity"), "");
  ASSERT_FALSE(result.verdicts.empty());
  EXPECT_EQ(result.verdicts[0].holds, "not measured");
}

}  // namespace
}  // namespace spodnet::test
