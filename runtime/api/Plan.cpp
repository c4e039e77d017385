// Plan: the public face of a plan file.
#include "runtime/api/Plan.h"
#include "runtime/plan/PlanFile.h"

#include <algorithm>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

const fb::Entry *findEntry(const PlanFile &file, EntryKind kind) {
  for (const fb::Entry *entry : *file.plan().entries())
    if (entry->name()->string_view() == name_of(kind))
      return entry;
  return nullptr;
}

/// `file:line:column` of source location `number`, empty for -1.
std::string placeOf(const fb::Plan &plan, int number) {
  if (number < 0)
    return "";
  const fb::SourceLoc &loc = *plan.sources()->Get(unsigned(number));
  return fmt::format("{}:{}:{}", loc.file() ? loc.file()->str() : "",
                     loc.line(), loc.column());
}

std::vector<IndexCheck> checksOf(const fb::Plan &plan, const fb::Port &port) {
  std::vector<IndexCheck> checks;
  for (unsigned i = 0; port.checks() && i < port.checks()->size(); ++i) {
    const fb::IndexCheck &source = *port.checks()->Get(i);
    IndexCheck check;
    check.low = source.low();
    check.high = source.high();
    if (source.has_ignore())
      check.ignore = source.ignore();
    check.offset = source.offset();
    if (auto *extents = source.extents())
      check.extents.assign(extents->begin(), extents->end());
    if (auto *strides = source.strides())
      check.strides.assign(strides->begin(), strides->end());
    check.noun = source.noun()->str();
    check.op = source.op()->str();
    check.where = placeOf(plan, source.source());
    checks.push_back(std::move(check));
  }
  return checks;
}

std::optional<Probe> probeOf(const fb::Port &port) {
  const fb::Probe *source = port.probe();
  if (!source)
    return std::nullopt;
  Probe probe{source->op()->str(),
              source->path()->str(),
              DType(source->type()->dtype()),
              {},
              source->backward(),
              {},
              source->infinite()};
  if (auto *shape = source->type()->shape())
    probe.shape.assign(shape->begin(), shape->end());
  if (auto *inputs = source->inputs())
    probe.inputs.assign(inputs->begin(), inputs->end());
  return probe;
}

std::vector<Port>
portsOf(const fb::Plan &plan,
        const flatbuffers::Vector<flatbuffers::Offset<fb::Port>> *list) {
  std::vector<Port> ports;
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const fb::Port &source = *list->Get(i);
    Port port{source.name()->str(),
              PortKind(source.kind()),
              DType(source.type()->dtype()),
              {},
              checksOf(plan, source),
              placeOf(plan, source.source()),
              probeOf(source)};
    if (auto *shape = source.type()->shape())
      port.shape.assign(shape->begin(), shape->end());
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<double> numbersOf(const flatbuffers::Vector<double> *list) {
  return list ? std::vector<double>(list->begin(), list->end())
              : std::vector<double>();
}

} // namespace

Expected<Plan> Plan::load(const std::string &path) {
  AMPC_ASSIGN(PlanFile file, PlanFile::load(path));
  return Plan(std::make_shared<PlanFile>(std::move(file)));
}

Expected<Plan> Plan::from_bytes(std::span<const uint8_t> bytes,
                                const std::string &name) {
  AMPC_ASSIGN(PlanFile file, PlanFile::fromBytes(bytes, name));
  return Plan(std::make_shared<PlanFile>(std::move(file)));
}

Expected<Plan> Plan::from_file(FileBytes bytes, const std::string &name) {
  AMPC_ASSIGN(PlanFile file, PlanFile::fromFile(std::move(bytes), name));
  return Plan(std::make_shared<PlanFile>(std::move(file)));
}

std::string Plan::model_name() const {
  auto *name = source->plan().model_name();
  return name ? name->str() : "";
}

uint64_t Plan::model_hash() const { return source->plan().model_hash(); }

