import type { Token } from "@/app/docs/_content/highlight";

/** Draws highlighted code. */
export function Tokens({ tokens }: { tokens: Token[] }) {
  return tokens.map(({ text, kind }, i) =>
    kind ? (
      <span key={i} className={`code-${kind}`}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}
