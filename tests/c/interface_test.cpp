#include "include/spodnet.h"

#include <gmock/gmock.h>

#include <dirent.h>
#include <malloc.h>

#include <chrono>
#include <thread>

#include "spodnet/core/random.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/workflow/analyse.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet {
namespace {

using testing::HasSubstr;

/// 120 x 5, with gaps and a weight in the last column.
Eigen::MatrixXd table_with_gaps() {
  RandomStream random(7, 0);
  Eigen::MatrixXd X(120, 5);
  for (Eigen::Index k = 0; k < X.rows(); ++k) {
    X(k, 0) = random.normal();
    for (Eigen::Index j = 1; j < 4; ++j) X(k, j) = 0.6 * X(k, j - 1) + random.normal();
    X(k, 4) = 1 + double(k % 3);
    if (k % 17 == 0) X(k, k % 4) = NAN;
  }
  return X;
}

const char* const kNames[] = {"a", "b", "c", "d", "w"};

spod_data* prepared(const char* options) {
  const Eigen::MatrixXd X = table_with_gaps();
  spod_data* data = nullptr;
  EXPECT_EQ(spod_prepare(X.data(), 120, 5, kNames, options, nullptr, nullptr, &data), SPOD_OK)
      << spod_error();
  return data;
}

Eigen::MatrixXd numbers(const spod_result* result, const char* name) {
  std::size_t rows = 0, columns = 0;
  const double* values = spod_numbers(result, name, &rows, &columns);
  EXPECT_NE(values, nullptr) << name;
  return Eigen::Map<const Eigen::MatrixXd>(values, Eigen::Index(rows), Eigen::Index(columns));
}

std::size_t threads_here() {
  std::size_t count = 0;
  DIR* folder = opendir("/proc/self/task");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

/// A thread that was joined may stay in /proc for a moment: waits for it, a minute at most.
std::size_t threads_left(std::size_t wanted) {
  for (int k = 0; k < 6000 && threads_here() > wanted; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return threads_here();
}

std::size_t bytes_in_use() {
  return mallinfo2().uordblks;
}  // 0 under a sanitizer, which looks itself

TEST(CInterface, AnalysesAsTheLibraryDoes) {
  spod_data* data = prepared(R"({"weights": "w"})");
  spod_result* result = nullptr;
  ASSERT_EQ(spod_analyse(data, R"({"bootstrap": 20, "seed": 3})", nullptr, nullptr, &result),
            SPOD_OK)
      << spod_error();
  const Eigen::MatrixXd X = table_with_gaps();
  PrepareOptions prepare{.kind = TableKind::automatic};
  prepare.rows.weight = X.col(4);
  const Prepared same = prepare_samples({{"a", "b", "c", "d"}, {}, X.leftCols(4)}, prepare, "data");
  ThreadPool pool(2);
  const Answer answer = analyse(same, {.resamples = 20, .seed = 3}, {.pool = pool});
  EXPECT_EQ(numbers(result, "precision"), answer.Theta);
  EXPECT_EQ(numbers(result, "partial"), answer.partial);
  const Eigen::MatrixXd edges = numbers(result, "edges");
  ASSERT_EQ(std::size_t(edges.rows()), answer.edges.size());
  EXPECT_EQ(edges(0, 4), answer.edges[0].confidence->share);
  EXPECT_STREQ(spod_text(result, "edges.columns", 4), "share");
  EXPECT_STREQ(spod_text(result, "names", 3), "d");
  EXPECT_THAT(spod_text(result, "summary.json", 0), HasSubstr("\"method\""));
  spod_free_result(result);
  spod_free_data(data);
}

TEST(CInterface, TextIsReadAsAFileOfThisName) {
  const char* text = "x,y,size\n1,2,low\n2,3,high\n3,5,mid\n4,4,high\n5,7,low\n";
  spod_data* data = nullptr;
  ASSERT_EQ(spod_parse(text, strlen(text), "t.csv", R"({"levels": ["size=low<mid<high"]})", nullptr,
                       nullptr, &data),
            SPOD_OK)
      << spod_error();
  spod_result* result = nullptr;
  ASSERT_EQ(spod_estimate(data, R"({"method": "oas"})", nullptr, nullptr, &result), SPOD_OK);
  EXPECT_STREQ(spod_text(result, "names", 2), "size");
  spod_free_result(result);
  spod_free_data(data);
}

TEST(CInterface, WritesTheFilesOfTheCommand) {
  const test::TemporaryFolder folder;
  spod_data* data = prepared("");
  spod_result* result = nullptr;
  ASSERT_EQ(spod_analyse(data, nullptr, nullptr, nullptr, &result), SPOD_OK);
  ASSERT_EQ(spod_write(result, (folder.path() / "out").c_str()), SPOD_OK) << spod_error();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "report.html"));
  spod_free_result(result);
  spod_free_data(data);
}

TEST(CInterface, TheRecordHasTheSettingsAndThePageTheRemedies) {
  const char* options = R"({"bootstrap": 3, "seed": 9, "stable": 0.1,
                            "remedies": ["resamples", "more resamples, N", "levels", "name them"]})";
  spod_data* data = prepared(R"({"weights": "w", "missing": "pairwise"})");
  spod_result* result = nullptr;
  ASSERT_EQ(spod_analyse(data, options, nullptr, nullptr, &result), SPOD_OK) << spod_error();
  const std::string summary = spod_text(result, "summary.json", 0);
  for (const char* name : {"missing values", "kind of columns", "the column of weights", "seed"})
    EXPECT_THAT(summary, HasSubstr("\"" + std::string(name) + "\""));
  EXPECT_THAT(summary, HasSubstr("(more resamples, "));
  spod_free_result(result);
  spod_free_data(data);
}

