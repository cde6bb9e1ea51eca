"use client";

import { MAX_RECIPIENTS, useRecipients } from "@/app/_client/local-storage/recipients";
import { useReadySession } from "@/app/_client/wallet/session";
import { CheckMark } from "@/app/_components/check-mark";
import { formatDay } from "@/app/dashboard/_components/activity-words";

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
