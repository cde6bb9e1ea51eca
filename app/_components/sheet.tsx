"use client";

import { loadOnTouch } from "./load-on-touch";

/** A modal sheet. */
export const Sheet = loadOnTouch(
  () => import("./sheet-dialog").then((module) => module.SheetDialog),
  ({ open }) => open,
);
