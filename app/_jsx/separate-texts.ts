import type { ElementType, ReactNode } from "react";
import { Fragment, jsx } from "react/jsx-runtime";

interface Props {
  children?: ReactNode;
  translate?: "yes" | "no";
}

/**
 * Gives each text that has siblings an element. A browser's translation replaces text nodes by elements. React keeps
 * the removed node, throws when it changes something beside it, and never shows a new text. Elements stay in place.
 */
export function separateTexts(type: ElementType, props: Props): Props {
  const { children, translate } = props;
  if (translate === "no") return props;
  if (type === Fragment && isText(children)) return { ...props, children: separateList([children]) };
  if (!Array.isArray(children)) return props;
  const isOnlyText = children.every((child) => isText(child) || isEmpty(child));
  if (isOnlyText && type !== Fragment) return { ...props, children: children.filter(isText).join("") };
  return { ...props, children: separateList(children) };
}

const isText = (child: ReactNode) =>
  (typeof child === "string" && child !== "") || typeof child === "number" || typeof child === "bigint";
const isEmpty = (child: ReactNode) =>
  child === null || child === undefined || typeof child === "boolean" || child === "";

/** Keeps all other children at their index, because React identifies a child without a key by its index. */
function separateList(children: readonly ReactNode[]): ReactNode[] {
  const separated = children.map((child) => (Array.isArray(child) ? separateList(child) : child));
  let textCount = 0;
  for (let start = 0; start < children.length; start++) {
    if (!isText(children[start])) continue;
    let end = start;
    while (end < children.length && (isText(children[end]) || isEmpty(children[end]))) end++;
    const text = children.slice(start, end).filter(isText).join("");
    separated.fill(null, start, end);
    // A translation leaves white space alone. In a flex container, an element around it would become an item.
    separated[start] = text.trim() === "" ? text : jsx("span", { children: text }, `text${textCount++}`);
    start = end;
  }
  return separated;
}
