import { createCssVariablesTheme, createHighlighterCoreSync } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import javascript from "shiki/langs/javascript.mjs";
import json from "shiki/langs/json.mjs";
import python from "shiki/langs/python.mjs";
import typescript from "shiki/langs/typescript.mjs";

export type Language = "bash" | "javascript" | "json" | "python" | "typescript";

export interface Token {
  text: string;
  /** The CSS class's suffix in globals.css, such as `keyword`; null for plain text. */
  kind: string | null;
}

/** The theme's variables only name each token's kind. The page's policy allows classes, but no inline colours. */
const theme = createCssVariablesTheme({ name: "kinds", variablePrefix: "--" });
const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: [bash, javascript, json, python, typescript],
  engine: createJavaScriptRegexEngine(),
});

const KINDS = new Set(["keyword", "string", "string-expression", "comment", "constant", "function"]);

/** Splits code into coloured tokens. Runs in the build; server only. */
export function tokenize(code: string, lang: Language): Token[] {
  // Without the default limit of 500 ms a line, which would leave code uncoloured when the build machine is busy.
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

/**
 * Appends a token. Joins it to the last one of the same kind, because each token costs an element. White space joins
 * any.
 */
function appendToken(tokens: Token[], token: Token): void {
  const last = tokens.at(-1);
  const isSame = last?.kind === token.kind || (last && token.text.trim() === "");
  if (last && isSame) last.text += token.text;
  else tokens.push(token);
}
