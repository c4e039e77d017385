// Comma-separated numbers: one sample a line, some of its columns for one name.
#pragma once

#include "runtime/data/SampleReader.h"

namespace ampc::rt {

/// Opens `spec.key`'s columns of the file `path`; without a key all of them.
///
/// The first line is a header where one of its fields is no number. Columns are
/// separated by commas: a number (from 0), a name of the header, or FIRST-LAST
/// of either. Fields may stand in double quotes and between blanks; empty lines
/// are passed over. Every line must have as many fields as the first and a
/// number in each chosen column, a whole one for an integer input: the file is
/// read through once when it is opened, and only the places of its lines are
/// kept.
[[nodiscard]] Expected<std::unique_ptr<SampleReader>>
openCsv(const DataSpec &spec, const std::string &path, const Port &port,
        const SampleOptions &options, const SampleContext &context);

} // namespace ampc::rt
