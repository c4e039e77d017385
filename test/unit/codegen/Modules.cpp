// Modules of tests, for any target.
#include "test/unit/codegen/Program.h"

#include "ir/dialect/Dialect.h"

#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <cstdlib>

namespace ampc::test {

void die(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

mlir::MLIRContext &context() {
  static mlir::MLIRContext *shared = [] {
    mlir::DialectRegistry registry;
    registry.insert<amp::AmpDialect, mlir::func::FuncDialect>();
    auto *made = new mlir::MLIRContext(registry);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *shared;
}

mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context());
  if (!module)
    die("cannot parse:\n" + text);
  return module;
}

std::string groupModule(const std::string &kind, const std::string &space,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &results,
                        const std::string &body) {
  std::string arguments, operands, types, inner, outputs, places, names, outer;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "";
    std::string type = "tensor<" + inputs[i] + ">";
    arguments += comma + "%x" + number + ": " + type + " {amp.name = \"x" +
                 number +
                 "\", amp.io = #amp.io<input>, amp.place = #amp.place<input, " +
                 number + ">}";
    operands += comma + "%x" + number;
    types += comma + type;
    inner += comma + "%a" + number + ": " + type;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "";
    std::string type = "tensor<" + results[i] + ">";
    outputs += comma + type + " {amp.name = \"y" + number +
               "\", amp.io = #amp.io<output>}";
    outer += comma + type;
    places += comma + "#amp.place<output, " + number + ">";
    names += comma + "%r#" + number;
  }
  return "module attributes {amp.stage = #amp.stage<placed>} {\n  func.func "
         "@infer(" +
         arguments + ") -> (" + outputs +
         ") attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : "
         "i64} {\n    %r:" +
         std::to_string(results.size()) + " = amp.group " + kind + " [" +
         space + "] (" + operands + ") {amp.place = [" + places + "]} : (" +
         types + ") -> (" + outer + ") {\n    ^bb0(" + inner + "):\n" + body +
         "\n    }\n    return " + names + " : " + outer + "\n  }\n}\n";
}

} // namespace ampc::test
