import { Card } from "@/app/_components/card";
import { Coins, Usd } from "@/app/_components/money";
import { PriceAge } from "@/app/_components/price-age";
import type { Portfolio } from "../../_components/overview-balances";

/** What could be taken out. */
export function ServiceWalletCard({ portfolio: { balances, totalUsd } }: { portfolio: Portfolio }) {
  const unpriced = balances.some(({ usdValue }) => usdValue === null);
  return (
    <Card title="In your service wallet">
      <p className="text-3xl font-semibold" data-testid="service-total">
        <Usd value={totalUsd} />
      </p>
      {unpriced && totalUsd !== null && <p className="mt-1 text-sm text-warn">What has no price is not counted.</p>}
      <ul className="mt-3 divide-y divide-line">
        {balances.map(({ mint, symbol, amount, decimals, usdValue }) => (
          <li key={`${mint}:${symbol}`} className="flex items-baseline justify-between gap-4 py-2">
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
            <span className="text-soft">
              <Usd value={usdValue} />
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3">
        <PriceAge />
      </p>
    </Card>
  );
}
