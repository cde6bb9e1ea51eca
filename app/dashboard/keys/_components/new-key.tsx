"use client";

import { useEffect, useRef } from "react";
import { useTerms } from "@/app/_client/local-storage/terms";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { parseTypedTerms } from "@/app/dashboard/_saving/wrap/terms-fields";
import type { DataOf } from "@/lib/contracts/define";
import type { generateKeyContract } from "@/lib/contracts/generate-key";
import { toRequestTerms } from "@/lib/sdk/preview-round-up";
import { getKeyName } from "./key-list";

/** A new API key with its secret, which the service returns only once. */
export type CreatedKey = DataOf<typeof generateKeyContract>;

interface Props {
  createdKey: CreatedKey;
  /** Called once the person has copied the key, alone or in the command. */
  onCopied: () => void;
  /** Called when the person hides the key. */
  onDone: () => void;
}

/**
 * Shows a new key, and a command that uses it with this browser's plan and multiplier. The key cannot be shown again.
 */
export function NewKey({ createdKey, onCopied, onDone }: Props) {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    headingRef.current?.focus();
  }, [createdKey.id]);
  const [typedTerms] = useTerms(useReadySession().wallet);
  const terms = parseTypedTerms(typedTerms);
  const body = JSON.stringify({ txValueUsd: 27.63, ...(terms && toRequestTerms(terms)) });
  const command = `curl -s ${location.origin}/api/roundup -H "x-api-key: ${createdKey.apiKey}" -H "content-type: application/json" -d '${body}'`;

  return (
    <section className="min-w-0 rounded-2xl border-2 border-accent bg-card p-5 sm:p-6">
      <h2 ref={headingRef} tabIndex={-1} className="text-lg font-semibold">
        Your new key: {getKeyName(createdKey)}
      </h2>
      <p className="mt-1 text-soft">Copy it now. You cannot see it again after you leave this page.</p>
      <CopyableText label="Key" text={createdKey.apiKey} copyLabel="Copy key" onCopied={onCopied} />
      <CopyableText label="Try it" text={command} copyLabel="Copy command" onCopied={onCopied} />
      <Button variant="secondary" onClick={onDone} className="mt-5">
        I have copied it
      </Button>
    </section>
  );
}

interface CopyableTextProps {
  label: string;
  text: string;
  copyLabel: string;
  onCopied: () => void;
}

function CopyableText({ label, text, copyLabel, onCopied }: CopyableTextProps) {
  return (
    <div className="mt-4">
      <p className="mb-1.5 text-sm font-medium">{label}</p>
      <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
        <code className="grow select-all break-all rounded-xl bg-raised p-3 font-mono text-sm">{text}</code>
        <CopyButton text={text} label={copyLabel} className="shrink-0" onCopied={onCopied} />
      </div>
    </div>
  );
}
