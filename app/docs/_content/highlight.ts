import { createCssVariablesTheme, createHighlighterCoreSync } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import javascript from "shiki/langs/javascript.mjs";
import json from "shiki/langs/json.mjs";
import python from "shiki/langs/python.mjs";
import typescript from "shiki/langs/typescript.mjs";

export interface Token {
  text: string;
  /** The CSS class's suffix in globals.css, such as `keyword`; null for plain text. */
  kind: string | null;
}

/** The theme's variables only name each token's kind. The page's Content-Security-Policy allows no inline colours. */
const theme = createCssVariablesTheme({ name: "kinds", variablePrefix: "--" });
const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: [bash, javascript, json, python, typescript],
  engine: createJavaScriptRegexEngine(),
});

const KINDS = new Set(["keyword", "string", "string-expression", "comment", "constant", "function"]);

/**
 * Splits code into coloured tokens. Runs in the build; server only.
 * @param lang a language above or its short name, such as `sh`
 * @throws {Error} for a different language
 */
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

/** Joins a token to the last one of the same kind, because each token costs an element. White space joins any token. */
function appendToken(tokens: Token[], token: Token): void {
  const lastToken = tokens.at(-1);
  if (lastToken && (lastToken.kind === token.kind || token.text.trim() === "")) lastToken.text += token.text;
  else tokens.push(token);
}
