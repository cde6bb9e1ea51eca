"use client";

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { CrashBoundary } from "@/app/_components/crash-boundary";
import type { ApiCall } from "./call";
import { Console } from "./console";
import { useDocsSession } from "./docs-session";

/** Shows a console for one operation. It opens on a click, or when a different console passes a transaction to it. */
export function TryIt({ call }: { call: ApiCall }) {
  const { passedTransaction } = useDocsSession();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const containerRef = useRef<HTMLDivElement>(null);
  const receivedTransaction = call.id === "execute-transaction" ? passedTransaction : null;
  useEffect(() => {
    if (!receivedTransaction) return;
    setIsOpen(true);
    containerRef.current?.focus();
    containerRef.current?.scrollIntoView();
  }, [receivedTransaction]);
  return (
    <div ref={containerRef} tabIndex={-1} className="scroll-mt-4 outline-none">
      <Button
        variant={isOpen ? "quiet" : "secondary"}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`${isOpen ? "Close the console" : "Try it"}: ${call.method} ${call.path}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Close the console" : "Try it"}
      </Button>
      <div id={id}>
        {isOpen && (
          <CrashBoundary key={receivedTransaction?.atMs}>
            <Console call={call} transaction={receivedTransaction?.transaction ?? null} />
          </CrashBoundary>
        )}
      </div>
    </div>
  );
}