TEST(CInterface, ComparesAndTests) {
  spod_data* data = prepared(R"({"group": "w", "group_names": ["one", "two", "three"]})");
  spod_result* result = nullptr;
  ASSERT_EQ(spod_difference(data, R"({"permutations": 19})", nullptr, nullptr, &result), SPOD_OK)
      << spod_error();
  EXPECT_EQ(numbers(result, "tests").rows(), 3);
  EXPECT_STREQ(spod_text(result, "groups", 2), "three");
  EXPECT_EQ(numbers(result, "p.max.3").rows(), 4);
  spod_free_result(result);
  ASSERT_EQ(spod_compare(data, R"({"methods": ["oas", "glasso-ebic"], "only": true})", nullptr,
                         nullptr, &result),
            SPOD_OK)
      << spod_error();
  EXPECT_EQ(numbers(result, "methods").rows(), 2);
  spod_free_result(result);
  spod_free_data(data);
}

struct Mistake {
  const char *options, *line;
};

TEST(CInterface, SaysWhatIsWrong) {
  const Eigen::MatrixXd X = table_with_gaps();
  for (const Mistake& m : {Mistake{"{\"weight\": 1}", "did you mean 'weights'"},
                           {"[1]", "one JSON object"},
                           {"{\"kind\": {}}", "'kind'"},
                           {"{\"threads\": -1}", "a whole number"},
                           {"{\"link_unobserved\": 1}", "true or false"},
                           {"{\"weights\": \"v\"}", "no column 'v'"},
                           {"{\"group\": \"w\", \"group_names\": [\"a\"]}", "3 groups"}}) {
    spod_data* data = nullptr;
    EXPECT_EQ(spod_prepare(X.data(), 120, 5, kNames, m.options, nullptr, nullptr, &data),
              SPOD_BAD_INPUT);
    EXPECT_EQ(data, nullptr);
    EXPECT_THAT(spod_error(), HasSubstr(m.line)) << m.options;
  }
  EXPECT_EQ(spod_estimate(nullptr, "", nullptr, nullptr, nullptr), SPOD_BAD_INPUT);
  spod_data* data = prepared("");
  spod_result* result = nullptr;
  EXPECT_EQ(spod_difference(data, "", nullptr, nullptr, &result), SPOD_BAD_INPUT);
  EXPECT_THAT(spod_error(), HasSubstr("no groups"));
  EXPECT_STREQ(spod_error_advice(), "");
  EXPECT_EQ(spod_analyse(data, R"({"stable": 0.1})", nullptr, nullptr, &result), SPOD_BAD_INPUT);
  EXPECT_STREQ(spod_error_advice(), "resamples");
  spod_free_data(data);
}

