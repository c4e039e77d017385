// What the software NVRTC hands out as a "cubin": this header, then the bytes
// of a shared object. As "PTX" it is the same in hexadecimal digits behind a
// mark.
#pragma once

#include <cstdint>

namespace ampc::hostgpu {

struct ImageHeader {
  char magic[16];
  /// 80 for sm_80.
  uint32_t arch;
  uint32_t reserved;
  uint64_t objectBytes;
};

inline constexpr char kImageMagic[16] = "ampc-host-cubin";
inline constexpr char kPtxMark[] = "// ampc-host-ptx\n";

} // namespace ampc::hostgpu
