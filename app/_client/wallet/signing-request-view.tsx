"use client";

import { AmountRow, Notice } from "@/app/_components/card";
import { UsdcAndSol } from "@/app/_components/coins";
import { UsdAmount } from "@/app/_components/money";
import { ShortAddress } from "@/app/_components/short-address";
import { fromMicroUsd, lamportsToUsd } from "@/lib/domain/money";
import { roundKnownToSum } from "@/lib/domain/shown-sum";
import { usePrices } from "../queries/queries";
import type { SigningRequest } from "./approval";
import { useSession } from "./session";
import { readTransactionEffects, SAVINGS_WALLET_NAME } from "./transaction-effects";

/** Describes a request in plain words, before or after it is signed. */
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
  const { payments, allowances, memos, networkFeeLamports, depositLamports, unknownPrograms } = effects;
  const totalLamports = payments.reduce((sum, { lamports }) => sum + lamports, networkFeeLamports + depositLamports);
  const totalUnits = payments.reduce((sum, { usdcUnits }) => sum + usdcUnits, 0n);
  const toUsd = (lamports: bigint) => (solPriceUsd === undefined ? null : lamportsToUsd(Number(lamports), solPriceUsd));
  const shownUsd = roundKnownToSum([
    ...payments.map(({ name, lamports, usdcUnits }) => ({
      usd: usdcUnits > 0n ? fromMicroUsd(usdcUnits) : toUsd(lamports),
      isCost: name !== SAVINGS_WALLET_NAME,
    })),
    { usd: toUsd(depositLamports) },
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
        {allowances.map(({ delegate, name, usdcUnits }) =>
          usdcUnits === 0n ? (
            <AmountRow key={delegate} label="Ends the allowance to take your USDC">
              <UsdAmount usd={0} />
            </AmountRow>
          ) : (
            <AmountRow
              key={delegate}
              label={`Lets ${name ?? "another wallet"} take, at most`}
              hint={<ShortAddress text={delegate} />}
            >
              <Amount units={usdcUnits} lamports={0n} usd={fromMicroUsd(usdcUnits)} />
            </AmountRow>
          ),
        )}
        {payments.map(({ to, name, lamports, usdcUnits }, i) => (
          <AmountRow isPart key={i} label={`To ${name ?? "another wallet"}`} hint={<ShortAddress text={to} />}>
            <Amount units={usdcUnits} lamports={lamports} usd={shownUsd?.parts[i]} />
          </AmountRow>
        ))}
        {depositLamports > 0n && (
          <AmountRow isPart label="Refundable deposit, at most" hint="Opens a token account">
            <Amount lamports={depositLamports} usd={shownUsd?.parts.at(-2)} />
          </AmountRow>
        )}
        <AmountRow isPart label="To the network, at most">
          <Amount lamports={networkFeeLamports} usd={shownUsd?.parts.at(-1)} />
        </AmountRow>
        <AmountRow label="Leaves your wallet" isTotal>
          <Amount units={totalUnits} lamports={totalLamports} usd={shownUsd?.totalUsd} />
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

interface AmountProps {
  lamports: bigint;
  /** Base units of USDC. */
  units?: bigint;
  usd: number | undefined;
}

/** Shows US dollars above the coins, or only the coins while no price is known. */
function Amount({ lamports, units = 0n, usd }: AmountProps) {
  const coins = <UsdcAndSol units={Number(units)} lamports={Number(lamports)} />;
  if (usd === undefined) return coins;
  return (
    <>
      <UsdAmount usd={usd} />
      <span className="block text-sm font-normal text-soft">{coins}</span>
    </>
  );
}
