"use client";

import { loadOnTouch } from "./load-on-touch";

/** Shows a modal sheet. Its code loads on the first interaction with the page. */
export const Sheet = loadOnTouch(
  () => import("./sheet-dialog").then((module) => module.SheetDialog),
  ({ open }) => open,
);
