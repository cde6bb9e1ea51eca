"use client";

import { useSyncExternalStore } from "react";
import { type Call, curlOf } from "./call";
import { Code } from "./prose";

const never = () => () => {};

/** Shows the call as a curl command with this page's origin. */
export function Curl({ call }: { call: Call }) {
  const base = useSyncExternalStore(
    never,
    () => window.location.origin,
    () => "http://localhost:3000",
  );
  return (
    <Code label="curl" wrap>
      {curlOf(call, base)}
    </Code>
  );
}
