"use client";

import { useId, useState } from "react";
import { MAX_RECIPIENTS, useRecipients } from "@/app/_client/local-storage/recipients";
import { useReadySession } from "@/app/_client/wallet/session";
import { SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { CheckMark } from "@/app/_components/check-mark";
import { LabelledControl } from "@/app/_components/field";
import { readAddress } from "@/app/_components/parse-amount";
import { ShortAddress } from "@/app/_components/short-address";
import { formatDay } from "@/app/dashboard/_components/activity-words";
import { ChoiceCard } from "@/app/dashboard/_components/choice-card";
import { ApiError } from "@/lib/sdk/calls/api-error";

/** Returns why an address cannot receive the withdrawal; null if it can. Loads the code for the curve on first use. */
async function findDestinationFault(address: string, serviceWallet: string): Promise<string | null> {
  if (address === "") return "Type or paste the address.";
  if (address === serviceWallet) return "This is your savings wallet. Choose another address.";
  try {
    const { findWalletAddressFault } = await import("@/lib/solana/ed25519");
    const fault = findWalletAddressFault(address);
    if (fault === null) return null;
    return fault.includes("off the curve") ? NO_WALLET_TEXT : "This is not a complete Solana address. Copy it again.";
  } catch {
    return "The address cannot be checked right now. Check your connection and try again.";
  }
}

const NO_WALLET_TEXT =
  "This address belongs to a program or a token account, not a wallet. Anything sent there is lost.";

/** Length of the shortest base58 text of 32 bytes. */
const MIN_ADDRESS_CHARACTERS = 32;

interface WithdrawalState {
  phase: string;
  error: Error | null;
  record: { request: { destination: string } } | null;
}

/** Returns the destination that the service refused because no wallet has this address, or null. */
export const findRefusedDestination = ({ phase, error, record }: WithdrawalState): string | null =>
  phase === "failed" && error instanceof ApiError && error.code === "invalid_address"
    ? (record?.request.destination ?? null)
    : null;

/**
 * Manages the destination: the main wallet unless the person enters another address.
 * @param refusedAddress the result of `findRefusedDestination` for the last request
 */
export function useDestination(refusedAddress: string | null) {
  const { wallet, serviceWallet } = useReadySession();
  const [usesOtherAddress, setUsesOtherAddress] = useState(false);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const [isChecking, setIsChecking] = useState(false);
  const [checkedAddress, setCheckedAddress] = useState<string | null>(null);
  const isRefused = usesOtherAddress && refusedAddress === text;
  return {
    /** The valid address that the field contains; null until it is checked. */
    checkedAddress: checkedAddress === text && !isRefused ? checkedAddress : null,
    usesOtherAddress,
    text,
    fault: fault ?? (isRefused ? NO_WALLET_TEXT : null),
    /** Whether the last request failed because of the typed address. The field then shows the reason. */
    isFailureExplained: refusedAddress !== null && refusedAddress !== wallet,
    isChecking,
    chooseOtherAddress(isChosen: boolean) {
      setUsesOtherAddress(isChosen);
      setFault(null);
    },
    changeText(typedText: string) {
      const address = readAddress(typedText);
      setText(address);
      setFault(null);
      // Check while typing: a result that appears on blur would move the button away from the click.
      if (address.length < MIN_ADDRESS_CHARACTERS) return;
      void findDestinationFault(address, serviceWallet).then(
        (newFault) => newFault === null && setCheckedAddress(address),
      );
    },
    /** Returns the valid address, or null when the field shows an error. */
    async checkDestination(): Promise<string | null> {
      setIsChecking(true);
      const newFault = usesOtherAddress ? await findDestinationFault(text, serviceWallet) : null;
      setIsChecking(false);
      setFault(newFault);
      if (newFault !== null) return null;
      return usesOtherAddress ? text : wallet;
    },
  };
}

export type DestinationInput = ReturnType<typeof useDestination>;

export function DestinationField({ input }: { input: DestinationInput }) {
  const { wallet } = useReadySession();
  const { usesOtherAddress, text, fault, checkedAddress, chooseOtherAddress, changeText, checkDestination } = input;
  const recipients = useRecipients(wallet).filter(({ address }) => address !== text);
  const groupName = useId();
  return (
    <fieldset className="mt-6">
      <legend className="mb-2 text-sm font-medium">Where to</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <ChoiceCard name={groupName} checked={!usesOtherAddress} onChoose={() => chooseOtherAddress(false)}>
          <span className="min-w-0">
            <span className="block font-medium">My main wallet</span>
            <span className="block text-sm text-soft">
              <ShortAddress text={wallet} />
            </span>
          </span>
        </ChoiceCard>
        <ChoiceCard name={groupName} checked={usesOtherAddress} onChoose={() => chooseOtherAddress(true)}>
          <span className="min-w-0">
            <span className="block font-medium">Another address</span>
            <span className="block text-sm text-soft">Paste an address</span>
          </span>
        </ChoiceCard>
      </div>
      {usesOtherAddress && (
        <div className="mt-4 space-y-4">
          <AddressField
            error={fault}
            value={text}
            onChange={changeText}
            onBlur={() => text !== "" && void checkDestination()}
          />
          {checkedAddress && (
            <p role="status" className="flex items-start gap-2 rounded-xl bg-raised p-3">
              <span className="mt-1.5 text-accent">
                <CheckMark />
                <span className="sr-only">Valid Solana address</span>
              </span>
              <FullAddress address={checkedAddress} />
            </p>
          )}
          {recipients.length > 0 && (
            <div>
              <p className="text-sm font-medium">Recent recipients</p>
              <ul className="mt-2 flex flex-wrap gap-2">
                {recipients.map(({ address }) => (
                  <li key={address}>
                    <SecondaryButton onClick={() => changeText(address)}>
                      <ShortAddress text={address} />
                    </SecondaryButton>
                  </li>
                ))}
              </ul>
            </div>
          )}
          <Notice tone="warn">
            <p>
              Nobody can undo a transfer, so compare every character. Before you send to an exchange, check that it
              accepts each coin on Solana.
            </p>
          </Notice>
        </div>
      )}
    </fieldset>
  );
}

interface Props {
  value: string;
  error: string | null;
  onChange: (text: string) => void;
  onBlur: () => void;
}

/** Draws the field for an address. Its text wraps, so that a phone shows every character. Enter submits the form. */
function AddressField({ value, error, onChange, onBlur }: Props) {
  return (
    <LabelledControl label="Address" error={error}>
      {(control) => (
        <textarea
          {...control}
          rows={2}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          aria-invalid={error ? true : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          className={`${control.className} field-sizing-content block resize-none font-mono break-all`}
        />
      )}
    </LabelledControl>
  );
}

/** Shows every character of a checked address in groups of four, and whether this browser remembers it. */
export function FullAddress({ address }: { address: string }) {
  const { wallet } = useReadySession();
  const earlierRecipient = useRecipients(wallet).find((recipient) => recipient.address === address);
  return (
    <span className="block" data-testid="full-address">
      <span className="flex flex-wrap gap-x-[0.6ch] font-mono text-sm font-semibold text-ink">
        {address.match(/.{1,4}/g)?.map((group, i) => (
          <span key={i}>{group}</span>
        ))}
      </span>
      <span className={`mt-1 flex items-center gap-1.5 text-sm ${earlierRecipient ? "text-soft" : "text-warn"}`}>
        {earlierRecipient && <CheckMark />}
        {earlierRecipient
          ? `Used before, on ${formatDay(`${earlierRecipient.day}T00:00`)}`
          : `Not among the last ${MAX_RECIPIENTS} addresses used in this browser`}
      </span>
    </span>
  );
}
