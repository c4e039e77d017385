// `metrics.jsonl`: one JSON object a line, written whole or not at all, so that
// a run that was killed or found the disk full leaves whole lines.
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
  /// Opens `path`: appends when `append`, after the last whole line, else
  /// starts it, where an existing file is an error (Code Usage) unless
  /// `overwrite`.
  [[nodiscard]] static Expected<MetricsFile> open(const std::string &path,
                                                  bool append, bool overwrite);
  /// Writes a line. One that does not fit leaves nothing of itself.
  [[nodiscard]] Expected<void> write(const std::string &line);

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file; // unbuffered
  std::string path;
};

} // namespace ampc::rt
