// `metrics.jsonl`: one JSON object a line, flushed as it is written, so that a
// killed run leaves whole lines.
#pragma once

#include "runtime/train/Trainer.h"

#include <cstdio>
#include <memory>

namespace ampc::rt {

/// A JSON number; `null` where it is not finite, which JSON cannot say.
AMPC_API std::string json_number(double value);
/// A JSON number with the digits an f32 needs.
AMPC_API std::string json_number(float value);
/// A JSON string with its quotes.
AMPC_API std::string json_string(std::string_view text);

/// A file that lines are appended to.
class MetricsFile {
public:
  /// Opens `path`: appends when `append`, else starts it, where an existing
  /// file is an error (Code Usage) unless `overwrite`.
  [[nodiscard]] static Expected<MetricsFile> open(const std::string &path,
                                                  bool append, bool overwrite);
  /// Writes a line.
  [[nodiscard]] Expected<void> write(const std::string &line);

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file;
  std::string path;
};

} // namespace ampc::rt
