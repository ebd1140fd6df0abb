#include "spodnet/report/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "spodnet/report/exports.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/picture_labels.hpp"
#include "spodnet/report/picture_marks.hpp"
#include "support/graph_answer.hpp"

namespace spodnet {
namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string inflated(std::string_view bytes, std::size_t size) {
  std::string out(size, '\0');
  uLongf length = uLongf(size);
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                       reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size())),
            Z_OK);
  out.resize(length);
  return out;
}

Answer answer_of_size(std::size_t p, double lambda = 0.2) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < p; ++k) names.push_back("item " + std::to_string(k + 1));
  return test::make_answer({.names = names, .n = 100, .lambda = lambda});
}

struct Drawn {
  Answer answer;
  Points points;
  Picture picture;
};

Drawn drawn(Answer answer) {
  Drawn out{std::move(answer), {}, {}};
  out.points = answer_layout(out.answer);
  out.picture = draw_picture(out.answer, out.points);
  return out;
}

TEST(Picture, HasEveryVariableAndEdgeOfASmallGraph) {
  const Drawn d = drawn(answer_of_size(12));
  ASSERT_GT(d.answer.edges.size(), 5u);
  EXPECT_EQ(d.picture.marks.size(), 12u);
  EXPECT_EQ(d.picture.lines.size(), d.answer.edges.size() + 2) << "and two lines of the key";
  const std::string svg = picture_svg(d.picture);
  for (const std::string& name : d.answer.names)
    EXPECT_EQ(times(svg, ">" + name + "</text>"), 1u) << name;
  EXPECT_EQ(times(svg, "<line "), d.picture.lines.size());
  EXPECT_EQ(times(svg, "<circle ") + times(svg, "<polygon "), 12u);
  for (const PictureMark& mark : d.picture.marks) {
    EXPECT_GT(mark.at.x, 0) << "inside the page";
    EXPECT_LT(mark.at.x, d.picture.width);
    EXPECT_LT(mark.at.y, d.picture.height);
  }
}

TEST(Picture, OfManyEdgesTheStrongestAreShownAndItSaysSo) {
  const Drawn d = drawn(answer_of_size(90, 0.02));
  ASSERT_GT(d.answer.edges.size(), 500u);
  EXPECT_EQ(d.picture.lines.size(), 135u + 2);
  EXPECT_NE(picture_svg(d.picture).find("the 135 strongest of"), std::string::npos);
}

TEST(Picture, ThePngHoldsTheColoursWhereTheMarksAre) {
  const Drawn d = drawn(answer_of_size(9));
  const std::string png = picture_png(d.picture, 1);
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1A\n");
  std::string data;
  std::vector<std::string> kinds;
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | std::uint8_t(png[at + k]);
    return value;
  };
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number(at);
    const std::string body = png.substr(at + 4, length + 4);
    kinds.push_back(body.substr(0, 4));
    EXPECT_EQ(number(at + 8 + length),
              crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size())));
    if (kinds.back() == "IDAT") data += body.substr(4);
    at += length + 12;
  }
  EXPECT_THAT(kinds, testing::ElementsAre("IHDR", "IDAT", "IEND"));
  const std::size_t width = 1200, height = 800, row = 3 * width + 1;
  std::string pixels = inflated(data, row * height);
  ASSERT_EQ(pixels.size(), row * height);
  for (std::size_t y = 1; y < height; ++y)
    for (std::size_t k = 1; k < row; ++k)  // the filter "up"
      pixels[y * row + k] = char(pixels[y * row + k] + pixels[(y - 1) * row + k]);
  for (const PictureMark& mark : d.picture.marks) {
    const std::size_t at = std::size_t(mark.at.y) * row + 1 + 3 * std::size_t(mark.at.x);
    EXPECT_EQ(std::uint8_t(pixels[at]), mark.fill.red);
    EXPECT_EQ(std::uint8_t(pixels[at + 1]), mark.fill.green);
    EXPECT_EQ(std::uint8_t(pixels[at + 2]), mark.fill.blue);
  }
}

