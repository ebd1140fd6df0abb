#include <set>

#include "reproduce/methods.hpp"
#include "reproduce/study_fixture.hpp"
#include "reproduce/walk.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

std::set<std::string> files_of(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

/// All CSV tables but for the column of seconds, which differs from run to run.
std::string all_tables(const TemporaryFolder& folder) {
  std::string text;
  for (const std::string& name : files_of(folder.path())) {
    if (!name.ends_with(".csv")) continue;
    const CsvTable table = read_result(folder / name);
    text += name + '\n';
    for (const auto& row : table.rows) {
      for (std::size_t k = 0; k < row.size(); ++k)
        if (table.columns[k] != "seconds") text += row[k] + '|';
      text += '\n';
    }
  }
  return text;
}

TEST(Parts, TheSameTablesForAnyNumberOfThreads) {
  const TemporaryFolder one, two;
  ReproduceOptions options = tiny(one.path());
  options.run.threads = 1;
  (void)reproduce(options, builtin_models());
  options = tiny(two.path());
  options.run.threads = 3;
  (void)reproduce(options, builtin_models());
  EXPECT_EQ(all_tables(one), all_tables(two));
  EXPECT_GT(all_tables(one).size(), 10'000u);
}

TEST(Parts, AnotherSeedGivesOtherData) {
  const TemporaryFolder one, two;
  ReproduceOptions options = tiny(one.path(), {"fig2"});
  (void)reproduce(options, builtin_models());
  options.folder = two.path();
  options.seed = 1;
  (void)reproduce(options, builtin_models());
  EXPECT_NE(read_bytes(one / "fig2.csv"), read_bytes(two / "fig2.csv"));
}

TEST(Parts, StoppedAndCalledAgainItEndsTheSame) {
  const TemporaryFolder whole, stopped;
  ReproduceOptions options = tiny(whole.path(), {"fig4", "fig5"});
  const ReproduceResult at_once = reproduce(options, builtin_models());
  options.folder = stopped.path();
  options.run.threads = 1;
  int interruptions = 0;
  for (std::size_t limit = 5;; limit += 5) {
    std::atomic<bool> stop = false;
    options.run.stop = &stop;
    options.run.progress = [&](const PlanProgress& at) { stop = at.done >= limit; };
    const ReproduceResult result = reproduce(options, builtin_models());
    if (result.status == Status::ok) break;
    ++interruptions;
    EXPECT_EQ(result.status, Status::interrupted);
    ASSERT_LT(interruptions, 100);
  }
  EXPECT_GT(interruptions, 5);
  EXPECT_EQ(all_tables(stopped), all_tables(whole));
  EXPECT_EQ(files_of(stopped / "parts"), files_of(whole / "parts")) << "scratch files were left";
  EXPECT_EQ(files_of(whole / "parts").size(), at_once.parts);
}

TEST(Parts, FinishedOnesAreNotRepeated) {
  const TemporaryFolder folder;
  ReproduceOptions options = tiny(folder.path(), {"fig4"});
  const ReproduceResult first = reproduce(options, builtin_models());
  EXPECT_EQ(first.reused, 0u);
  std::map<std::string, std::filesystem::file_time_type> written;
  for (const std::string& name : files_of(folder / "parts"))
    written[name] = std::filesystem::last_write_time(folder / "parts" / name);
  options.figures = {"fig3", "fig4"};  // fig3 needs nothing beyond fig4
  const ReproduceResult second = reproduce(options, builtin_models());
  EXPECT_EQ(second.reused, second.parts);
  EXPECT_EQ(second.parts, first.parts);
  for (const std::string& name : files_of(folder / "parts"))
    EXPECT_EQ(std::filesystem::last_write_time(folder / "parts" / name), written[name]) << name;
  EXPECT_GT(read_result(folder / "fig3.csv").rows.size(), 0u);
}

TEST(Parts, ADamagedOneIsMadeAgain) {
  const TemporaryFolder folder, whole;
  ReproduceOptions options = tiny(folder.path(), {"fig2"});
  const std::size_t parts = reproduce(options, builtin_models()).parts;
  const std::string table = read_bytes(folder / "fig2.csv");
  for (const std::string& name : files_of(folder / "parts"))
    folder.write("parts/" + name, read_bytes(folder / "parts" / name).substr(0, 100));
  const ReproduceResult again = reproduce(options, builtin_models());
  EXPECT_EQ(again.reused, 0u);
  EXPECT_EQ(again.parts, parts);
  EXPECT_EQ(read_bytes(folder / "fig2.csv"), table);
}

TEST(Parts, OnlySharesTheWork) {
  const TemporaryFolder folder;
  ReproduceOptions options = tiny(folder.path(), {"fig2"});
  options.only = "p8";
  (void)reproduce(options, builtin_models());
  EXPECT_FALSE(std::filesystem::exists(folder / "fig2.csv")) << "half a figure";
  for (const std::string& name : files_of(folder / "parts"))
    EXPECT_NE(name.find("p8"), std::string::npos);
  options.only = "p5";
  (void)reproduce(options, builtin_models());
  EXPECT_TRUE(std::filesystem::exists(folder / "fig2.csv"));
}

TEST(Study, RolesScalesAndSeedsNeverShareAStream) {
  const ModelRegistry models = builtin_models();
  std::set<std::uint64_t> seeds;
  std::size_t count = 0;
  for (const char* scale : {"tiny", "quick", "paper"})
    for (const std::uint64_t seed : {0, 1})
      for (const char* role : {"train", "valid", "test", "choose-train", "choose-valid", "weights"})
        for (const Cell& cell :
             {Cell{20, 100, kStrong}, Cell{20, 100, kWeak}, Cell{50, 100, kWeak}})
          for (const int k : {0, 1, 2}) {
            const Study study{.scale = scale_from(scale),
                              .seed = seed,
                              .models = models,
                              .store = PartStore("nowhere")};
            seeds.insert(stream_seed(study, role, cell, k));
            ++count;
          }
  EXPECT_EQ(seeds.size(), count);
}

TEST(Walk, EndsAtTheEstimate) {
  const ModelRegistry models = builtin_models();
  for (const Scaling scaling : {Scaling::normalize, Scaling::none}) {
    ModelConfig config;
    config.p = 7;
    config.scaling = scaling;
    const auto model = models.make(config);
    model->parameters().initialise(4);
    Matrix S = Matrix::Identity(7, 7);
    for (int i = 0; i + 1 < 7; ++i) S(i, i + 1) = S(i + 1, i) = 0.3;
    const std::vector<Matrix> walk = column_updates(*model, S, 50);
    ASSERT_EQ(walk.size(), 8u);
    EXPECT_LT((walk.front() * (S + Matrix::Identity(7, 7)) - Matrix::Identity(7, 7)).norm(), 1e-12);
    EXPECT_LT((walk.back() - estimate(*model, S, 50).Theta).norm(), 1e-12);
    for (int i = 0; i < 7; ++i) {  // update i rewrites row and column i alone
      Matrix difference = walk[std::size_t(i) + 1] - walk[std::size_t(i)];
      difference.row(i).setZero();
      difference.col(i).setZero();
      EXPECT_EQ(difference.norm(), 0);
    }
  }
}

TEST(Reproduce, RefusesWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  ReproduceOptions options = tiny(folder.path(), {"fig1"});
  expect_error([&] { (void)reproduce(options, builtin_models()); }, {"fig1"});
  options.figures = {"fig2"};
  options.scale = "huge";
  expect_error([&] { (void)reproduce(options, builtin_models()); }, {"huge", "quick"});
  options.scale = "tiny";
  options.folder = folder.write("file", "") / "below";
  expect_error([&] { (void)reproduce(options, builtin_models()); }, {"file", "folder"});
}

}  // namespace
}  // namespace spodnet::test
