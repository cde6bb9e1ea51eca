"use client";

import { loadOnTouch } from "./load-on-touch";

export const Sheet = loadOnTouch(
  () => import("./sheet-dialog").then((module) => module.SheetDialog),
  ({ open }) => open,
);
