#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "cli/command.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/loss.hpp"

namespace spodnet::test {
namespace {

/// The text of all blocks fenced as `sh`, in order.
std::string shell_blocks(const std::string& markdown) {
  std::string script, line;
  bool inside = false;
  for (std::istringstream in(markdown); std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = !inside && line == "```sh";
    else if (inside)
      script += line + '\n';
  }
  return script;
}

TEST(CliDocs, EveryExampleOfUsingRuns) {
  const TemporaryFolder folder;
  const std::string script =
      shell_blocks(read_bytes(std::filesystem::path(SPODNET_SOURCE_DIR) / "docs/using.md"));
  ASSERT_NE(script.find("spodnet train"), std::string::npos);
  folder.write("examples.sh", script);
  const std::string bin = std::filesystem::path(SPODNET_BINARY).parent_path().string();
  const std::string command = "cd '" + folder.path().string() + "' && PATH='" + bin +
                              "':\"$PATH\" sh -ex examples.sh > log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_bytes(folder / "log");
  EXPECT_TRUE(std::filesystem::exists(folder / "precision.mtx"));
}

/// docs/graph.md shows what the two shipped tables give: the first line of each, but for its time.
TEST(CliDocs, TheShippedTablesGiveWhatGraphSays) {
  const std::filesystem::path source = SPODNET_SOURCE_DIR;
  std::string page = read_bytes(source / "docs/graph.md");
  for (std::size_t at; (at = page.find("\n  by ")) != page.npos;) page.replace(at, 3, " ");
  const TemporaryFolder folder;
  for (const char* table : {"questionnaire", "wine"}) {
    const CommandResult got =
        RunningCommand(folder.path(),
                       {"graph", (source / "data" / (std::string(table) + ".csv")).string(), "-o",
                        table, "--bootstrap", "200", "--stable", "0.1"})
            .wait();
    ASSERT_EQ(got.status, 0) << got.err;
    const std::string line = got.out.substr(0, got.out.find(", by "));
    EXPECT_NE(line.find("stable at 0.1"), line.npos) << got.out;
    EXPECT_NE(page.find(line + ","), page.npos) << line;
  }
}

/// The registries are the only lists: a name that is added there must be explained.
TEST(CliDocs, ExplainEveryMethodModelLossAndCommand) {
  const auto text = [](const char* page) {
    return read_bytes(std::filesystem::path(SPODNET_SOURCE_DIR) / "docs" / page);
  };
  const std::string methods = text("methods.md"), models = text("models.md"),
                    using_it = text("using.md");
  const TemporaryFolder folder;
  const std::string help = spodnet(folder, "train --help-all").out;
  for (const std::string& name : builtin_methods().names())
    EXPECT_NE(methods.find('`' + name), methods.npos) << name;
  for (const std::string& name : builtin_models().names()) {
    EXPECT_NE(models.find('`' + name + '`'), models.npos) << name;
    EXPECT_NE(help.find(name), help.npos) << name;
  }
  for (const std::string& name : builtin_losses().names()) {
    EXPECT_NE(using_it.find('`' + name + '`'), using_it.npos) << name;
    EXPECT_NE(help.find(name), help.npos) << name;
  }
  const std::string completion = spodnet(folder, "completion bash").out, mark = "compgen -W \"";
  const auto first = completion.find(mark) + mark.size();
  std::istringstream commands(completion.substr(first, completion.find(" --help", first) - first));
  int count = 0;
  for (std::string name; commands >> name; ++count)
    EXPECT_NE(using_it.find("spodnet " + name), using_it.npos) << name;
  EXPECT_GE(count, 9);
}

/// The page for the browser offers some methods: each is one of the library's.
TEST(CliDocs, ThePagesMethodsAreTheLibrarys) {
  const std::string page =
      read_bytes(std::filesystem::path(SPODNET_SOURCE_DIR) / "web/page/index.html");
  const auto begin = page.find("<select name=\"method\">");
  ASSERT_NE(begin, page.npos);
  const std::string offered = page.substr(begin, page.find("</select>", begin) - begin);
  const std::vector<std::string> names = builtin_methods().names();
  const std::regex option("value=\"([^\"]+)\"");
  std::sregex_iterator it(offered.begin(), offered.end(), option);
  EXPECT_GE(std::distance(it, std::sregex_iterator()), 5);
  for (; it != std::sregex_iterator(); ++it)
    EXPECT_TRUE((*it)[1] == "auto" || std::count(names.begin(), names.end(), (*it)[1].str()))
        << (*it)[1];
}

}  // namespace
}  // namespace spodnet::test
