"use client";

import { type FormEvent, useState } from "react";
import { getButtonClasses } from "../_components/button-classes";
import { Field } from "../_components/field";
import { loadAfterPage } from "../_components/load-after-page";
import { readAddress } from "../_components/parse-amount";
import { SkeletonLines } from "../_components/skeleton";

const LookupResult = loadAfterPage(
  () => import("./lookup-result").then((module) => module.LookupResult),
  <SkeletonLines lines={4} label="Looking up the address" />,
);

/** An address is 32 bytes: 32 to 44 characters of base58, which lacks 0, O, I and l. The service checks the rest. */
function findAddressError(address: string): string | null {
  if (address === "") return "Paste an address first.";
  if (/[^1-9A-HJ-NP-Za-km-z]/.test(address)) return "An address has only letters and digits, without 0, O, I and l.";
  // A signature has 64 to 88 characters.
  if (address.length >= 64) return "This is too long for an address. Activity in the dashboard finds a signature.";
  return address.length < 32 || address.length > 44 ? "An address has 32 to 44 characters." : null;
}

const scrollIntoView = (node: HTMLElement | null) => {
  node?.scrollIntoView({ block: "start" });
};

export function LandingLookup() {
  const [text, setText] = useState("");
  const [shownAddress, setShownAddress] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);

  const lookUp = (event: FormEvent) => {
    event.preventDefault();
    const address = readAddress(text);
    const addressError = findAddressError(address);
    setError(addressError);
    setShownAddress(addressError ? null : address);
  };

  return (
    <>
      <form onSubmit={lookUp} noValidate className="flex flex-wrap items-start gap-3">
        <Field
          className="min-w-0 flex-[1_1_20rem]"
          label="Wallet address"
          placeholder="A Solana address"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          error={error}
          onChange={setText}
        />
        <button type="submit" className={getButtonClasses("secondary", "mt-[1.65rem] max-sm:mt-0 max-sm:w-full")}>
          Look up
        </button>
      </form>
      {shownAddress && (
        <div key={shownAddress} ref={scrollIntoView} data-testid="lookup-result" className="mt-5 scroll-mt-20">
          <LookupResult address={shownAddress} />
        </div>
      )}
    </>
  );
}
