#include "test/hostgpu/compiler/HostCompiler.h"
#include "test/hostgpu/compiler/Kernels.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace ampc::hostgpu;
namespace fs = std::filesystem;

extern char **environ;

namespace {

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool writeFile(const fs::path &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  return bool(file.flush());
}

/// A folder that goes away with its content.
struct TemporaryFolder {
  TemporaryFolder() {
    std::error_code error;
    fs::path base = fs::temp_directory_path(error);
    std::string pattern = (error ? "/tmp" : base) / "ampc-hostgpu-XXXXXX";
    if (mkdtemp(pattern.data()))
      path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  fs::path path;
};

/// The text with the entries the driver calls behind it.
std::string withEntries(const std::string &text, const std::string &name) {
  std::string result = "#line 1 \"" + name + "\"\n" + text +
                       "\n#line 1 \"entries\"\nAMPC_HOST_MODULE(";
  const char *separator = "";
  for (const KernelName &kernel : findKernels(text)) {
    result += separator + ("AMPC_HOST_KERNEL(" + kernel.name + ", (" +
                           kernel.maxThreads + "))");
    separator = ", ";
  }
  return result + ")\n";
}

std::vector<std::string> commandLine(const std::string &text,
                                     const CompileOptions &options) {
  const char *compiler = std::getenv("AMPC_HOSTGPU_COMPILER");
  std::vector<std::string> command = {
      compiler && *compiler ? compiler : AMPC_HOSTGPU_COMPILER_PATH,
      "-std=" + options.standard, "-O1", "-g0", "-w", "-shared", "-fPIC",
      "-march=x86-64-v3",
      options.contract ? "-ffp-contract=fast" : "-ffp-contract=off",
      "-fno-fast-math", "-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing",
      "-fvisibility=hidden",
      // The hardware refuses what is not aligned to its type.
      "-fsanitize=alignment", "-fsanitize-trap=alignment", "-nostdinc",
      "-nostdlib", "-fuse-ld=lld", "-Wl,--threads=1", "-fno-color-diagnostics",
      "-fno-caret-diagnostics", "-fno-show-column", "-fdiagnostics-format=msvc",
      "-include", AMPC_HOSTGPU_DEFINITION};
  const char *given = std::getenv("AMPC_HOSTGPU_CHECK");
  std::string check = given ? given : "";
  if (check == "full" || (usesSharedMemory(text) && check != "off"))
    command.insert(command.end(),
                   {"-DAMPC_HOST_INSTRUMENTED", "-fsanitize=thread", "-mllvm",
                    "-tsan-instrument-func-entry-exit=0", "-mllvm",
                    "-tsan-instrument-atomics=0"});
  return command;
}

/// Runs `command` with its messages in the file `log`; its exit status.
int run(const std::vector<std::string> &command, const fs::path &log) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  int failed = posix_spawnp(&child, arguments[0], &files, nullptr,
                            arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 128-bit FNV-1a in hexadecimal digits.
class Key {
public:
  void add(const std::string &bytes) {
    for (char byte : bytes + '\0')
      hash = (hash ^ (unsigned char)byte) * kPrime;
  }
  std::string text() const {
    char digits[33];
    std::snprintf(digits, sizeof(digits), "%016llx%016llx",
                  (unsigned long long)(hash >> 64), (unsigned long long)hash);
    return digits;
  }
  uint64_t number() const { return uint64_t(hash); }

private:
  using Word = unsigned __int128;
  static constexpr Word kPrime = (Word(1) << 88) + 0x13b;
  Word hash = (Word(0x6c62272e07bb0142) << 64) + 0x62b821756295c58d;
};

/// The headers that stand before every text.
void addDefinition(Key &key) {
  fs::path definition = AMPC_HOSTGPU_DEFINITION;
  key.add(readFile(definition));
  key.add(readFile(definition.parent_path() / "HostApi.h"));
}

/// Where the object of this text stands, or would; empty without a cache.
fs::path cachePath(const std::string &source,
                   const std::vector<std::string> &command) {
  const char *folder = std::getenv("AMPC_HOSTGPU_CACHE");
  if (!folder || !*folder)
    return {};
  Key key;
  key.add(source);
  for (const std::string &word : command)
    key.add(word);
  addDefinition(key);
  return fs::path(folder) / (key.text() + ".so");
}

/// The object's bytes are complete or absent, whoever else writes.
void keep(const fs::path &path, const std::string &object) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::string partial = path.string() + ".XXXXXX";
  int file = mkstemp(partial.data());
  if (file < 0)
    return;
  close(file);
  if (writeFile(partial, object))
    fs::rename(partial, path, ignored);
  else
    fs::remove(partial, ignored);
}

/// The compiler's messages, with the sum NVRTC ends with.
std::string logOf(const std::string &messages, const std::string &name) {
  std::istringstream lines(messages);
  std::string log, line;
  int errors = 0;
  while (std::getline(lines, line)) {
    if (line.find("): error") == std::string::npos &&
        line.find("): fatal error") == std::string::npos &&
        line.find("): note") == std::string::npos &&
        line.find("error: ") == std::string::npos)
      continue;
    errors += line.find("error: ") != std::string::npos;
    // The host compiler sets a blank before the colon.
    size_t blank = line.find(") : ");
    if (blank != std::string::npos)
      line.erase(blank + 1, 1);
    log += line + "\n\n";
  }
  if (!errors)
    return log + messages;
  return log + std::to_string(errors) + (errors == 1 ? " error" : " errors") +
         " detected in the compilation of \"" + name + "\".\n";
}

} // namespace

int ampc::hostgpu::compilerVersion() {
  Key key;
  for (const char *text : {"", "AMPC_SHARED"})
    for (const std::string &word : commandLine(text, {}))
      key.add(word);
  addDefinition(key);
  return int(key.number() % 9000) + 1000;
}

Compiled ampc::hostgpu::compileForHost(const std::string &text,
                                       const std::string &name,
                                       const CompileOptions &options) {
  Compiled compiled;
  std::string source = withEntries(text, name);
  std::vector<std::string> command = commandLine(text, options);
  fs::path cached = cachePath(source, command);
  if (!cached.empty()) {
    compiled.object = readFile(cached);
    compiled.ok = !compiled.object.empty();
    if (compiled.ok)
      return compiled;
  }
  TemporaryFolder folder;
  fs::path input = folder.path / "kernel.cpp",
           output = folder.path / "kernel.so", log = folder.path / "log";
  if (folder.path.empty() || !writeFile(input, source)) {
    compiled.log = "nvrtc: error: no temporary folder can be written\n";
    return compiled;
  }
  command.insert(command.end(), {input.string(), "-o", output.string()});
  int status = run(command, log);
  if (status != 0) {
    compiled.log = logOf(readFile(log), name);
    if (status < 0)
      compiled.log += "nvrtc: error: the host compiler " + command[0] +
                      " could not be run\n";
    return compiled;
  }
  compiled.object = readFile(output);
  compiled.ok = true;
  if (!cached.empty())
    keep(cached, compiled.object);
  return compiled;
}
