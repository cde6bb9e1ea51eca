"use client";

import { afterPage } from "./after-page";

/** Needs an answer of the service, so it comes after the page. */
export const LandingNote = afterPage(() => import("./price").then((module) => module.NetworkNote));
