// The precision report as one HTML page: tables, and pictures in SVG.
#include "tools/libampc/PrecisionReport.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ampc {

namespace {

/// One binary floating-point format.
struct Format {
  const char *name;
  int exponent, fraction; ///< bits
  int least;              ///< exponent of the smallest subnormal number
  int largest;            ///< exponent of the largest finite number
  const char *maximum;
};

constexpr std::array<Format, 6> kFormats = {{
    {"f32", 8, 23, -149, 127, "3.4028e38"},
    {"tf32", 8, 10, -136, 127, "3.4012e38"},
    {"bf16", 8, 7, -133, 127, "3.3895e38"},
    {"f16", 5, 10, -24, 15, "65504"},
    {"f8E4M3", 4, 3, -9, 8, "448"},
    {"f8E5M2", 5, 2, -16, 15, "57344"},
}};

/// The exponents that the pictures show.
constexpr int kFirst = -60, kLast = 40;

const Format &formatNamed(const std::string &name) {
  auto found = std::find_if(kFormats.begin(), kFormats.end(),
                            [&](const Format &f) { return name == f.name; });
  return found == kFormats.end() ? kFormats[0] : *found;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

constexpr const char *kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Precision report</title>
<style>
body{font:15px/1.45 system-ui,sans-serif;color:#1d2733;background:#fff;margin:2rem auto;max-width:96rem;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .4rem}p{max-width:48rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.2rem .7rem .2rem 0;border-bottom:1px solid #e3e8ee;white-space:nowrap}
th{font-weight:600;color:#52606d}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
code,.t{font:13px ui-monospace,monospace}.bad{color:#b42318;font-weight:600}svg{display:block}
svg text{font:11px ui-monospace,monospace;fill:#52606d}
</style></head><body>
)";

/// The bits of each format, drawn to one scale, with its range and precision.
std::string formatTable() {
  std::string rows;
  for (const Format &f : kFormats) {
    std::string picture;
    int x = 0;
    for (auto [bits, colour] : {std::pair(1, "#98a2b3"),
                                {f.exponent, "#e0912f"},
                                {f.fraction, "#3b7dd8"}})
      for (int i = 0; i < bits; ++i, x += 13)
        picture += fmt::format(
            "<rect x=\"{}\" y=\"1\" width=\"12\" height=\"14\" fill=\"{}\"/>",
            x, colour);
    rows += fmt::format(
        "<tr><td class=\"t\">{}</td><td><svg width=\"418\" height=\"16\" "
        "role=\"img\" aria-label=\"1 sign, {} exponent, {} fraction bits\">{}"
        "</svg></td><td class=\"n\">1+{}+{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">2^{}</td><td class=\"n\">2^-{}</td></tr>\n",
        f.name, f.exponent, f.fraction, picture, f.exponent, f.fraction,
        f.maximum, f.least, f.fraction + 1);
  }
  return "<div class=\"wide\"><table><tr><th>Format</th><th>Sign, exponent, "
         "fraction</th><th class=\"n\">Bits</th><th "
         "class=\"n\">Largest</th><th "
         "class=\"n\">Smallest above 0</th><th "
         "class=\"n\">Rounding</th></tr>\n" +
         rows + "</table></div>\n";
}

/// Shares of elements by exponent; the range of `format` has a blue ground.
std::string histogramPicture(const ExponentHistogram &histogram,
                             const Format &format) {
  constexpr int kBar = 3, kHeight = 30;
  uint64_t most = 1;
  for (auto [exponent, count] : histogram.counts)
    most = std::max(most, count);
  int width = (kLast - kFirst + 1) * kBar;
  auto xOf = [](int exponent) {
    return (std::clamp(exponent, kFirst, kLast) - kFirst) * kBar;
  };
  std::string bars;
  for (auto [exponent, count] : histogram.counts) {
    bool inside = exponent >= format.least && exponent <= format.largest;
    double height =
        std::max(1.0, double(kHeight - 2) * double(count) / double(most));
    bars += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" "
                        "height=\"{:.1f}\" fill=\"{}\"><title>2^{}: {} "
                        "elements</title></rect>",
                        xOf(exponent), kHeight - height, kBar - 1, height,
                        inside ? "#3b7dd8" : "#d92d20", exponent, count);
  }
  int from = xOf(format.least), to = xOf(format.largest) + kBar;
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"elements by "
      "exponent\"><rect width=\"{0}\" height=\"{1}\" fill=\"#f7e3e1\"/><rect "
      "x=\"{2}\" width=\"{3}\" height=\"{1}\" fill=\"#eef3f9\"/><rect "
      "x=\"{4}\" width=\"1\" height=\"{1}\" fill=\"#98a2b3\"/>{5}</svg>",
      width, kHeight, from, to - from, xOf(0), bars);
}

std::string shareText(double share) {
  if (share == 0)
    return "0";
  std::string text =
      share < 0.0001 ? "&lt; 0.01 %" : fmt::format("{:.2f} %", share * 100);
  return share >= 0.01 ? "<span class=\"bad\">" + text + "</span>" : text;
}

std::string errorText(const std::optional<double> &error) {
  if (!error)
    return "";
  return std::isfinite(*error) ? fmt::format("{:.2e}", *error)
                               : "<span class=\"bad\">not finite</span>";
}

/// `block.0.qkv`, or `embedding.weight (cast)` where the name does not tell the
/// op.
std::string labelOf(const ReportedValue &value) {
  size_t dot = value.path.rfind('.');
  std::string_view last(value.path);
  if (dot != std::string::npos)
    last.remove_prefix(dot + 1);
  if (last.starts_with(value.op) || value.op == "read" || value.op == "input" ||
      value.op == "gradient")
    return value.path;
  return value.path.empty() ? value.op
                            : fmt::format("{} ({})", value.path, value.op);
}

std::string row(const ReportedValue &value, const Format &format) {
  const ExponentHistogram &h = value.histogram;
  double zeros = h.elements ? double(h.zeros) / double(h.elements) : 0;
  return fmt::format(
      "<tr><td>{}</td><td class=\"t\">{}</td><td class=\"t\">{}</td><td>{}</td>"
      "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f} "
      "%</td><td class=\"n\">{}</td></tr>\n",
      escaped(labelOf(value)), escaped(value.type), escaped(value.where),
      histogramPicture(h, format), shareText(h.below(0x1p-24)),
      shareText(h.from(0x1p16)), zeros * 100, errorText(value.error));
}

/// The values that `wanted` holds of, under a heading.
template <class Wanted>
std::string section(const PrecisionReport &report, const char *title,
                    const char *text, Wanted wanted) {
  const Format &format = formatNamed(report.precision);
  std::string rows;
  for (const ReportedValue &value : report.values)
    if (wanted(value))
      rows += row(value, format);
  if (rows.empty())
    return "";
  return fmt::format(
      "<h2>{}</h2>\n<p>{}</p>\n<div class=\"wide\"><table><tr><th>Value</th>"
      "<th>Type</th><th>Place</th><th>Elements by exponent, 2^{} to 2^{}</th>"
      "<th class=\"n\">Below 2^-24</th><th class=\"n\">From 2^16</th><th "
      "class=\"n\">Zeros</th><th class=\"n\">Relative error</th></tr>\n{}"
      "</table></div>\n",
      title, text, kFirst, kLast, rows);
}

} // namespace

std::string to_html(const PrecisionReport &report) {
  std::string scale =
      report.scale ? fmt::format(" The loss scale is {}.", *report.scale) : "";
  std::string page = kHead;
  page += fmt::format(
      "<h1>{}: step {} in {}</h1>\n<p>Loss {:.7g}; the same step in f32 from "
      "the same weights: {:.7g}.{} Histograms count the elements of the f32 "
      "step{}: what the format is asked to hold. Blue is inside the range of "
      "{}, red outside; the grey line is 1. 2^-24 is the smallest f16 number "
      "above 0, 2^16 lies just above the largest. The relative error is "
      "|value - f32 value| / |f32 value| over all elements; a cast has none, "
      "since the f32 step has no such value, and shows its own.</p>\n",
      escaped(report.model), report.window, escaped(report.precision),
      report.loss, report.f32_loss, scale,
      report.scale ? ", gradients times the scale" : "",
      escaped(formatNamed(report.precision).name));
  auto isGradient = [](const ReportedValue &v) { return v.op == "gradient"; };
  auto isGiven = [](const ReportedValue &v) {
    return v.op == "input" || v.op == "read";
  };
  page += section(report, "Activations",
                  "What one call of the model hands to another.",
                  [&](const ReportedValue &v) {
                    return !v.backward && !isGradient(v) && !isGiven(v);
                  });
  page += section(
      report, "Gradients of activations",
      "What the backward pass hands from call to call.",
      [&](const ReportedValue &v) { return v.backward && !isGradient(v); });
  page += section(report, "Gradients of parameters",
                  "As the finite test sees them; in a window, before they are "
                  "added up.",
                  isGradient);
  page += section(report, "Inputs and parameters", "As the step reads them.",
                  isGiven);
  page += "<h2>Formats</h2>\n" + formatTable();
  return page + "</body></html>\n";
}

} // namespace ampc