TEST(CInterface, AWatcherStopsTheWorkAndNoThreadIsLeft) {
  spod_data* data = prepared("");
  const std::size_t before = threads_here();
  spod_result* result = nullptr;
  int calls = 0;
  const auto third = [](void* user, const char*, double) {
    return int(++*static_cast<int*>(user) == 3);
  };
  EXPECT_EQ(spod_analyse(data, R"({"bootstrap": 1000000})", third, &calls, &result),
            SPOD_INTERRUPTED);
  EXPECT_EQ(result, nullptr);
  EXPECT_GE(calls, 3);
  EXPECT_STREQ(spod_error(), "interrupted");
  EXPECT_EQ(threads_left(before), before);
  const auto at_once = [](void*, const char*, double) { return 1; };
  for (const char* method : {"pretrained", "glasso-cv", "glasso-latent-ebic", "tyler"}) {
    const std::string options = std::string("{\"method\": \"") + method + "\"}";
    const std::atomic<bool> stopped = true;
    const StopScope scope(&stopped);  // of this thread: the work has its own
    EXPECT_EQ(spod_estimate(data, options.c_str(), nullptr, nullptr, &result), SPOD_OK) << method;
    spod_free_result(result);
  }
  EXPECT_EQ(spod_analyse(data, R"({"bootstrap": 1000000})", at_once, nullptr, &result),
            SPOD_INTERRUPTED);
  spod_free_data(data);
}

/// Call `index` of a thousand: most are answered, some are refused, a few are interrupted.
void call_once(int index) {
  const auto at_once = [](void*, const char*, double) { return 1; };
  const auto go_on = [](void*, const char*, double) { return 0; };
  spod_data* data = prepared(R"({"weights": "w"})");
  spod_result* result = nullptr;
  if (index % 100 == 1) {
    EXPECT_EQ(spod_analyse(data, R"({"bootstrap": 1000000})", at_once, nullptr, &result),
              SPOD_INTERRUPTED);
  } else if (index % 10 == 2) {
    EXPECT_EQ(spod_estimate(data, R"({"method": "glasso:lambda=-1"})", nullptr, nullptr, &result),
              SPOD_BAD_INPUT);
  } else if (index % 100 == 3) {
    EXPECT_EQ(spod_analyse(data, R"({"method": "oas"})", go_on, nullptr, &result), SPOD_OK);
    EXPECT_NE(spod_text(result, "edges.csv", 0), nullptr);
  } else {
    EXPECT_EQ(spod_estimate(data, R"({"method": "glasso:lambda=0.1"})", nullptr, nullptr, &result),
              SPOD_OK);
    EXPECT_EQ(numbers(result, "precision").rows(), 4);
  }
  spod_free_result(result);
  spod_free_data(data);
}

TEST(CInterface, AThousandCallsLeaveNoMemoryAndNoThread) {
  for (int k = 0; k < 100; ++k) call_once(k);  // what is made once and kept
  const std::size_t memory = bytes_in_use(), threads = threads_here();
  for (int k = 0; k < 1000; ++k) call_once(k);
  EXPECT_LT(bytes_in_use(), memory + 50000);  // 50 bytes a call
  EXPECT_EQ(threads_left(threads), threads);
}

}  // namespace
}  // namespace spodnet
