// Metrics lines.
#include "runtime/train/Metrics.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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

/// Cuts off what stands after the last whole line where it is the beginning of
/// a row: what a write began and did not end.
static void cutTornRow(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return;
  // A row is far shorter than what is looked through.
  off_t begin = std::max<off_t>(0, status.st_size - (off_t(1) << 20));
  std::string tail(size_t(status.st_size - begin), '\0');
  if (::pread(fd, tail.data(), tail.size(), begin) != ssize_t(tail.size()))
    return;
  size_t newline = tail.rfind('\n');
  size_t row = newline == std::string::npos ? 0 : newline + 1;
  if ((row > 0 || begin == 0) && row < tail.size() && tail[row] == '{')
      [[maybe_unused]]
    int result = ::ftruncate(fd, begin + off_t(row));
}

Expected<MetricsFile> MetricsFile::open(const std::string &path, bool append,
                                        bool overwrite) {
  int flags = O_RDWR | O_CREAT | O_CLOEXEC;
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
  // What is left of a line in a buffer would be written when the file closes.
  std::setvbuf(result.file.get(), nullptr, _IONBF, 0);
  if (append)
    cutTornRow(fd);
  result.path = path;
  return result;
}

Expected<void> MetricsFile::write(const std::string &line) {
  std::string row = line + '\n';
  if (std::fwrite(row.data(), 1, row.size(), file.get()) != row.size()) {
    int cause = errno;
    cutTornRow(::fileno(file.get()));
    return fail(Code::Environment, path,
                fmt::format("cannot write the file: {}", std::strerror(cause)));
  }
  return {};
}

} // namespace ampc::rt
