"use client";

import { useReadySession } from "@/app/_client/session";
import type { Unfinished } from "@/app/_client/unfinished";
import type { Sent, WithdrawRequest } from "@/app/_client/withdraw";
import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { CopyButton, Short } from "@/app/_components/copy";
import { Coins } from "@/app/_components/money";
import { arrivalsOf } from "./arrivals";

/** What has arrived, and that nothing is left. */
export function WithdrawDone({ record, onClose }: { record: Unfinished<WithdrawRequest, Sent>; onClose: () => void }) {
  const { wallet } = useReadySession();
  const { done, request } = record;
  const arrived = arrivalsOf(done.flatMap(({ about }) => about.assets));
  return (
    <div data-testid="withdraw-done">
      <p className="text-soft">
        Arrived in {request.destination === wallet ? "your main wallet" : "the wallet"}{" "}
        <Short text={request.destination} />:
      </p>
      <ul className="mt-2 space-y-1 text-xl font-semibold">
        {arrived.map(({ mint, symbol, amount, decimals }) => (
          <li key={`${mint}:${symbol}`}>
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
          </li>
        ))}
      </ul>
      {done.some(({ about }) => about.empties) && (
        <div className="mt-4" data-testid="service-wallet-empty">
          <Notice tone="good" title="Your service wallet is empty">
            <p>No token and no SOL is left in it, and all deposits came back. You can start again at any time.</p>
          </Notice>
        </div>
      )}
      <ul className="mt-4 divide-y divide-line rounded-xl border border-line px-4">
        {done.map(({ label, txSignature }) => (
          <li key={txSignature} className="flex flex-wrap items-center justify-between gap-2 py-2 text-sm">
            <span>
              {label}: signature <Short text={txSignature} />
            </span>
            <CopyButton text={txSignature} ariaLabel={`Copy the signature of: ${label}`} />
          </li>
        ))}
      </ul>
      <div className="mt-6 flex flex-wrap gap-3">
        <ButtonLink href="/dashboard">See my savings</ButtonLink>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
