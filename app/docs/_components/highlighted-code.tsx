import { type Language, tokenize } from "@/app/docs/_content/highlight";
import { Code } from "./prose";

const LANGUAGE_PATTERNS: [RegExp, Language][] = [
  [/^TypeScript/, "typescript"],
  [/^JavaScript/, "javascript"],
  [/^Python/, "python"],
  [/^Shell/, "bash"],
  [/json/i, "json"],
];

/**
 * Draws a code block whose colours the server computes at build time. Use it in server components only.
 * @throws {RangeError} when the label does not name a known language
 */
export function HighlightedCode(props: { label: string; children: string; isWrapped?: boolean }) {
  const language = LANGUAGE_PATTERNS.find(([pattern]) => pattern.test(props.label))?.[1];
  if (!language) throw new RangeError(`The label of a code block does not name a language: ${props.label}`);
  return <Code {...props} tokens={tokenize(props.children, language)} />;
}

export const ShellCode = ({ children }: { children: string }) => (
  <HighlightedCode label="Shell" isWrapped>
    {children}
  </HighlightedCode>
);
