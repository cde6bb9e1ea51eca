"use client";

import { loadOnTouch } from "@/app/_components/load-on-touch";

// The code of a sheet loads on the first touch of the page.
export const AllowanceSheet = loadOnTouch(
  () => import("./allowance-sheet").then((module) => module.AllowanceSheet),
  ({ state }) => state.phase !== "idle",
);

export const RevocationSheet = loadOnTouch(
  () => import("./allowance-sheet").then((module) => module.RevocationSheet),
  ({ state }) => state.phase !== "idle",
);
