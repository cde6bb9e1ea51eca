import { Notice } from "@/app/_components/card";
import { Coins } from "@/app/_components/coins";
import type { WithdrawBuild } from "@/lib/sdk/flow/withdraw";

/** Lists the tokens that stay, each with the reason. */
export function RemainingTokensNote({
  tokens,
  className,
}: {
  tokens: WithdrawBuild["leftBehind"];
  className?: string;
}) {
  if (tokens.length === 0) return null;
  return (
    <Notice testId="left-behind" className={className} tone="warn" title="Some tokens stay behind">
      <ul className="mt-1 list-disc pl-5">
        {tokens.map(({ mint, symbol, amount, decimals, reason }) => (
          <li key={`${mint}:${reason}:${amount}`}>
            <Coins amount={amount} decimals={decimals} symbol={symbol} />: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
