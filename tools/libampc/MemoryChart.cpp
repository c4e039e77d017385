// The memory over a step as pictures: characters for a terminal, SVG for a
// file; see MemoryVerdict.h.
#include "tools/libampc/MemoryVerdict.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ampc {

namespace {

/// What one column or stretch of the curve shows.
struct Column {
  uint64_t base = 0, gradients = 0, activations = 0;
  uint64_t total() const { return base + gradients + activations; }
};

/// The highest point of those that column `index` of `count` stands for.
Column columnOf(const MemoryPlan &plan, size_t index, size_t count) {
  size_t points = plan.curve.size();
  size_t begin = index * points / count;
  size_t end = std::max(begin + 1, (index + 1) * points / count);
  Column highest;
  for (size_t i = begin; i < std::min(end, points); ++i) {
    const MemoryPoint &point = plan.curve[i];
    Column here{plan.base_bytes(), point.gradients, point.activations};
    if (here.total() >= highest.total())
      highest = here;
  }
  return highest;
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

} // namespace

std::string to_chart(const MemoryPlan &plan, bool unicode) {
  constexpr size_t kColumns = 64, kRows = 10;
  if (plan.curve.empty())
    return "";
  std::array<const char *, 3> marks =
      unicode ? std::array{"░", "▒", "█"} : std::array{":", "=", "#"};
  std::array<Column, kColumns> columns;
  uint64_t most = 1;
  for (size_t i = 0; i < kColumns; ++i) {
    columns[i] = columnOf(plan, i, kColumns);
    most = std::max(most, columns[i].total());
  }
  std::string text =
      fmt::format("memory over {}: {} variables and "
                  "buffers, {} gradients, {} activations\n",
                  plan.spans.size() > 1 ? "a window" : plan.entry, marks[0],
                  marks[1], marks[2]);
  // A cell is drawn where the middle of its bytes is in use.
  for (size_t row = kRows; row-- > 0;) {
    text += fmt::format("{:>11} |", row + 1 == kRows ? size_text(most)
                                    : row == 0       ? "0 B"
                                                     : "");
    uint64_t middle = uint64_t((double(row) + 0.5) / kRows * double(most));
    std::string line;
    size_t end = 0; // behind the last cell drawn
    for (const Column &column : columns) {
      const char *mark = middle < column.base                      ? marks[0]
                         : middle < column.base + column.gradients ? marks[1]
                         : middle < column.total()                 ? marks[2]
                                                                   : " ";
      line += mark;
      if (*mark != ' ')
        end = line.size();
    }
    text += line.substr(0, end) + "\n";
  }
  size_t points = plan.curve.size();
  std::string axis(kColumns, '-');
  for (const MemorySpan &span : plan.spans)
    axis[span.first * kColumns / points] = '+';
  size_t at = std::min(plan.peak * kColumns / points, kColumns - 1);
  text += std::string(12, ' ') + "+" + axis + "\n" + std::string(13 + at, ' ') +
          "^\n";
  std::string spans;
  for (const MemorySpan &span : plan.spans)
    spans += (spans.empty() ? "" : ", ") + span.entry + " from op " +
             std::to_string(span.first);
  const std::string &source = plan.curve[plan.peak].source;
  return text + fmt::format("{:>13}{} to {}; peak at op {}{}{}\n", "", spans,
                            points - 1, plan.peak, source.empty() ? "" : ", ",
                            source);
}

std::string to_svg(const MemoryPlan &plan) {
  constexpr double kWidth = 960, kHeight = 440, kLeft = 90, kRight = 190,
                   kTop = 56, kBottom = 74;
  constexpr double kPlotWidth = kWidth - kLeft - kRight,
                   kPlotHeight = kHeight - kTop - kBottom;
  struct Band {
    const char *label, *colour;
    uint64_t flat; ///< bytes at every point
    uint64_t MemoryPoint::*curve = nullptr;
  };
  std::vector<Band> bands;
  auto addFlat = [&](MemoryUse use, const char *colour) {
    uint64_t bytes = plan.categories[use];
    if (use == MemoryUse::Gradients && !plan.curve.empty())
      bytes -= plan.curve[plan.peak].gradients; // sums over micro-batches
    const char *label =
        use == MemoryUse::Gradients ? "sums of gradients" : name_of(use).data();
    if (bytes)
      bands.push_back({label, colour, bytes});
  };
  addFlat(MemoryUse::Parameters, "#344054");
  addFlat(MemoryUse::Masters, "#475467");
  addFlat(MemoryUse::Copies16, "#667085");
  addFlat(MemoryUse::Optimizer, "#98a2b3");
  addFlat(MemoryUse::Gradients, "#b54708");
  addFlat(MemoryUse::State, "#d0d5dd");
  addFlat(MemoryUse::Io, "#7a9e7e");
  addFlat(MemoryUse::Workspaces, "#b7d3ba");
  // Behind them what comes and goes.
  bands.push_back({"gradients", "#e0912f", 0, &MemoryPoint::gradients});
  bands.push_back({"activations", "#3b7dd8", 0, &MemoryPoint::activations});

  size_t points = plan.curve.size();
  uint64_t most = 1;
  for (size_t i = 0; i < points; ++i)
    most = std::max(most, plan.bytes_at(i));
  auto xOf = [&](size_t point) {
    return kLeft +
           kPlotWidth * double(point) / double(std::max<size_t>(points, 1));
  };
  auto yOf = [&](uint64_t bytes) {
    return kTop + kPlotHeight * (1 - double(bytes) / double(most));
  };

  std::string title =
      fmt::format("{}: {} at the peak, precision {}", escaped(plan.model),
                  size_text(plan.planned_peak_bytes), escaped(plan.precision));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\" font-family=\"system-ui, "
      "sans-serif\" font-size=\"12\" fill=\"#52606d\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n<text x=\"{3}\" "
      "y=\"26\" font-size=\"15\" fill=\"#1d2733\">{2}</text>\n",
      kWidth, kHeight, title, kLeft);
  for (int tick = 0; tick <= 4; ++tick) {
    uint64_t bytes = most / 4 * uint64_t(tick);
    svg +=
        fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
                    "stroke=\"#e3e8ee\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                    "text-anchor=\"end\">{5}</text>\n",
                    kLeft, kLeft + kPlotWidth, yOf(bytes), kLeft - 8,
                    yOf(bytes) + 4, size_text(bytes));
  }
  // Each band as an area on those below it; a stair where its height changes.
  std::vector<uint64_t> below(points);
  double legend = kTop + 8;
  for (const Band &band : bands) {
    std::string top, bottom;
    for (size_t i = 0, next = 0; i < points; i = next) {
      auto above = [&](size_t point) {
        return below[point] +
               (band.curve ? plan.curve[point].*band.curve : band.flat);
      };
      for (next = i + 1;
           next < points && below[next] == below[i] && above(next) == above(i);)
        ++next;
      top += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", xOf(i), yOf(above(i)),
                         xOf(next), yOf(above(i)));
      bottom = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", xOf(next),
                           yOf(below[i]), xOf(i), yOf(below[i])) +
               bottom;
    }
    for (size_t i = 0; i < points; ++i)
      below[i] += band.curve ? plan.curve[i].*band.curve : band.flat;
    svg += fmt::format("<polygon fill=\"{}\" points=\"{}{}\"><title>{}</title>"
                       "</polygon>\n",
                       band.colour, top, bottom, band.label);
    double x = kLeft + kPlotWidth + 16;
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>"
        "<text x=\"{}\" y=\"{}\">{}{}</text>\n",
        x, legend, band.colour, x + 18, legend + 10, band.label,
        band.curve ? "" : ", " + size_text(band.flat));
    legend += 20;
  }
  // The names of entries stand below each other where they are short.
  double free = 0, row = 0;
  for (const MemorySpan &span : plan.spans) {
    row = xOf(span.first) < free ? row + 1 : 0;
    free = xOf(span.first) + 8.0 * double(span.entry.size());
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" "
                       "y2=\"{2}\" stroke=\"#98a2b3\"/><text x=\"{3:.1f}\" "
                       "y=\"{4}\">{5}</text>\n",
                       xOf(span.first), kTop, kTop + kPlotHeight + 6,
                       xOf(span.first) + 4, kTop + kPlotHeight + 16 + 14 * row,
                       escaped(span.entry));
  }
  if (!plan.curve.empty()) {
    double x = (xOf(plan.peak) + xOf(plan.peak + 1)) / 2;
    const std::string &source = plan.curve[plan.peak].source;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" "
        "stroke=\"#d92d20\" stroke-dasharray=\"3 3\"/><text x=\"{0:.1f}\" "
        "y=\"{3}\" text-anchor=\"middle\" fill=\"#d92d20\">peak: op {4}{5}{6}"
        "</text>\n",
        x, kTop - 4, kTop + kPlotHeight, kTop - 8, plan.peak,
        source.empty() ? "" : ", ", escaped(source));
  }
  return svg +
         fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ops in "
                     "the order they run, 0 to {}</text>\n<text x=\"20\" "
                     "y=\"{}\" text-anchor=\"middle\" transform=\"rotate(-90 "
                     "20 {})\">bytes in use</text>\n</svg>\n",
                     kLeft + kPlotWidth / 2, kHeight - 14,
                     std::max<size_t>(points, 1) - 1, kTop + kPlotHeight / 2,
                     kTop + kPlotHeight / 2);
}

} // namespace ampc
