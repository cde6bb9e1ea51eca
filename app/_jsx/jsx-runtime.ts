import * as runtime from "react/jsx-runtime";
import { separateTexts } from "./separate-texts";

/* The JSX of all pages calls these functions: see `jsxImportSource` in tsconfig.json. */

export { Fragment, type JSX } from "react/jsx-runtime";

export const jsx: typeof runtime.jsx = (type, props, key) =>
  runtime.jsx(type, separateTexts(type, props as object), key);

export const jsxs: typeof runtime.jsxs = (type, props, key) => {
  const separated = separateTexts(type, props as object);
  // Several texts may have become one.
  return Array.isArray(separated.children) ? runtime.jsxs(type, separated, key) : runtime.jsx(type, separated, key);
};
