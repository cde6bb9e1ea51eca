import type { Portfolio } from "../_components/balances";
import { OverviewAhead } from "./goal/overview-ahead";
import { Holdings } from "./growth/overview-holdings";
import { OverviewValue } from "./growth/overview-value";

interface Props {
  portfolio: Portfolio | undefined;
  wallet: string;
  address: string;
}

/** The part of the overview below the first screen. */
export function OverviewBelow({ portfolio, wallet, address }: Props) {
  return (
    <>
      <OverviewAhead portfolio={portfolio} wallet={wallet} address={address} />
      <div className="mt-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
        <Holdings portfolio={portfolio} />
        <OverviewValue portfolio={portfolio} address={address} />
      </div>
    </>
  );
}
