"use client";

import { afterPage } from "./after-page";
import { WayIn } from "./way-in";

/** Which ways in there are, the service has to say, so it comes after the page. */
export const LandingStart = afterPage(
  () => import("./price").then((module) => module.StartLinks),
  <WayIn href="/dashboard" label="Start saving" />,
);
