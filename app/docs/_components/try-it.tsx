"use client";

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Call } from "./call";
import { Console } from "./console";
import { useDocsSession } from "./docs-session";

/** A console for one operation. Opens on demand, or when a different console passes a transaction to it. */
export function TryIt({ call }: { call: Call }) {
  const { handed } = useDocsSession();
  const [open, setOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const receives = call.id === "execute-swap" ? handed : null;
  useEffect(() => {
    if (!receives) return;
    setOpen(true);
    place.current?.focus();
    place.current?.scrollIntoView();
  }, [receives]);
  return (
    <div ref={place} tabIndex={-1} className="scroll-mt-4 outline-none">
      <Button
        variant={open ? "quiet" : "secondary"}
        aria-expanded={open}
        aria-controls={id}
        aria-label={`${open ? "Close the console" : "Try it"}: ${call.method} ${call.path}`}
        onClick={() => setOpen(!open)}
      >
        {open ? "Close the console" : "Try it"}
      </Button>
      <div id={id}>
        {open && <Console key={receives?.at} call={call} transaction={receives?.transaction ?? null} />}
      </div>
    </div>
  );
}
