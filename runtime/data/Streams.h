// Data lines as a source of batches. Names of one line form one stream, read
// sample by sample together; streams run beside each other and wrap; an epoch
// ends with the first line's stream.
#pragma once

#include "runtime/data/SampleReader.h"

namespace ampc::rt {

/// One line of a data block: `names = spec`.
struct DataLine {
  std::vector<std::string> names;
  std::string spec; ///< `normal:1`, `npy:FILE`
  bool validation = false;
  SampleOptions options = {};
  std::string where = {}; ///< `file:line:column` of a model's line
};

/// How lines are read.
struct DataOptions {
  std::string
      directory; ///< relative paths start here; empty: the working directory
  bool shuffle =
      true; ///< files: a new order each epoch, a function of seed and epoch
  uint64_t seed = 0;   ///< of the shuffle
  double held_out = 0; ///< share of each file's end that validates, below 1
  DataPart part = DataPart::All; ///< which side of `held_out` is read
  bool wrap = false; ///< fill an epoch's last batch from the next epoch; else
                     ///< its samples are left out
  std::vector<std::string>
      known; ///< inputs of the model, reached or not; others are an error
};

/// Opens `lines` for `ports`; each port needs a line (`no data for input 'x'`),
/// names without a port are skipped.
[[nodiscard]] AMPC_API Expected<std::unique_ptr<DataSource>>
open_data(std::span<const DataLine> lines, std::span<const Port> ports,
          const DataOptions &options);

/// `NAMES=SPEC` of a command line, e.g. `x,y=npy:data.npy`.
[[nodiscard]] AMPC_API Expected<DataLine>
parse_data_line(const std::string &text);

/// Lines of a model with the command line's on top: one that names the same
/// inputs replaces it, and takes its options over.
[[nodiscard]] AMPC_API std::vector<DataLine>
replace_lines(std::vector<DataLine> lines, std::span<const DataLine> instead);

/// Position `index` of the order of `count` samples in `epoch`: a permutation
/// computed by a keyed Feistel network, so that no order is stored.
AMPC_API uint64_t shuffled(uint64_t index, uint64_t count, uint64_t epoch,
                           uint64_t seed);

} // namespace ampc::rt
