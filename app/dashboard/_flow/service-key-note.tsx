"use client";

import { useServiceWalletText } from "@/app/_client/queries/queries";
import { useSession } from "@/app/_client/wallet/session";
import { SecondaryButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { Skeleton } from "@/app/_components/skeleton";
import { SignatureFailure } from "@/app/_onboarding/signature-failure";
import { NotDeterministicError } from "@/lib/sdk/errors";

/** Explains, before the wallet asks, why it will ask for a signature. */
export function ServiceKeyNote() {
  const text = useServiceWalletText();
  return (
    <details className="group/key rounded-xl bg-raised px-3.5 py-2 text-sm">
      <summary className="flex min-h-6 list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden">
        First your wallet asks for one signature
        <Chevron className="text-soft group-open/key:rotate-180" />
      </summary>
      <p className="mt-2">
        It recreates the key of your savings wallet inside this page. The page forgets the key when you close or reload
        it.
      </p>
      <blockquote className="mt-2 rounded-lg border border-line bg-card px-3 py-2 font-mono text-sm break-words">
        {text ?? <Skeleton className="h-10" />}
      </blockquote>
      <p className="mt-2">It moves no money and costs nothing.</p>
    </details>
  );
}

export function ServiceKeyFailure({ error, retry }: { error: unknown; retry: () => void }) {
  const { otherForm, switchForm } = useSession();
  if (error instanceof NotDeterministicError) {
    const retryInOtherForm = () => {
      switchForm();
      retry();
    };
    return (
      <Notice
        className="mt-4"
        role="alert"
        tone="bad"
        title="That signature opens another savings wallet"
        action={
          otherForm && (
            <SecondaryButton onClick={retryInOtherForm}>
              {otherForm === "offchain" ? "Use an off-chain message" : "Use the plain text"}
            </SecondaryButton>
          )
        }
      >
        <p>
          Your wallet signed the text differently than when it created this savings wallet. Select the same account in
          your wallet, then try again. If your wallet now signs texts in another form, your recovery file opens your
          savings. Nothing was sent, and your savings are safe.
        </p>
      </Notice>
    );
  }
  return <SignatureFailure error={error} retry={retry} />;
}
