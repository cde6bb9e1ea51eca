"use client";

import { useRef, useState } from "react";
import { Button } from "./button";

interface Props {
  /** The text to copy, or its lines. */
  text: string | readonly string[];
  label?: string;
  /** Names the copied text for screen readers when the label does not. */
  ariaLabel?: string;
  variant?: "primary" | "secondary";
  className?: string;
  onCopied?: () => void;
}

/** How long the button shows the outcome, ms. */
const OUTCOME_SHOWN_MS = 2_000;

/** Copies text on a click, and reports success or failure in words. */
export function CopyButton({ text, label = "Copy", ariaLabel, variant = "secondary", className, onCopied }: Props) {
  const [copyState, setCopyState] = useState<"idle" | "done" | "failed">("idle");
  const resetTimerRef = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copyText = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text.join("\n"));
      setCopyState("done");
      onCopied?.();
    } catch {
      setCopyState("failed");
    }
    clearTimeout(resetTimerRef.current);
    resetTimerRef.current = setTimeout(() => setCopyState("idle"), OUTCOME_SHOWN_MS);
  };
  return (
    <Button
      variant={variant}
      onClick={copyText}
      className={className}
      aria-label={copyState === "idle" ? ariaLabel : undefined}
    >
      <span aria-live="polite">
        {copyState === "done" ? "Copied" : copyState === "failed" ? "Select and copy by hand" : label}
      </span>
    </Button>
  );
}
