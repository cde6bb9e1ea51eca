import { createCssVariablesTheme, createHighlighterCoreSync } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import javascript from "shiki/langs/javascript.mjs";
import json from "shiki/langs/json.mjs";
import python from "shiki/langs/python.mjs";
import typescript from "shiki/langs/typescript.mjs";

export interface Token {
  text: string;
  /** Suffix of a CSS class in globals.css; null for plain text. */
  kind: string | null;
}

/** Its variables only name the kinds. The page's Content-Security-Policy allows no inline colours. */
const theme = createCssVariablesTheme({ name: "kinds", variablePrefix: "--" });
const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: [bash, javascript, json, python, typescript],
  engine: createJavaScriptRegexEngine(),
});

const KINDS = new Set(["keyword", "string", "string-expression", "comment", "constant", "function"]);

/** Runs in the build. @param lang a language above or its short name @throws {Error} for a different one */
export function tokenize(code: string, lang: string): Token[] {
  // Lift the default limit of 500 ms a line. It would leave code uncoloured on a busy build machine.
  const lines = highlighter.codeToTokensBase(code, { lang, theme: "kinds", tokenizeTimeLimit: 0 });
  const tokens: Token[] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0) appendToken(tokens, { text: "\n", kind: null });
    for (const { content, color } of line) {
      const kind = /^var\(--token-([\w-]+)\)$/.exec(color ?? "")?.[1];
      appendToken(tokens, {
        text: content,
        kind: kind && KINDS.has(kind) ? kind.replace("string-expression", "string") : null,
      });
    }
  }
  return tokens;
}

/** Joins tokens of one kind, because each costs an element. White space joins any token. */
function appendToken(tokens: Token[], token: Token): void {
  const lastToken = tokens.at(-1);
  if (lastToken && (lastToken.kind === token.kind || token.text.trim() === "")) lastToken.text += token.text;
  else tokens.push(token);
}