std::string Plan::target_kind() const {
  return source->plan().target_kind()->str();
}

bool Plan::has_entry(EntryKind entry) const {
  return findEntry(*source, entry) ||
         (entry == EntryKind::TrainStep && accumulates());
}

std::vector<Port> Plan::inputs(EntryKind kind) const {
  if (kind == EntryKind::TrainStep && accumulates()) {
    std::vector<Port> ports = inputs(EntryKind::MicroStep);
    for (Port &port : inputs(EntryKind::Window))
      if (std::ranges::find(ports, port.name, &Port::name) == ports.end())
        ports.push_back(std::move(port));
    return ports;
  }
  const fb::Entry *entry = findEntry(*source, kind);
  return entry ? portsOf(source->plan(), entry->inputs()) : std::vector<Port>();
}

/// What an entry gives, its fault last.
static std::vector<Port> allOutputs(const PlanFile &file, EntryKind kind) {
  const fb::Entry *entry = findEntry(file, kind);
  return entry ? portsOf(file.plan(), entry->outputs()) : std::vector<Port>();
}

std::vector<Port> Plan::outputs(EntryKind kind) const {
  if (kind == EntryKind::TrainStep && accumulates()) {
    std::vector<Port> ports = outputs(EntryKind::ApplyStep);
    for (Port &port : outputs(EntryKind::MicroStep)) // its probes
      ports.push_back(std::move(port));
    return ports;
  }
  std::vector<Port> ports = allOutputs(*source, kind);
  if (!ports.empty() && ports.back().kind == PortKind::Fault)
    ports.pop_back();
  return ports;
}

std::optional<Port> Plan::fault(EntryKind kind) const {
  std::vector<Port> ports = allOutputs(*source, kind);
  if (ports.empty() || ports.back().kind != PortKind::Fault)
    return std::nullopt;
  return std::move(ports.back());
}

TrainDefaults Plan::train_defaults() const {
  const fb::TrainDefaults *train = source->plan().train();
  if (!train)
    return {};
  return {train->steps(),          train->seed(),
          train->log_every(),      train->save_every(),
          train->validate_every(), Nonfinite(train->nonfinite()),
          train->max_skipped(),    train->wrap(),
          train->accumulate()};
}

std::vector<DataLine> Plan::data_lines() const {
  std::vector<DataLine> lines;
  if (auto *list = source->plan().data())
    for (const fb::DataLine *item : *list) {
      DataLine line;
      for (unsigned i = 0; item->names() && i < item->names()->size(); ++i)
        line.names.push_back(item->names()->Get(i)->str());
      line.spec = item->spec()->str();
      line.validation = item->validation();
      line.options = {item->scale(), numbersOf(item->mean()),
                      numbersOf(item->std()), item->window(), item->stride()};
      line.where = placeOf(source->plan(), item->source());
      lines.push_back(std::move(line));
    }
  return lines;
}

DataOptions Plan::data_options() const {
  DataOptions options;
  size_t slash = source->name().find_last_of('/');
  if (slash != std::string::npos)
    options.directory = source->name().substr(0, slash ? slash : 1);
  options.shuffle = source->plan().shuffle();
  options.wrap = train_defaults().wrap;
  options.held_out = source->plan().validation();
  options.seed = train_defaults().seed;
  for (EntryKind kind : {EntryKind::TrainStep, EntryKind::EvalStep,
                         EntryKind::Infer, EntryKind::Gradient})
    for (const Port &port : inputs(kind))
      if (std::find(options.known.begin(), options.known.end(), port.name) ==
          options.known.end())
        options.known.push_back(port.name);
  // An entry asks for what it reaches; the model's lines may fill more.
  for (const DataLine &line : data_lines())
    for (const std::string &name : line.names)
      if (std::find(options.known.begin(), options.known.end(), name) ==
          options.known.end())
        options.known.push_back(name);
  return options;
}

} // namespace ampc::rt
