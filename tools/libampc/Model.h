// A model in its first stage: the text of a .amp file, or the IR of a .mlir
// file.
#pragma once

#include "runtime/api/Export.h"
#include "runtime/core/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ampc {

/// What is added to a model's text.
struct ModelOptions {
  /// `--set KEY=VALUE`: dims, consts, `train.KEY`; VALUE is an expression. The
  /// last value of a key wins.
  std::vector<std::pair<std::string, std::string>> sets;
};

/// A model read from text. Move-only; used by one thread at a time.
class AMPC_API Model {
public:
  /// Reads `path`, by its ending: `.amp`, or `.mlir` (any stage, by the
  /// module's attribute amp.stage). Errors carry every diagnostic as
  /// `file:line:col: error: TEXT` with the source line (Code BadInput).
  [[nodiscard]] static rt::Expected<Model>
  load(const std::string &path, const ModelOptions &options = {});

  /// Reads the file alone, not what it says: what works on the model does that,
  /// and gives the errors that `load` gives. A plan that is kept already (see
  /// CompileOptions::cache) then opens without.
  [[nodiscard]] static rt::Expected<Model>
  defer(const std::string &path, const ModelOptions &options = {});

  /// Reads .amp text; `name` stands in messages, and relative data files are
  /// sought in its folder.
  [[nodiscard]] static rt::Expected<Model>
  parse(std::string_view text, const std::string &name,
        const ModelOptions &options = {});

  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;
  ~Model();

  /// The model's name; empty for IR without one, and for a text that does not
  /// hold.
  std::string name() const;
  /// What is decided already: model (nothing), typed, step, fused or placed;
  /// empty for a text that does not hold.
  std::string stage() const;
  /// Where it was read from.
  const std::string &path() const;

  /// What compilation works on; for the library's own use, as is the rest.
  struct Impl;
  struct Source;
  const Source &source() const { return *text; }
  /// Reads what `defer` put off.
  [[nodiscard]] rt::Expected<void> read() const;
  /// Only after `read`, where that was put off.
  Impl &impl() const { return *state; }

private:
  explicit Model(std::unique_ptr<Source> text);
  std::unique_ptr<Source> text;
  mutable std::unique_ptr<Impl> state;
};

} // namespace ampc
