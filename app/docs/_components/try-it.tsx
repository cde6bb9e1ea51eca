"use client";

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Call } from "./call";
import { Console } from "./console";
import { useDocsSession } from "./docs-session";

/** Shows a console for one operation. It opens on a click, or when a different console passes a transaction to it. */
export function TryIt({ call }: { call: Call }) {
  const { passedTransaction } = useDocsSession();
  const [open, setOpen] = useState(false);
  const id = useId();
  const containerRef = useRef<HTMLDivElement>(null);
  const received = call.id === "execute-swap" ? passedTransaction : null;
  useEffect(() => {
    if (!received) return;
    setOpen(true);
    containerRef.current?.focus();
    containerRef.current?.scrollIntoView();
  }, [received]);
  return (
    <div ref={containerRef} tabIndex={-1} className="scroll-mt-4 outline-none">
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
        {open && <Console key={received?.at} call={call} transaction={received?.transaction ?? null} />}
      </div>
    </div>
  );
}
