"use client";

import { type FormEvent, useState } from "react";
import { calls } from "@/app/_client/queries/calls";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { Field, SelectField } from "@/app/_components/field";
import { InView } from "@/app/_components/in-view";
import { Failure } from "@/app/_components/state-view";
import { SignatureFailure } from "@/app/_onboarding/signature-failure";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { CreatedKey } from "./new-key";

/** The offered lifetimes: number of days, and label. */
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

/**
 * Creates an API key.
 * @param keyCount number of the wallet's live keys
 */
export function KeyForm({ keyCount, onCreated }: { keyCount: number; onCreated: (key: CreatedKey) => void }) {
  const { credentials, signIn } = useReadySession();
  const [name, setName] = useState("");
  const [days, setDays] = useState<(typeof LIFETIMES)[number][0]>("90");
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isAtMax = keyCount >= MAX_KEYS;

  const generateKey = async (event?: FormEvent) => {
    event?.preventDefault();
    setIsBusy(true);
    setError(null);
    try {
      const body = { expiresInDays: Number(days), ...(name.trim() && { name: name.trim() }) };
      // A Sign In With Solana signature can create keys for only ten minutes, so sign the fixed text instead.
      const proof = "x-siws-message" in credentials ? await signIn() : credentials;
      onCreated(await calls.post("/api/keys/generate", body, { credentials: proof }));
      setName("");
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <form onSubmit={generateKey} className="space-y-4">
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
        <InView>
          <Failure error={error} retry={() => void generateKey()} title="The key was not created" />
        </InView>
      ) : (
        error !== null && <SignatureFailure error={error} retry={() => void generateKey()} />
      )}
    </form>
  );
}
