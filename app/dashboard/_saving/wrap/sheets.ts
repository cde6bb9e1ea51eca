"use client";

import { loadOnTouch } from "@/app/_components/load-on-touch";

// The code of a sheet loads on the first touch of the page.
export const SaveSheet = loadOnTouch(
  () => import("./save-sheet").then((module) => module.SaveSheet),
  ({ save }) => save.state.phase !== "idle",
);

export const TopupSheet = loadOnTouch(
  () => import("../topup/topup-sheet").then((module) => module.TopupSheet),
  ({ topup }) => topup.state.phase !== "idle",
);

// The code of a sheet loads on the first touch of the page.
export const AllowanceSheet = loadOnTouch(
  () => import("../allowance/allowance-sheet").then((module) => module.AllowanceSheet),
  ({ state }) => state.phase !== "idle",
);

export const RevocationSheet = loadOnTouch(
  () => import("../allowance/allowance-sheet").then((module) => module.RevocationSheet),
  ({ state }) => state.phase !== "idle",
);
