import { type MarkedToken, marked, type Tokens } from "marked";
import type { ReactNode } from "react";
import { Notice } from "@/app/_components/card";
import { tokenize } from "@/app/docs/_content/highlight";
import { Code, DocsLink, FileLink, InlineCode } from "./prose";

/** Renders this project's own documents. Server only. @throws {RangeError} on Markdown that they do not use yet */
export function Markdown({ children }: { children: string }) {
  return render(marked.lexer(children));
}

const render = (tokens: Tokens.Generic[] = []): ReactNode =>
  tokens.map((token, i) => <Node key={i} token={token as MarkedToken} />);

function Node({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "text":
      return "tokens" in token ? render(token.tokens) : token.text;
    case "strong":
      return <strong className="font-semibold">{render(token.tokens)}</strong>;
    case "codespan":
      return <InlineCode>{token.text}</InlineCode>;
    case "link":
      return <MarkdownLink href={token.href}>{render(token.tokens)}</MarkdownLink>;
    case "paragraph":
      return <p>{render(token.tokens)}</p>;
    case "heading":
      if (token.depth === 3) return <h3 className="mt-8 text-lg font-semibold">{render(token.tokens)}</h3>;
      if (token.depth === 4) return <h4 className="mt-6 font-semibold">{render(token.tokens)}</h4>;
      break;
    case "list":
      return <List {...token} />;
    case "blockquote":
      return <Notice tone="warn">{render(token.tokens)}</Notice>;
    case "code":
      return <CodeBlock {...token} />;
    case "table":
      return <Table {...token} />;
  }
  throw new RangeError(`The documents cannot show this Markdown yet: ${token.raw}`);
}

/** A file, which is not a page, loads without the router. */
function MarkdownLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(\/(?!\/)|https:\/\/)/.test(href)) throw new RangeError(`The documents cannot link this address: ${href}`);
  const address = href.replace(/^(\/docs\/[\w-]+)\.md(?=#|$)/, "$1");
  return /^\/[^.]*$/.test(address) ? (
    <DocsLink href={address}>{children}</DocsLink>
  ) : (
    <FileLink href={address}>{children}</FileLink>
  );
}

function List({ ordered, items }: Tokens.List) {
  const rows = items.map(({ tokens }, i) => <li key={i}>{render(tokens)}</li>);
  return ordered ? (
    <ol className="list-decimal space-y-2 pl-6 marker:text-soft">{rows}</ol>
  ) : (
    <ul className="list-disc space-y-2 pl-6 marker:text-soft">{rows}</ul>
  );
}

const LANGUAGE_NAMES: Record<string, string> = { js: "JavaScript", python: "Python", sh: "Shell", ts: "TypeScript" };

/** The words after the language complete the caption. */
function CodeBlock({ lang = "", text }: Tokens.Code) {
  const [language = "", ...words] = lang.split(" ");
  const label = [LANGUAGE_NAMES[language], words.join(" ")].filter(Boolean).join(", ");
  return (
    <Code
      label={label}
      isWrapped={language === "sh" || !text.includes("\n")}
      tokens={language === "text" ? undefined : tokenize(text, language)}
    >
      {text}
    </Code>
  );
}

/**
 * On a phone, a table scrolls sideways, unless its last column has sentences: these move below the previous column. A
 * cell with nothing but code is an anchor, because `docUrl` of a failure leads to its code.
 */
function Table({ header, rows }: Tokens.Table) {
  const lastColumn = header.length - 1;
  const canFold = rows.every((cells) => cells[lastColumn]!.text.endsWith("."));
  const getPhoneClass = (column: number) => (canFold && column === lastColumn ? "max-sm:hidden" : "");
  const findAnchor = ({ tokens: [token, ...others] }: Tokens.TableCell) =>
    token?.type === "codespan" && others.length === 0 ? (token as Tokens.Codespan).text : undefined;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={header.map(({ text }) => text).join(", ")}
      className="overflow-x-auto rounded-xl border border-line bg-card"
    >
      <table className="w-full text-left text-[0.95rem]">
        <thead className="border-b border-line bg-raised text-sm">
          <tr>
            {header.map(({ text }, column) => (
              <th key={text} scope="col" className={`px-4 py-2.5 font-medium ${getPhoneClass(column)}`}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((cells, i) => (
            <tr key={i} className="align-top">
              {cells.map((cell, column) => (
                <td key={column} id={findAnchor(cell)} className={`scroll-mt-4 px-4 py-2.5 ${getPhoneClass(column)}`}>
                  {render(cell.tokens)}
                  {canFold && column === lastColumn - 1 && (
                    <span className="mt-1.5 block sm:hidden">{render(cells[lastColumn]!.tokens)}</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
