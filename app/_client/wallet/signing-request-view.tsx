"use client";

import { AmountRow, Notice } from "@/app/_components/card";
import { Sol } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { lamportsToUsd } from "@/lib/domain/money";
import { roundKnownToSum } from "@/lib/domain/shown-sum";
import { usePrices } from "../queries/queries";
import type { SigningRequest } from "./approval";
import { useSession } from "./session";
import { readTransactionEffects } from "./transaction-effects";

/** Describes a signing request in plain words, before or after it is signed. */
export function SigningRequestView({ request }: { request: SigningRequest }) {
  if ("transaction" in request) return <TransactionView transaction={request.transaction} />;
  return (
    <blockquote className="rounded-xl border border-line bg-raised px-4 py-3 font-mono text-sm break-words">
      {request.text}
    </blockquote>
  );
}

function TransactionView({ transaction }: { transaction: string }) {
  const { wallet, serviceWallet } = useSession();
  const solPriceUsd = usePrices().data?.prices.SOL;
  const effects = wallet && readTransactionEffects(transaction, wallet, serviceWallet);
  if (!effects) return <Notice tone="warn" title="This transaction cannot be read" />;
  const { payments, memos, networkFeeLamports, unknownPrograms } = effects;
  const totalLamports = payments.reduce((sum, { lamports }) => sum + lamports, networkFeeLamports);
  const toUsd = (lamports: bigint) => (solPriceUsd === undefined ? null : lamportsToUsd(Number(lamports), solPriceUsd));
  const shownUsd = roundKnownToSum([
    ...payments.map(({ to, lamports }) => ({ usd: toUsd(lamports), isCost: to !== serviceWallet })),
    { usd: toUsd(networkFeeLamports), isCost: true },
  ]);
  return (
    <>
      {unknownPrograms.length > 0 && (
        <Notice tone="warn" title="This transaction also calls programs that this wallet cannot read">
          <p>
            {unknownPrograms.map((program) => (
              <ShortAddress key={program} text={program} />
            ))}
            Decline it unless you expected this.
          </p>
        </Notice>
      )}
      <dl>
        {payments.map(({ to, name, lamports }, i) => (
          <AmountRow isPart key={i} label={`To ${name ?? "another wallet"}`} hint={<ShortAddress text={to} />}>
            <LamportAmount lamports={lamports} usd={shownUsd?.parts[i]} />
          </AmountRow>
        ))}
        <AmountRow isPart label="To the network, at most">
          <LamportAmount lamports={networkFeeLamports} usd={shownUsd?.parts.at(-1)} />
        </AmountRow>
        <AmountRow label="Leaves your wallet" isTotal>
          <LamportAmount lamports={totalLamports} usd={shownUsd?.totalUsd} />
        </AmountRow>
      </dl>
      {memos.map((memo) => (
        <p key={memo} className="mt-2 text-sm break-words text-soft">
          Note: “{memo}”
        </p>
      ))}
    </>
  );
}

/** Shows US dollars above the SOL amount, or only SOL while no price is known. */
function LamportAmount({ lamports, usd }: { lamports: bigint; usd: number | undefined }) {
  if (usd === undefined) return <Sol lamports={lamports} />;
  return (
    <>
      <UsdAmount usd={usd} />
      <span className="block text-sm font-normal text-soft">
        <Sol lamports={lamports} />
      </span>
    </>
  );
}
