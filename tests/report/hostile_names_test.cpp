#include "support/hostile_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "spodnet/io/csv.hpp"
#include "spodnet/io/utf8.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/report/page_files.hpp"
#include "spodnet/report/report_data.hpp"
#include "support/csv_cells.hpp"
#include "support/expect_error.hpp"
#include "support/graph_answer.hpp"

namespace spodnet {
namespace {

using nlohmann::json;

/// A chain of variables with these names.
Answer chain(const std::vector<std::string>& names) {
  const auto p = Eigen::Index(names.size());
  Answer answer;
  answer.names = names;
  answer.Theta = Matrix::Identity(p, p);
  answer.community.assign(names.size(), 0);
  for (Eigen::Index i = 0; i + 1 < p; ++i) {
    answer.Theta(i, i + 1) = answer.Theta(i + 1, i) = 0.3;
    answer.edges.push_back({std::size_t(i), std::size_t(i) + 1, 0.3, -0.3, std::nullopt});
  }
  answer.partial = test::partial_of(answer.Theta);
  return answer;
}

/// Names of random bytes and pieces that mean something in one of the formats.
std::vector<std::string> random_names(std::uint64_t seed) {
  const std::vector<std::string> pieces = {"\"",
                                           ",",
                                           "\n",
                                           "\r",
                                           "<",
                                           ">",
                                           "&",
                                           "'",
                                           "\\",
                                           "]]>",
                                           "-->",
                                           ";",
                                           "{{",
                                           "}}",
                                           "<!--",
                                           "</script>",
                                           "&lt;",
                                           "\\u003c",
                                           "\t",
                                           "\xC3",
                                           "\xE2\x80\xA8",
                                           "\xF0\x9F\xA6\x84",
                                           "\xED\xA0\x80",
                                           "\xEF\xBB\xBF",
                                           "%",
                                           "$&"};
  RandomStream random(seed);
  std::vector<std::string> names(40);
  for (std::string& name : names)
    for (std::uint64_t k = random.below(8); k > 0; --k)
      name += random.uniform() < 0.5 ? std::string(1, char(random.below(256)))
                                     : pieces[random.below(pieces.size())];
  return names;
}

std::vector<std::string> cleaned(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(clean_text(name));
  return out;
}

/// What an XML reader makes of character data, strictly: any stray markup fails the test.
std::string xml_value(std::string_view text) {
  const std::vector<std::pair<std::string, std::string>> references = {
      {"&amp;", "&"}, {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},
      {"&#39;", "'"}, {"&#9;", "\t"}, {"&#10;", "\n"}, {"&#13;", "\r"}};
  std::string out;
  while (!text.empty()) {
    EXPECT_EQ(std::string("<>\"'\n\r").find(text[0]), std::string::npos) << text;
    const auto found = std::ranges::find_if(
        references, [&](const auto& reference) { return text.starts_with(reference.first); });
    EXPECT_TRUE(text[0] != '&' || found != references.end()) << text;
    if (found != references.end()) {
      out += found->second;
      text.remove_prefix(found->first.size());
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

/// Control characters that XML does not know, as U+FFFD.
std::string without_controls(const std::string& clean) {
  std::string out;
  for (std::size_t i = 0, length = 0; i < clean.size(); i += length) {
    length = utf8_length(std::string_view(clean).substr(i));
    const std::string sequence = clean.substr(i, length);
    const bool control = length == 1 && static_cast<unsigned char>(clean[i]) < 0x20 &&
                         std::string("\t\n\r").find(clean[i]) == std::string::npos;
    const bool no_character = sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
    out += control || no_character ? "\xEF\xBF\xBD" : sequence;
  }
  return out;
}

void expect_names_survive(const std::vector<std::string>& names) {
  const Answer answer = chain(names);
  const std::vector<std::string> clean = cleaned(names);
  const Points points(names.size());
  const auto communities = test::csv_cells(communities_csv(answer));
  const auto edges = test::csv_cells(edges_csv(answer));
  const json graph = json::parse(graph_json(answer, points));
  ASSERT_EQ(communities.size(), names.size() + 1);
  ASSERT_EQ(edges.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(communities[i + 1][0], clean[i]);
    EXPECT_EQ(graph["nodes"][i]["name"], clean[i]);
    if (i > 0) {
      EXPECT_EQ(edges[i][1], clean[i]);
    }
  }

  const std::string xml = graphml(answer, points);
  std::size_t at = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string open = "<data key=\"name\">";
    at = xml.find(open, at) + open.size();
    EXPECT_EQ(xml_value(xml.substr(at, xml.find("</data>", at) - at)), without_controls(clean[i]));
  }
}

TEST(HostileNames, SurviveInEveryFormat) { expect_names_survive(test::hostile_names()); }

TEST(HostileNames, RandomOnesSurviveInEveryFormat) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) expect_names_survive(random_names(seed));
}

TEST(HostileNames, ThePageHoldsThemAsData) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Answer answer = chain(seed == 0 ? test::hostile_names() : random_names(seed));
    test::add_words(answer);
    if (seed % 2 == 0) test::make_hostile(answer);
    const Points points(answer.names.size());
    const std::string page = report_html(answer, points);
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(open) + open.size(), end = page.find("</script>", begin);
    const std::string data = page.substr(begin, end - begin);
    EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(json::parse(data), json::parse(report_data(answer, points)));
    EXPECT_EQ(json::parse(data)["names"], json(cleaned(answer.names)));
    EXPECT_EQ(page.find("<script>window"), std::string::npos);
    // One head and one title, whatever the title is.
    EXPECT_EQ(page.find("</title>"), page.rfind("</title>"));
  }
}

TEST(HostileNames, DotLabelsCloseWhereTheyShould) {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const std::string& name : random_names(seed)) {
      const std::string label = dot_label(name);
      bool open = false;
      for (std::size_t k = 0; k < label.size(); ++k) {
        if (label[k] == '\\')
          ++k;
        else if (label[k] == '"')
          open = !open;
        EXPECT_TRUE(open || k + 1 == label.size()) << label;
        EXPECT_NE(label[k], '\n');
        EXPECT_NE(label[k], '\0');
      }
      EXPECT_FALSE(open);
    }
}

TEST(FillPage, InsertsOnceAndKnowsEveryName) {
  EXPECT_EQ(fill_page("a {{x}} b {{y}} {{x}}", {{"x", "{{y}}"}, {"y", "2"}}), "a {{y}} b 2 {{y}}");
  EXPECT_EQ(fill_page("no {{ end", {}), "no {{ end");
  test::expect_error([] { fill_page("{{z}}", {}); }, {"no text for {{z}}"});
}

}  // namespace
}  // namespace spodnet
