// The blocks beside the model: train, data, init, precision. All share one
// grammar; which entries a block takes is checked when it is elaborated.
#include "ir/frontend/model/syntax/Parser.h"

namespace ampc::model {

const SettingsBlock *Parser::parseSettings(Ident name) {
  Loc open = token.loc;
  if (!at(Tok::LBrace)) {
    failExpected("'{'");
    return nullptr;
  }
  if (!enter(open))
    return nullptr;
  advance();
  llvm::SmallVector<Setting, 16> settings;
  while (!at(Tok::RBrace) && !diagnostics.full()) {
    if (accept(Tok::Newline))
      continue;
    if (at(Tok::End)) {
      if (!sawUnfinished)
        failAt(open, "unfinished block opened here");
      sawUnfinished = true;
      break;
    }
    Loc loc = token.loc;
    unsigned depth = nesting;
    Setting setting{};
    setting.loc = loc;
    if (parseSetting(setting) && endStatement()) {
      settings.push_back(setting);
      continue;
    }
    nesting = depth;
    brackets = 0;
    if (token.loc == loc)
      advance();
    skipStatement();
  }
  accept(Tok::RBrace);
  leave();
  return ast.make<SettingsBlock>(name, ast.keep<Setting>(settings));
}

bool Parser::parseSetting(Setting &setting) {
  llvm::SmallVector<Ident, 4> names;
  auto parsePatterns = [&] {
    do {
      if (!at(Tok::String))
        return failExpected("a pattern in quotes");
      names.push_back({token.text, token.loc});
      advance();
    } while (accept(Tok::Comma));
    return true;
  };
  auto parseValue = [&] {
    return expect(Tok::Assign) && (setting.value = parseExpr());
  };

  bool ok;
  if (at(Tok::String)) {
    setting.kind = Setting::Pattern;
    ok = parsePatterns() && parseValue();
  } else {
    Ident first;
    if (!parseName(first, "a setting"))
      return false;
    if (first.text == "group" && at(Tok::String)) {
      setting.kind = Setting::Group;
      ok = parsePatterns() && (setting.body = parseSettings(first));
    } else if (at(Tok::LBrace)) {
      setting.kind = Setting::Nested;
      names.push_back(first);
      ok = (setting.body = parseSettings(first)) != nullptr;
    } else {
      setting.kind = Setting::Assign;
      names.push_back(first);
      ok = !accept(Tok::Comma) || parseNames(names);
      ok = ok && parseValue();
    }
  }
  setting.names = ast.keep<Ident>(names);
  return ok;
}

} // namespace ampc::model
