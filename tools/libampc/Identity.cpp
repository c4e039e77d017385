// Who compiles, and for which processor; see CompileCache.h.
#include "tools/libampc/CompileCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

#include <array>
#include <cpuid.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

using namespace llvm;

namespace ampc {

/// The linker's build id among the notes at `notes`; empty where there is none.
static std::string buildIdIn(ArrayRef<uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    size_t name = alignTo(note.n_namesz, 4), text = alignTo(note.n_descsz, 4);
    notes = notes.drop_front(sizeof note);
    if (notes.size() < name + text)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data(), "GNU", 4) == 0)
      return toHex(notes.slice(name, note.n_descsz));
    notes = notes.drop_front(name + text);
  }
  return "";
}

namespace {

/// The search through the loaded objects.
struct Search {
  uintptr_t
      own; ///< an address in this library, or in the program it is part of
  std::string ids = {};
  bool isComplete = true;
};

} // namespace

/// Adds the build id of an object whose code compiles or plans.
static int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  StringRef path(info->dlpi_name ? info->dlpi_name : "");
  StringRef name = path.substr(path.rfind('/') + 1);
  bool isWanted =
      any_of(std::array{"libampc", "libLLVM", "libMLIR", "libdnnl"},
             [&](const char *start) { return name.starts_with(start); });
  std::string id;
  for (const auto &segment :
       ArrayRef<ElfW(Phdr)>(info->dlpi_phdr, info->dlpi_phnum)) {
    uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.own >= start &&
        search.own < start + segment.p_memsz)
      isWanted = true;
    if (segment.p_type == PT_NOTE && id.empty())
      id = buildIdIn(
          {reinterpret_cast<const uint8_t *>(start), size_t(segment.p_memsz)});
  }
  if (!isWanted)
    return 0;
  search.isComplete &= !id.empty();
  search.ids += (name + " " + id + "\n").str();
  return 0;
}

std::string programIdentity() {
  static const std::string identity = [] {
    Search search{reinterpret_cast<uintptr_t>(&visit)};
    ::dl_iterate_phdr(visit, &search);
    return search.isComplete ? "LLVM " LLVM_VERSION_STRING "\n" + search.ids
                             : std::string();
  }();
  return identity;
}

std::string processorIdentity() {
  std::string text;
  // Model and stepping, features, features of the second kind.
  for (auto [leaf, part] :
       {std::pair(1u, 0u), std::pair(7u, 0u), std::pair(7u, 1u)}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, part, &a, &b, &c, &d);
    if (leaf == 1) {
      b = 0;            // the number of this core
      c &= ~(1u << 27); // whether the system uses XSAVE
    }
    for (unsigned value : {a, b, c, d})
      text += utohexstr(value) + " ";
  }
  for (int cache :
       {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    text += std::to_string(::sysconf(cache)) + " ";
  return text;
}

} // namespace ampc
