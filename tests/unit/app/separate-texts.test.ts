import fc from "fast-check";
import { createElement, type ReactNode } from "react";
import * as react from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Button } from "@/app/_components/button";
import { jsxDEV } from "@/app/_jsx/jsx-dev-runtime";
import { Fragment, jsx, jsxs } from "@/app/_jsx/jsx-runtime";

/** A description of JSX, which a test renders with and without this project's runtime. */
type Content =
  | string
  | number
  | null
  | boolean
  | Content[]
  | { type: "p" | "i" | "fragment" | "component"; children: Content[] };

const { content } = fc.letrec<{ content: Content }>((tie) => ({
  content: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Content>("a", " b ", " ", "", 0, 12, null, false, true),
    fc.record({
      type: fc.constantFrom("p", "i", "fragment", "component"),
      children: fc.array(tie("content"), { maxLength: 4 }),
    }),
    fc.array(tie("content"), { maxLength: 3 }),
  ),
}));

/** Passes its children on, as a component of a package would. */
const Component = ({ children }: { children: ReactNode }) => createElement("b", null, children);

const TYPES = { p: "p", i: "i", fragment: Fragment, component: Component } as const;

/** Renders as the compiler does: one child is passed alone, several are passed as a list. */
function render(part: Content, key: number, runtime: Pick<typeof react, "jsx" | "jsxs">): ReactNode {
  if (Array.isArray(part)) return part.map((child, i) => render(child, i, runtime));
  if (part === null || typeof part !== "object") return part;
  const children = part.children.map((child, i) => render(child, i, runtime));
  if (children.length > 1) return runtime.jsxs(TYPES[part.type], { children }, key);
  return runtime.jsx(TYPES[part.type], { children: children[0] }, key);
}

const runtime = { jsx, jsxs };

const readText = (markup: string) => markup.replace(/<[^>]*>/g, "");

const developmentRuntime: typeof runtime = {
  jsx: (type, props, key) => jsxDEV(type, props, key, false),
  jsxs: (type, props, key) => jsxDEV(type, props, key, true),
};

test.each([
  ["build", runtime],
  ["development server", developmentRuntime],
])("in the %s, every text that has siblings is the only content of an element, and no text is lost", (_, runtime) => {
  fc.assert(
    fc.property(content, (part) => {
      const markup = renderToStaticMarkup(runtime.jsx("main", { children: render(part, 0, runtime) }));
      const texts = markup.matchAll(/(?<before><\/?\w+>)(?<text>[^<]*[^<\s][^<]*)(?<after><\/?\w+>)/g);
      for (const { groups } of texts) expect(`${groups!.before}…${groups!.after}`, markup).toMatch(/^<(\w+)>…<\/\1>$/);
      const plainMarkup = renderToStaticMarkup(react.jsx("main", { children: render(part, 0, react) }));
      expect(readText(markup)).toBe(readText(plainMarkup));
    }),
  );
});

test("the pages are compiled so that their texts are separate", () => {
  expect(renderToStaticMarkup(createElement(Button, { isBusy: true }, "Save"))).toMatch(/<\/span><span>Save<\/span>/);
});
