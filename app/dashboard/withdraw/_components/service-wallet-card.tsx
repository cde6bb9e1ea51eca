import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { Coins } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { PriceAge } from "@/app/dashboard/_components/price-age";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { useWorth } from "@/app/dashboard/_components/use-worth";

export function ServiceWalletCard({ portfolio }: { portfolio: Portfolio }) {
  const { balances, leftOut, totalUsd } = portfolio;
  const { worthUsd, depositsUsd, valuesUsd } = useWorth(portfolio, useReadySession().serviceWallet);
  const pricedCount = balances.filter(({ usdValue }) => usdValue !== null).length;
  return (
    <Card title="In your savings wallet">
      <p className="text-3xl font-semibold" data-testid="service-total">
        <UsdAmount usd={pricedCount > 0 ? worthUsd : null} />
      </p>
      {pricedCount < balances.length && totalUsd !== null && (
        <p className="mt-1 text-sm text-warn">
          {pricedCount > 0 ? "Coins without a price are not counted." : "No price is known for these coins."}
        </p>
      )}
      <ul className="mt-3 divide-y divide-line">
        {balances.map(({ mint, symbol, amount, decimals }, i) => (
          <li key={`${mint}:${symbol}`} className="flex items-baseline justify-between gap-4 py-2">
            <Coins amount={amount} decimals={decimals} symbol={symbol} />
            <span className="text-soft">
              <UsdAmount usd={valuesUsd[i]} />
            </span>
          </li>
        ))}
        {pricedCount > 0 && depositsUsd > 0 && (
          <li className="flex items-baseline justify-between gap-4 py-2">
            Refundable account deposits
            <span className="text-soft">
              <UsdAmount usd={depositsUsd} />
            </span>
          </li>
        )}
      </ul>
      <p className="mt-3">
        <PriceAge />
      </p>
      <UnreadAccountsNote className="mt-4" accounts={leftOut} />
    </Card>
  );
}
