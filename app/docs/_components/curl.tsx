"use client";

import { useSyncExternalStore } from "react";
import { type Call, curlOf } from "./call";
import { Code } from "./prose";

const never = () => () => {};

/** The call for a shell, with the address this page came from. */
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
