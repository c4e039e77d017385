// Metrics lines.
#include "runtime/train/Metrics.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace ampc::rt {

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json_number(float value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 32)
      out += fmt::format("\\u{:04x}", int(c));
    else
      out += c;
  }
  return out + '"';
}

std::string step_line(const TrainRow &row) {
  const StepResult &result = row.result;
  std::string line =
      fmt::format("{{\"step\":{},\"loss\":{},\"lr\":{},\"samples_per_s\":{}",
                  result.iteration, json_number(result.loss),
                  json_number(result.lr), json_number(row.samples_per_second));
  if (result.scale)
    line += fmt::format(",\"scale\":{}", json_number(*result.scale));
  if (result.scale || row.skipped)
    line += fmt::format(",\"skipped\":{}", row.skipped);
  if (result.grad_norm)
    line += fmt::format(",\"grad_norm\":{}", json_number(*result.grad_norm));
  for (size_t i = 0; i < result.extras.size(); ++i)
    line += fmt::format(",{}:{}", json_string(row.extra_names[i]),
                        json_number(result.extras[i]));
  return line + '}';
}

std::string summary_line(const TrainSummary &summary, double compile_seconds) {
  return fmt::format(
      "{{\"summary\":true,\"steps\":{},\"loss\":{},\"wall_s\":{},\"compile_s\":"
      "{},"
      "\"peak_bytes\":{},\"planned_peak_bytes\":{},\"checkpoint\":{}}}",
      summary.steps, summary.trained ? json_number(summary.loss) : "null",
      json_number(summary.wall_seconds), json_number(compile_seconds),
      summary.memory.peak_bytes, summary.memory.planned_peak_bytes,
      summary.checkpoint.empty() ? "null" : json_string(summary.checkpoint));
}

std::string validation_line(uint64_t step, const EvalResult &result) {
  std::string line =
      fmt::format("{{\"step\":{},\"split\":\"validation\",\"loss\":{}", step,
                  json_number(result.loss));
  for (auto &[name, value] : result.values)
    if (name != "loss")
      line += fmt::format(",{}:{}", json_string(name), json_number(value));
  return line + '}';
}

Expected<MetricsFile> MetricsFile::open(const std::string &path, bool append,
                                        bool overwrite) {
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
  flags |= append ? O_APPEND : overwrite ? O_TRUNC : O_EXCL;
  int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == EEXIST)
    return fail(Code::Usage, path,
                "the file exists; give --force to replace it");
  MetricsFile result;
  if (fd >= 0)
    result.file.reset(::fdopen(fd, append ? "a" : "w"));
  if (!result.file)
    return fail(Code::Environment, path,
                fmt::format("cannot open the file: {}", std::strerror(errno)));
  result.path = path;
  return result;
}

Expected<void> MetricsFile::write(const std::string &line) {
  if (std::fputs(line.c_str(), file.get()) < 0 ||
      std::fputc('\n', file.get()) < 0 || std::fflush(file.get()) != 0)
    return fail(Code::Environment, path,
                fmt::format("cannot write the file: {}", std::strerror(errno)));
  return {};
}

} // namespace ampc::rt
