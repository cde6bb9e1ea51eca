"use client";

import dynamic from "next/dynamic";
import { WayIn } from "./way-in";

/** Which ways in there are, the service has to say, so it comes after the page. */
export const LandingStart = dynamic(() => import("./price").then((module) => module.StartLinks), {
  ssr: false,
  loading: () => <WayIn href="/dashboard" label="Start saving" />,
});
