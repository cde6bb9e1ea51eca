"use client";

import { loadOnTouch } from "@/app/_components/load-on-touch";

/** The sheet of a save. Its code loads on the first touch of the page. */
export const SaveSheet = loadOnTouch(
  () => import("./save-sheet").then((module) => module.SaveSheet),
  ({ save }) => save.state.phase !== "idle",
);

/** The sheet of a top-up. Its code loads on the first touch of the page. */
export const TopUpSheet = loadOnTouch(
  () => import("../topup/top-up-sheet").then((module) => module.TopUpSheet),
  ({ topup }) => topup.state.phase !== "idle",
);
