import * as runtime from "react/jsx-dev-runtime";
import { separateTexts } from "./separate-texts";

export { Fragment, type JSX } from "react/jsx-dev-runtime";

export const jsxDEV: typeof runtime.jsxDEV = (type, props, key, isStatic, ...place) => {
  const separated = separateTexts(type, props as object);
  return runtime.jsxDEV(type, separated, key, isStatic && Array.isArray(separated.children), ...place);
};
