"use client";

import { useSession } from "@/app/_client/wallet/session";
import { explainWalletError } from "@/app/_client/wallet/wallet-errors";
import { Notice } from "@/app/_components/card";
import { InView } from "@/app/_components/in-view";
import { ShortAddress } from "@/app/_components/short-address";
import { Failure } from "@/app/_components/state-view";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { NotDeterministicError, OtherServiceWalletError, WrongAccountError } from "@/lib/sdk/errors";
import { WalletFailureText } from "./wallet-failure-text";

interface Props {
  error: unknown;
  retry: () => void;
}

/** The caller shows the buttons below it. */
export const SignatureFailure = (props: Props) => (
  <InView>
    <Explanation {...props} />
  </InView>
);

function Explanation({ error, retry }: Props) {
  const { wallet } = useSession();
  if (error instanceof ApiError) return <Failure className="mt-4" error={error} retry={retry} />;
  if (error instanceof WrongAccountError) {
    return (
      <Notice className="mt-4" role="alert" tone="warn" title="The wallet signed with another account">
        <p>
          This page is connected to {wallet ? <ShortAddress text={wallet} /> : "one account"}, but the signature came
          from a different one. Switch your wallet back to that account and try again. To use the other account, choose
          your wallet again.
        </p>
      </Notice>
    );
  }
  if (error instanceof NotDeterministicError) {
    return (
      <Notice className="mt-4" role="alert" tone="bad" title="This wallet cannot be used for savings">
        <p>
          It signed the same text in two different ways. The key of your savings wallet could not be recreated, and your
          savings would be lost. Nothing was created and nothing was charged. Choose another wallet or account: with
          most wallets, the two signatures are identical.
        </p>
      </Notice>
    );
  }
  if (error instanceof OtherServiceWalletError) {
    return (
      <Notice className="mt-4" role="alert" tone="warn" title="You already have a savings wallet">
        <p>
          You have saved into{" "}
          {error.existing.map((address, i) => (
            <span key={address}>
              {i > 0 && ", "}
              <ShortAddress text={address} />
            </span>
          ))}
          . This signature opens another one. Your wallet may have signed the text in another form then: sign it the
          same way. If your wallet no longer can, your recovery file opens the savings wallet that you have.
        </p>
      </Notice>
    );
  }
  const failure = explainWalletError(error);
  return (
    <Notice className="mt-4" role="alert" tone={failure.isRefused ? "plain" : "warn"} title={failure.title}>
      <WalletFailureText failure={failure} />
    </Notice>
  );
}
