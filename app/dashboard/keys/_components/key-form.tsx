"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTerms } from "@/app/_client/local-storage/terms";
import { calls } from "@/app/_client/queries/calls";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, SecondaryButton } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Field, SelectField } from "@/app/_components/field";
import { FailureInView } from "@/app/_components/in-view";
import { useTask } from "@/app/_components/use-task";
import { SignatureFailure } from "@/app/_onboarding/signature-failure";
import { parseTypedTerms } from "@/app/dashboard/_saving/wrap/terms-fields";
import type { DataOf } from "@/lib/contracts/define";
import type { generateKeyContract } from "@/lib/contracts/generate-key";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { toRequestTerms } from "@/lib/sdk/preview-round-up";
import { getKeyName } from "./key-list";

const LIFETIMES = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
] as const;
/** The most live keys of a wallet, as POST /api/keys/generate enforces it. */
const MAX_KEYS = 10;
/** The longest name of a key, characters, as POST /api/keys/generate enforces it. */
const MAX_NAME_LENGTH = 60;

export function KeyForm({ keyCount, onCreated }: { keyCount: number; onCreated: (key: CreatedKey) => void }) {
  const { credentials, signIn } = useReadySession();
  const [name, setName] = useState("");
  const [days, setDays] = useState<(typeof LIFETIMES)[number][0]>("90");
  const isAtMax = keyCount >= MAX_KEYS;
  const { run, isBusy, error } = useTask(async () => {
    const body = { expiresInDays: Number(days), ...(name.trim() && { name: name.trim() }) };
    // A Sign In With Solana signature can create keys for only ten minutes, so sign the fixed text instead.
    const proof = "x-siws-message" in credentials ? await signIn() : credentials;
    onCreated(await calls.post("/api/keys/generate", body, { credentials: proof }));
    setName("");
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        label="Name"
        hint="Helps you tell keys apart"
        value={name}
        maxLength={MAX_NAME_LENGTH}
        placeholder="budget script"
        onChange={setName}
      />
      <SelectField label="Lifetime" hint="Expires automatically" value={days} onChange={setDays} options={LIFETIMES} />
      <Button type="submit" isBusy={isBusy} disabled={isAtMax} className="w-full">
        Generate key
      </Button>
      {isAtMax && <p className="text-sm text-soft">A wallet has at most {MAX_KEYS} keys. Revoke one to make room.</p>}
      {error instanceof ApiError ? (
        <FailureInView error={error} retry={run} title="The key was not created" />
      ) : (
        error !== null && <SignatureFailure error={error} retry={run} />
      )}
    </form>
  );
}

/** A new API key with its secret, which the service returns only once. */
export type CreatedKey = DataOf<typeof generateKeyContract>;

interface Props {
  createdKey: CreatedKey;
  /** Called once the person has copied the key, alone or in the command. */
  onCopied: () => void;
  onDone: () => void;
}

/** Shows a new key, which cannot be shown again, and a command that uses it with this browser's terms. */
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
      <SecondaryButton onClick={onDone} className="mt-5">
        I have copied it
      </SecondaryButton>
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
