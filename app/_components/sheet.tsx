"use client";

import { onTouch } from "./on-touch";

/** A modal sheet. */
export const Sheet = onTouch(
  () => import("./sheet-dialog").then((module) => module.SheetDialog),
  ({ open }) => open,
);
