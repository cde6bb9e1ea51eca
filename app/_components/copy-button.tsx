"use client";

import { useRef, useState } from "react";
import { Button } from "./button";

interface Props {
  text: string | readonly string[];
  label?: string;
  /** For screen readers, when the label does not name the text. */
  ariaLabel?: string;
  variant?: "primary" | "secondary";
  className?: string;
  onCopied?: () => void;
}

const OUTCOME_SHOWN_MS = 2_000;

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
