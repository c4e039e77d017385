// Reading of plain and compressed files.
#include "runtime/data/InputFile.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zip.h>
#include <zlib.h>

namespace ampc::rt {

namespace {

constexpr size_t kBlock = 1 << 16;

/// A file without a name in the temporary directory; gone when it is closed.
class UnnamedFile {
public:
  explicit UnnamedFile(std::string source) : source(std::move(source)) {}
  UnnamedFile(UnnamedFile &&other) noexcept
      : source(std::move(other.source)), fd(std::exchange(other.fd, -1)) {}
  ~UnnamedFile() {
    if (fd >= 0)
      ::close(fd);
  }

  Expected<void> open() {
    const char *chosen = std::getenv("TMPDIR");
    directory = chosen && *chosen ? chosen : "/tmp";
    std::string name = directory + "/ampc-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0)
      return trouble("cannot create");
    ::unlink(name.c_str());
    return {};
  }

  Expected<void> write(const char *data, size_t bytes) {
    while (bytes) {
      ssize_t written = ::write(fd, data, bytes);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return trouble("cannot write");
      data += written;
      bytes -= size_t(written);
    }
    return {};
  }

  Expected<FileBytes> map() { return FileBytes::mapOpen(fd, source); }

private:
  tl::unexpected<Error> trouble(const char *what) const {
    return fail(Code::Environment, source,
                fmt::format("{} a temporary file in '{}' to inflate it to: {}",
                            what, directory, std::strerror(errno)));
  }

  std::string source, directory;
  int fd = -1;
};

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
struct DiscardZip {
  void operator()(zip_t *archive) const { zip_discard(archive); }
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};

Expected<FileBytes> inflateGz(const std::string &path) {
  // Mapping says in the usual words what is no readable file, and the magic
  // keeps zlib from passing other files through as they are.
  {
    AMPC_ASSIGN(FileBytes raw, FileBytes::map(path));
    std::span<const std::byte> bytes = raw.bytes();
    if (bytes.size() < 2 || bytes[0] != std::byte(0x1f) ||
        bytes[1] != std::byte(0x8b))
      return fail(Code::BadInput, path,
                  fmt::format("not a gzip file: expected it to begin with "
                              "1f 8b (the file has {} bytes)",
                              bytes.size()));
  }
  std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rbe"));
  if (!file)
    return fail(Code::BadInput, path, "cannot open the file");
  gzbuffer(file.get(), kBlock);
  UnnamedFile target(path);
  AMPC_TRY(target.open());
  std::vector<char> block(kBlock);
  for (;;) {
    int got = gzread(file.get(), block.data(), unsigned(block.size()));
    if (got > 0) {
      AMPC_TRY(target.write(block.data(), size_t(got)));
      continue;
    }
    int code = Z_OK;
    const char *text = gzerror(file.get(), &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
      return fail(
          Code::BadInput, path,
          fmt::format("the compressed data is damaged or truncated: {}",
                      code == Z_BUF_ERROR ? "unexpected end of file" : text));
    break;
  }
  return target.map();
}

} // namespace

std::string_view withoutGz(std::string_view path) {
  return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
}

Expected<FileBytes> openInput(const std::string &path) {
  return path.ends_with(".gz") ? inflateGz(path) : FileBytes::map(path);
}

Expected<FileBytes> openZipMember(const std::string &path,
                                  const std::string &name) {
  auto bad = [&](std::string text) {
    return fail(Code::BadInput, path, std::move(text));
  };
  AMPC_ASSIGN(FileBytes bytes, openInput(path));
  zip_error_t error;
  zip_error_init(&error);
  auto text = [&] {
    std::string out = zip_error_strerror(&error);
    zip_error_fini(&error);
    return out;
  };
  zip_source_t *source = zip_source_buffer_create(
      bytes.bytes().data(), bytes.bytes().size(), 0, &error);
  if (!source)
    return bad(fmt::format("not a zip file: {}", text()));
  std::unique_ptr<zip_t, DiscardZip> archive(
      zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (!archive) {
    zip_source_free(source);
    return bad(fmt::format("not a zip file, or damaged: {}", text()));
  }
  zip_int64_t index = zip_name_locate(archive.get(), name.c_str(), 0);
  if (index < 0)
    index = zip_name_locate(archive.get(), (name + ".npy").c_str(), 0);
  if (index < 0) {
    constexpr zip_int64_t kShown = 8;
    std::string names;
    zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < entries && i < kShown; ++i)
      if (const char *entry = zip_get_name(archive.get(), zip_uint64_t(i), 0)) {
        std::string_view shown(entry);
        if (shown.ends_with(".npy"))
          shown.remove_suffix(4);
        names += fmt::format("{}{}", names.empty() ? "" : ", ", shown);
      }
    return bad(fmt::format("no array '{}' in the file; it has {}{}", name,
                           names.empty() ? "none" : names,
                           entries > kShown ? ", ..." : ""));
  }
  std::unique_ptr<zip_file_t, DiscardZip> member(
      zip_fopen_index(archive.get(), zip_uint64_t(index), 0));
  if (!member)
    return bad(fmt::format("cannot read array '{}': {}", name,
                           zip_strerror(archive.get())));
  UnnamedFile target(path);
  AMPC_TRY(target.open());
  std::vector<char> block(kBlock);
  for (;;) {
    zip_int64_t got = zip_fread(member.get(), block.data(), block.size());
    if (got < 0)
      return bad(fmt::format("array '{}' is damaged: {}", name,
                             zip_file_strerror(member.get())));
    if (got == 0)
      break;
    AMPC_TRY(target.write(block.data(), size_t(got)));
  }
  return target.map();
}

} // namespace ampc::rt
