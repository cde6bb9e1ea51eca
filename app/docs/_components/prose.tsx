import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
import { CopyButton } from "@/app/_components/copy-button";
import type { Token } from "@/app/docs/_content/highlight";

interface Props {
  /** In the caption and for the copy button. */
  label: string;
  children: string;
  canCopy?: boolean;
  /** Wraps long lines, for text that is read as prose. */
  isWrapped?: boolean;
  /** The same text, split for highlighting. */
  tokens?: Token[];
  /** In place of the label. */
  caption?: ReactNode;
  /** When tabs choose the content. */
  panel?: ComponentProps<"pre">;
}

/** A block that scrolls sideways takes the focus for keyboard scrolling. */
export function Code({ label, children, canCopy = true, isWrapped = false, tokens, caption = label, panel }: Props) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-xl border border-line bg-card">
      <figcaption className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line bg-raised py-1 pl-4 pr-1 text-sm text-soft">
        {caption}
        {/* Pass lines: the navigation data states the length of a long string, and replacing the origin would change it. */}
        {canCopy && <CopyButton text={children.split("\n")} className="text-sm" ariaLabel={`Copy: ${label}`} />}
      </figcaption>
      <pre
        tabIndex={isWrapped ? undefined : 0}
        {...panel}
        className={`overflow-x-auto p-4 text-sm leading-relaxed ${isWrapped ? "whitespace-pre-wrap wrap-anywhere" : ""}`}
      >
        {/* The server replaces the origin in the built page, so React may find a different text than it rendered. */}
        <code className="font-mono" translate="no" suppressHydrationWarning>
          {tokens ? tokens.map(renderToken) : children}
        </code>
      </pre>
    </figure>
  );
}

const renderToken = ({ text, kind }: Token, i: number) =>
  kind ? (
    <span key={i} className={`code-${kind}`}>
      {text}
    </span>
  ) : (
    text
  );

const LINK_CLASSES = "text-accent underline underline-offset-4";

/** Only the API reference, which most readers open next, loads before a click. */
export function DocsLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={href.startsWith("/docs#") ? null : false} className={LINK_CLASSES}>
      {children}
    </Link>
  );
}

/** The browser loads a file without the router. */
export function FileLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className={LINK_CLASSES}>
      {children}
    </a>
  );
}

export function InlineCode({ children }: { children: ReactNode }) {
  return (
    <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.9em] break-words text-ink ring-1 ring-line">
      {children}
    </code>
  );
}

/** Renders the words between backticks as code. */
export function renderCode(text: string): ReactNode[] {
  return text.split("`").map((part, i) => (i % 2 === 1 ? <InlineCode key={i}>{part}</InlineCode> : part));
}
