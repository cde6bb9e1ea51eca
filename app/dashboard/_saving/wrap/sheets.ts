"use client";

import { onTouch } from "@/app/_components/on-touch";

export const SaveSheet = onTouch(
  () => import("./save-sheet").then((module) => module.SaveSheet),
  ({ save }) => save.state.phase !== "idle",
);

export const TopUpSheet = onTouch(
  () => import("../topup/top-up-sheet").then((module) => module.TopUpSheet),
  ({ topup }) => topup.state.phase !== "idle",
);
