// Collects what a context reports; see Capture.h.
#include "tools/libampc/Capture.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ampc {

DiagnosticCapture::DiagnosticCapture(
    MLIRContext &context, std::string fileName, StringRef text,
    std::function<void(std::string_view)> remarks,
    std::function<void(std::string_view)> warnings)
    : fileName(std::move(fileName)), text(text), remark(std::move(remarks)),
      warn(std::move(warnings)),
      handler(&context, [this](Diagnostic &diagnostic) {
        switch (diagnostic.getSeverity()) {
        case DiagnosticSeverity::Error:
          errors += render(diagnostic, "error");
          break;
        case DiagnosticSeverity::Remark:
          if (remark)
            remark(render(diagnostic, "remark"));
          break;
        case DiagnosticSeverity::Warning:
          if (warn)
            warn(render(diagnostic, "warning"));
          break;
        case DiagnosticSeverity::Note:
          break; // notes hang on the others
        }
        return success();
      }) {}

rt::Error DiagnosticCapture::error(StringRef fallback) const {
  if (errors.empty())
    return {rt::Code::BadInput, fallback.str(), fileName};
  return {rt::Code::BadInput, StringRef(errors).rtrim('\n').str(), ""};
}

/// The first place in a file that `loc` names.
static FileLineColLoc placeOf(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

/// Line `number` (from 1) of `text`, empty when there is none.
static StringRef lineOf(StringRef text, unsigned number) {
  for (; number > 1 && !text.empty(); --number)
    text = text.split('\n').second;
  return text.split('\n').first.rtrim('\r');
}

std::string DiagnosticCapture::render(Diagnostic &diagnostic,
                                      StringRef kind) const {
  std::string out;
  llvm::raw_string_ostream os(out);
  FileLineColLoc place = placeOf(diagnostic.getLocation());
  if (place)
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  else
    os << fileName << ": ";
  os << kind << ": " << diagnostic.str() << "\n";
  if (place && place.getFilename() == fileName) {
    StringRef line = lineOf(text, place.getLine());
    if (!line.empty() && place.getColumn() > 0)
      os << "  " << line << "\n"
         << std::string(place.getColumn() + 1, ' ') << "^\n";
  }
  for (Diagnostic &note : diagnostic.getNotes())
    os << render(note, "note");
  return out;
}

} // namespace ampc
