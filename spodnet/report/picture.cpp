#include "spodnet/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "spodnet/report/letters.hpp"
#include "spodnet/report/picture_labels.hpp"
#include "spodnet/report/picture_marks.hpp"

namespace spodnet {
namespace {

// The report's first view (spodnet/report/page): the same sizes, in units of its pixels.
constexpr Colour kPositive = {0x1F, 0x6F, 0xB2}, kNegative = {0xC4, 0x4E, 0x12};
constexpr double kTop = 34, kBottom = 74, kKeyHeight = 40;  // the key stands below
constexpr double kLargestScale = 150;
constexpr std::size_t kNumbered = 60;  // more variables: communities carry their number

/// What a picture shows of an answer.
struct Scene {
  const Answer& answer;
  Points at;  ///< of the variables on the page
  std::vector<double> strength;
  double scale = 1;
  std::size_t edges = 0;  ///< shown, the strongest
};

/// A hairball shows nothing: of very many edges the strongest.
std::size_t edges_shown(const Answer& answer) {
  const auto first =
      std::size_t(std::clamp(std::round(1.5 * double(answer.names.size())), 120.0, 700.0));
  return double(answer.edges.size()) <= 1.25 * double(first) ? answer.edges.size() : first;
}

/// Not stable, or where stability was not asked for, in fewer than four of five resamples.
bool is_faint(const Answer& answer, const AnswerEdge& edge) {
  if (!edge.confidence) return false;
  return answer.stable_q ? !edge.confidence->stable : edge.confidence->share < 0.8;
}

void fit_to_page(const Points& points, const Picture& page, Scene& scene) {
  Point low = points[0], high = points[0];
  for (const Point& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  const double side = points.size() <= kNumbered ? 80 : 36;
  scene.scale =
      std::min({(page.width - 2 * side) / std::max(high.x - low.x, 1e-9),
                (page.height - kTop - kBottom) / std::max(high.y - low.y, 1e-9), kLargestScale});
  const Point middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
  for (const Point& p : points)
    scene.at.push_back({page.width / 2 + scene.scale * (p.x - middle.x),
                        (page.height + kTop - kBottom) / 2 + scene.scale * (p.y - middle.y)});
}

Scene make_scene(const Answer& answer, const Points& points, const Picture& page) {
  Scene scene{.answer = answer, .at = {}, .strength = {}};
  scene.strength.assign(answer.names.size(), 0);
  for (const AnswerEdge& edge : answer.edges)
    for (const std::size_t i : {edge.i, edge.j})
      scene.strength[i] += std::abs(edge.partial_correlation);
  scene.edges = edges_shown(answer);
  fit_to_page(points, page, scene);
  return scene;
}

PictureLine edge_line(const Scene& scene, const AnswerEdge& edge) {
  const double strongest = std::abs(scene.answer.edges[0].partial_correlation);
  const double size = std::abs(edge.partial_correlation) / strongest;
  const double crowd =
      std::clamp(std::sqrt(250 / double(std::max<std::size_t>(scene.edges, 1))), 0.4, 1.0);
  const bool faint = is_faint(scene.answer, edge);
  const bool negative = edge.partial_correlation < 0;
  PictureLine line{.from = scene.at[edge.i], .to = scene.at[edge.j], .colour = kPositive};
  line.width = (faint ? 0.6 + 1.2 * size : 0.9 + 5.5 * size) * crowd;
  line.opacity = faint ? 0.3 : std::round(20 * (0.55 + 0.4 * size)) / 20;
  if (negative) {
    line.colour = kNegative;
    line.dash = 3 + 2 * line.width;
    line.gap = 2 + 1.3 * line.width;
  }
  return line;
}

double mark_radius(const Scene& scene, std::size_t i) {
  const std::size_t p = scene.at.size();
  const double base = p <= 20 ? 11 : p <= 60 ? 9 : p <= 150 ? 6.5 : 4.6;
  const double most = *std::ranges::max_element(scene.strength);
  const double room = std::max(0.33 * scene.scale, 3.0);  // marks are 0.75 apart in the layout
  return std::min(base, room) * (0.78 + 0.4 * std::sqrt(most > 0 ? scene.strength[i] / most : 0));
}

/// In large graphs the number of each community of five and more stands in its middle.
std::vector<PictureText> community_numbers(const Scene& scene) {
  std::vector<PictureText> out;
  const std::vector<std::size_t>& community = scene.answer.community;
  if (scene.at.size() <= kNumbered || !scene.answer.styles.empty()) return out;
  for (std::size_t c = 0; c <= *std::ranges::max_element(community); ++c) {
    double x = 0, y = 0, count = 0;
    for (std::size_t i = 0; i < community.size(); ++i)
      if (community[i] == c) x += scene.at[i].x, y += scene.at[i].y, ++count;
    if (count < 5) continue;
    out.push_back({.at = {x / count, y / count},
                   .words = std::to_string(c + 1),
                   .size = 24,
                   .opacity = 0.85,
                   .align = Align::centre,
                   .bold = true});
  }
  return out;
}

std::vector<PictureText> labels_of(const Scene& scene, const Picture& picture) {
  const std::size_t p = scene.at.size();
  const double size = p <= 20 ? 14 : p <= 60 ? 13 : 11.5;
  std::vector<LabelSpot> spots;
  for (std::size_t i = 0; i < p; ++i)
    spots.push_back({.at = scene.at[i],
                     .r = mark_radius(scene, i),
                     .importance = scene.strength[i],
                     .words = shortened(shown_name(scene.answer, i)),
                     .must = p <= 40});
  std::vector<PictureBox> reserved;
  for (const PictureText& text : picture.texts) {
    const double half = text_width(text.words, text.size) / 2 + 2;
    reserved.push_back(
        {text.at.x - half, text.at.y - text.size / 2, text.at.x + half, text.at.y + text.size / 2});
  }
  return place_labels(spots, size, p > 80 ? std::vector<PictureLine>{} : picture.lines, reserved,
                      {0, 0, picture.width, picture.height - kKeyHeight});
}

/// Below the graph: what the lines mean, the groups, and how many edges are shown.
void draw_key(const Scene& scene, Picture& picture) {
  const double y = picture.height - kKeyHeight / 2;
  double x = 24;
  const auto say = [&](const std::string& words) {
    picture.texts.push_back({.at = {x, y}, .words = words, .size = 13});
    x += text_width(words, 13) + 24;
  };
  for (const auto& [colour, words] : {std::pair(kPositive, "positive"), {kNegative, "negative"}}) {
    const bool dashed = colour == kNegative;
    picture.lines.push_back({.from = {x, y},
                             .to = {x + 30, y},
                             .width = 3,
                             .dash = dashed ? 9.0 : 0,
                             .gap = dashed ? 6.0 : 0,
                             .colour = colour});
    x += 38;
    say(words);
  }
  for (const GroupMark& group : group_marks(scene.answer)) {
    if (x + text_width(group.name, 13) > picture.width - 40) break;
    picture.marks.push_back(mark_at({x + 6, y}, 6, group.look));
    x += 20;
    say(shortened(group.name));
  }
  if (scene.edges < scene.answer.edges.size())
    say(fmt::format("the {} strongest of {} edges", scene.edges, scene.answer.edges.size()));
  else if (scene.answer.resamples > 0)
    say(scene.answer.stable_q ? "faint: not stable" : "faint: in fewer than 80 % of resamples");
}

}  // namespace

std::optional<Colour> colour_from(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + 1, end, value, 16).ptr != end) return std::nullopt;
  return Colour{std::uint8_t(value >> 16), std::uint8_t(value >> 8), std::uint8_t(value)};
}

std::string to_string(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

Picture draw_picture(const Answer& answer, const Points& points) {
  Picture picture;
  const Scene scene = make_scene(answer, points, picture);
  for (std::size_t e = scene.edges; e-- > 0;)  // strong ones on top
    picture.lines.push_back(edge_line(scene, answer.edges[e]));
  for (std::size_t i = 0; i < answer.names.size(); ++i)
    picture.marks.push_back(mark_at(scene.at[i], mark_radius(scene, i), look_of(answer, i)));
  picture.texts = community_numbers(scene);
  for (PictureText& label : labels_of(scene, picture)) picture.texts.push_back(std::move(label));
  draw_key(scene, picture);
  return picture;
}

}  // namespace spodnet
