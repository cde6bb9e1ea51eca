"use client";

import dynamic from "next/dynamic";

/** Needs an answer of the service, so it comes after the page. */
export const LandingNote = dynamic(() => import("./price").then((module) => module.NetworkNote), {
  ssr: false,
});