TEST(Picture, ThePdfHoldsTogether) {
  const Drawn d = drawn(answer_of_size(9));
  const std::string pdf = picture_pdf(d.picture);
  EXPECT_EQ(pdf.substr(0, 8), "%PDF-1.4");
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref") + 10));
  ASSERT_EQ(pdf.substr(table, 4), "xref");
  for (int k = 1; k <= 6; ++k) {
    const std::size_t entry = table + 9 + 20 * std::size_t(k);
    const std::size_t place = std::stoul(pdf.substr(entry, 10));
    const std::string head = std::to_string(k) + " 0 obj";
    EXPECT_EQ(pdf.substr(place, head.size()), head);
  }
  const std::size_t begin = pdf.find("stream\n") + 7, end = pdf.find("\nendstream");
  const std::string page = inflated(std::string_view(pdf).substr(begin, end - begin), 1 << 20);
  EXPECT_EQ(times(page, " Tj "), 2 * d.picture.texts.size()) << "each with its halo";
  EXPECT_EQ(times(page, " l S"), d.picture.lines.size());
  EXPECT_NE(page.find("<6974656D2031>"), page.npos) << "item 1";
}

TEST(Picture, EqualAnswersGiveEqualBytes) {
  const Drawn a = drawn(answer_of_size(15)), b = drawn(answer_of_size(15));
  EXPECT_EQ(picture_svg(a.picture), picture_svg(b.picture));
  EXPECT_EQ(picture_pdf(a.picture), picture_pdf(b.picture));
  EXPECT_EQ(picture_png(a.picture), picture_png(b.picture));
}

TEST(Picture, GroupsGiveColoursAndLabelsGiveNames) {
  Answer answer = answer_of_size(6);
  answer.styles = {{"first", "A", ""}, {"", "B", "#123456"}, {"", "A", ""},
                   {"", "B", ""},      {"", "", ""},         {"", "A", ""}};
  const Drawn d = drawn(answer);
  EXPECT_EQ(d.picture.marks[0].fill, d.picture.marks[2].fill);
  EXPECT_EQ(d.picture.marks[1].fill, (Colour{0x12, 0x34, 0x56}));
  EXPECT_EQ(d.picture.marks[3].fill, d.picture.marks[1].fill) << "the colour is the group's";
  EXPECT_NE(d.picture.marks[4].fill, d.picture.marks[0].fill);
  const std::string svg = picture_svg(d.picture);
  EXPECT_EQ(times(svg, ">first</text>"), 1u);
  EXPECT_EQ(times(svg, ">item 1</text>"), 0u);
  EXPECT_EQ(times(svg, ">A</text>") + times(svg, ">B</text>"), 2u) << "the key";
}

TEST(Picture, LabelsStandBesideEachOtherNotOnEachOther) {
  std::vector<LabelSpot> spots;
  for (int k = 0; k < 40; ++k)
    spots.push_back({{100.0 + 18 * (k % 8), 100.0 + 18 * (k / 8)}, 4, double(k), "a name", false});
  const auto labels = place_labels(spots, 12, {}, {}, {0, 0, 600, 400});
  EXPECT_GT(labels.size(), 3u);
  EXPECT_LT(labels.size(), spots.size());
  std::vector<PictureBox> boxes;
  for (const PictureText& label : labels) {
    const double w = text_width(label.words, 12);
    const double left = label.at.x - (label.align == Align::left    ? 0
                                      : label.align == Align::right ? w
                                                                    : w / 2);
    boxes.push_back({left, label.at.y - 6, left + w, label.at.y + 6});
  }
  for (std::size_t a = 0; a < boxes.size(); ++a)
    for (std::size_t b = a + 1; b < boxes.size(); ++b)
      EXPECT_TRUE(boxes[a].x2 <= boxes[b].x1 || boxes[b].x2 <= boxes[a].x1 ||
                  boxes[a].y2 <= boxes[b].y1 || boxes[b].y2 <= boxes[a].y1)
          << a << " on " << b;
}

TEST(Picture, HostileNamesStayInTheirPlace) {
  Answer answer = answer_of_size(4);
  answer.names = {"<script>", "a\nb\tc",
                  "Gr\xC3\xB6\xC3\x9F"
                  "e (cm) \\",
                  std::string(80, 'x')};
  const Drawn d = drawn(answer);
  const std::string svg = picture_svg(d.picture);
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), svg.npos);
  EXPECT_NE(svg.find("a b c"), svg.npos);
  EXPECT_EQ(svg.find(std::string(23, 'x')), svg.npos) << "shortened";
  EXPECT_FALSE(picture_pdf(d.picture).empty());
  EXPECT_FALSE(picture_png(d.picture).empty());
  EXPECT_EQ(shortened("caf\xC3\xA9 au lait", 5), "caf\xC3\xA9\xE2\x80\xA6");
}

}  // namespace
}  // namespace spodnet
