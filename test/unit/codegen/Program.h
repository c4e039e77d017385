// A placed module of one entry, compiled to a plan, loaded and run by an
// executor made for tests: tiles one by one, in either order, with guard bytes
// around every buffer.
#ifndef AMPC_TEST_UNIT_CODEGEN_PROGRAM_H
#define AMPC_TEST_UNIT_CODEGEN_PROGRAM_H

#include "runtime/plan/PlanFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace ampc::test {

/// Ends the test program: there is nothing to go on with.
[[noreturn]] void die(const std::string &message);

/// A context with the dialects of placed modules.
mlir::MLIRContext &context();

/// Parses `text`; a failure to parse ends the test with what was wrong.
mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

/// Levels of vectors that this machine can run, the others named as skipped on
/// stdout; in the tests of CUDA kernels the device's.
std::vector<std::string> levelsHere();

/// The level that has the vectors of the widest of these and a matrix unit,
/// which products alone use; whether this machine can run it.
inline constexpr const char *kUnitLevel = "amx";
bool hasMatrixUnit();

/// Text of a module whose entry `infer` is one group: `inputs` and `results`
/// are element-and-shape lists (`256x4xf32`), arguments %a0, %a1, ... inside
/// the body.
std::string groupModule(const std::string &kind, const std::string &space,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &results,
                        const std::string &body);

/// Bytes of a vector of numbers and back.
template <class T>
std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> valuesOf(const std::vector<uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// A compiled module.
class Program {
public:
  /// Compiles for `level`; a failure ends the test.
  Program(mlir::ModuleOp module, const std::string &level);
  Program(const std::string &text, const std::string &level);
  ~Program();
  Program(const Program &) = delete;

  const rt::fb::Plan &plan() const { return file->plan(); }
  /// Runs entry `name` and returns its outputs. `backwards`: tiles in
  /// descending order.
  std::vector<std::vector<uint8_t>>
  run(const std::string &name, const std::vector<std::vector<uint8_t>> &inputs,
      bool backwards = false);
  /// Runs tiles [begin, end) of one launch of the plan on pointers of the
  /// caller's.
  void runTiles(const rt::fb::Launch &launch,
                const std::vector<const void *> &arguments, int64_t begin,
                int64_t end);
  /// Bytes of a variable, to set and to read.
  std::vector<uint8_t> &variable(const std::string &name) {
    return variables[name];
  }

private:
  void compile(mlir::ModuleOp module, const std::string &level);

  std::optional<rt::PlanFile> file;
  void *library = nullptr;
  std::map<std::string, std::vector<uint8_t>> variables;
};

/// Inputs of one entry `infer` -> its outputs, forwards and backwards (which
/// must agree).
std::vector<std::vector<uint8_t>>
runGroup(const std::string &text, const std::string &level,
         const std::vector<std::vector<uint8_t>> &inputs);

} // namespace ampc::test

#endif // AMPC_TEST_UNIT_CODEGEN_PROGRAM_H
