"use client";

import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { formatUsd } from "@/app/_components/money";
import type { Flow } from "@/lib/sdk/flow/engine";
import type { FlowState } from "@/lib/sdk/flow/state";

interface Props {
  flow: Pick<Flow<unknown, never, unknown>, "acceptPrices">;
  doubts: FlowState<unknown, unknown, unknown>["doubts"];
}

/** Asks the person to confirm prices that moved unusually far since this browser last confirmed them. */
export function PriceDoubts({ flow, doubts }: Props) {
  return (
    <Notice
      testId="price-doubts"
      className="mb-4"
      role="alert"
      tone="warn"
      title="Is this price right?"
      action={
        <Button variant="secondary" onClick={() => void flow.acceptPrices()}>
          {doubts.length === 1 ? "Yes, that is the price" : "Yes, those are the prices"}
        </Button>
      }
    >
      <ul>
        {doubts.map(({ asset, usd, before }) => (
          <li key={asset}>
            {asset} is at {formatUsd(usd)} here.
            {before &&
              ` You last confirmed ${formatUsd(before.usd)}, on ${new Date(before.at).toLocaleDateString("en-GB")}.`}
          </li>
        ))}
      </ul>
      <p className="mt-2">Compare with a price that you trust. Nothing is signed until you confirm it.</p>
    </Notice>
  );
}
