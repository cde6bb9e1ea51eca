"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { isSandbox } from "@/app/_client/network";
import { useAuthText, useServiceWalletText } from "@/app/_client/queries/queries";
import { DEMO_WALLET_NAME } from "@/app/_client/wallet/demo-wallet-constants";
import { useSession } from "@/app/_client/wallet/session";
import { Button, Spinner } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { Fold } from "@/app/_components/fold";
import { Skeleton } from "@/app/_components/skeleton";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { NotDeterministicError, OtherServiceWalletError } from "@/lib/sdk/errors";
import type { Recovery } from "@/lib/sdk/sign/service-wallet";
import { InstallLinks } from "./no-wallet";
import { RecoveryFile, type UnsavedRecovery } from "./recovery-file";
import { SignatureFailure } from "./signature-failure";

export function SignInStep() {
  const { signIn } = useSession();
  const text = useAuthText();
  return (
    <SignStep
      title="Sign in"
      text={text}
      buttonLabel="Sign in"
      describeWait={() => "Confirm the text in your wallet’s window."}
      requestSignatures={async () => void (await signIn())}
      details={<p>The proof stays in this tab and is forgotten when you close it.</p>}
    >
      <p>Your signature proves that the address is yours. It moves no money.</p>
    </SignStep>
  );
}

export function ServiceWalletStep({ onCreate }: { onCreate: () => void }) {
  const { createServiceWallet } = useSession();
  const text = useServiceWalletText();
  const [unsaved, setUnsaved] = useState<UnsavedRecovery | null>(null);
  // A waiting recovery holds key material, so it ends with this step.
  useEffect(() => () => unsaved?.cancel(), [unsaved]);
  const saveRecovery = async (recovery: Recovery) => {
    try {
      await new Promise<void>((onSaved, onCancelled) =>
        setUnsaved({ recovery, onSaved, cancel: () => onCancelled(new Error("The recovery file was not saved.")) }),
      );
    } finally {
      // A later request may wait for its own file.
      setUnsaved((current) => (current?.recovery === recovery ? null : current));
    }
  };
  return (
    <SignStep
      title="Create your savings wallet"
      text={text}
      buttonLabel="Create my savings wallet"
      describeWait={(signature) =>
        signature === 1
          ? "Signature 1 of 2: confirm the text in your wallet’s window."
          : "Signature 2 of 2: the same text once more, to compare."
      }
      requestSignatures={(onProgress, acceptsNew) => {
        onCreate();
        return createServiceWallet({ onProgress, saveRecovery, acceptNew: async () => acceptsNew });
      }}
      interruption={unsaved && <RecoveryFile {...unsaved} />}
      details={
        <>
          <p>
            Your savings wallet is a second wallet that only you control. Your wallet calls it “service wallet”. Your
            main wallet can recreate its key on any device. You sign the same text twice. If the signatures differ, we
            stop, because your savings could be lost.
          </p>
          <p>
            The signature is a key: it never leaves this page, and we never see it. Sign this text only inside an app
            you trust.
          </p>
        </>
      }
    >
      <ol className="list-decimal space-y-1 pl-5">
        <li>The first signature creates the key of your savings wallet.</li>
        <li>The second proves that the key can be recreated.</li>
      </ol>
      <SandboxWarning />
    </SignStep>
  );
}

/** Warns that a real wallet's signature here opens a play-money wallet, which must not be mistaken for the real one. */
function SandboxWarning() {
  const { wallet } = useWallet();
  if (!isSandbox() || wallet?.adapter.name === DEMO_WALLET_NAME) return null;
  return (
    <Notice tone="warn" title="The sandbox, and a real wallet">
      <p>Never send real SOL to this savings wallet.</p>
    </Notice>
  );
}

interface SignStepProps {
  title: string;
  /** Undefined until it is loaded. */
  text: string | undefined;
  buttonLabel: string;
  /** While the wallet is asked. */
  describeWait: (signature: 1 | 2) => string;
  /** @param acceptsNew whether the person wants a new savings wallet beside an existing one */
  requestSignatures: (onProgress: (signature: 1 | 2) => void, acceptsNew: boolean) => Promise<void>;
  interruption?: ReactNode;
  /** Folded with the text. */
  details: ReactNode;
  children: ReactNode;
}

function SignStep(props: SignStepProps) {
  const { title, text, buttonLabel, describeWait, requestSignatures, interruption } = props;
  const { canSignTexts, switchForm, signOut } = useSession();
  const { wallet, signTransaction } = useWallet();
  const [pendingSignature, setPendingSignature] = useState<1 | 2 | null>(null);
  const [error, setError] = useState<unknown>(null);
  // Ignore the result of all but the latest request: the person may ask again before the wallet answers.
  const latestRunRef = useRef(0);

  const startSigning = async (acceptsNew: boolean) => {
    latestRunRef.current += 1;
    const thisRun = latestRunRef.current;
    setError(null);
    setPendingSignature(1);
    try {
      await requestSignatures(
        (signature) => thisRun === latestRunRef.current && setPendingSignature(signature),
        acceptsNew,
      );
    } catch (failure) {
      if (thisRun === latestRunRef.current) setError(failure);
    }
    if (thisRun === latestRunRef.current) setPendingSignature(null);
  };
  const askWallet = () => void startSigning(false);

  // This wallet would fail again, so the page offers no retry.
  const cannotSucceed = error instanceof NotDeterministicError;
  const isOther = error instanceof OtherServiceWalletError;
  if (!canSignTexts || !signTransaction)
    return (
      <CannotSign name={wallet?.adapter.name ?? "This wallet"} signsTransactions={signTransaction !== undefined} />
    );
  if (interruption) return interruption;
  return (
    <Card title={title}>
      <div className="space-y-3 text-soft">{props.children}</div>
      <Fold title="What your wallet will show" className="mt-4">
        <blockquote className="rounded-xl border border-line bg-raised px-4 py-3 font-mono text-sm break-words">
          {text ?? <Skeleton className="h-10" />}
        </blockquote>
        <div className="space-y-3 py-3 text-soft">{props.details}</div>
      </Fold>
      <div aria-live="polite" className="mt-5 empty:mt-0">
        {pendingSignature && (
          <p className="flex items-center gap-3 font-medium">
            <Spinner />
            {describeWait(pendingSignature)}
          </p>
        )}
      </div>
      {error !== null && <SignatureFailure error={error} retry={askWallet} />}
      <div className="mt-5 flex flex-wrap gap-3">
        {!cannotSucceed && (
          <Button variant={pendingSignature || isOther ? "secondary" : "primary"} onClick={askWallet}>
            {pendingSignature || isOther ? "Ask again" : buttonLabel}
          </Button>
        )}
        <FailureChoices
          error={error}
          onSwitchForm={() => {
            switchForm();
            setError(null);
          }}
          onAcceptNew={() => void startSigning(true)}
        />
        <Button variant={cannotSucceed ? "primary" : "quiet"} onClick={() => void signOut()}>
          Choose another wallet
        </Button>
      </div>
    </Card>
  );
}

interface FailureChoicesProps {
  error: unknown;
  onSwitchForm: () => void;
  onAcceptNew: () => void;
}

/** The other form of the text, or a new savings wallet, can help after a failed signature. */
function FailureChoices({ error, onSwitchForm, onAcceptNew }: FailureChoicesProps) {
  const { otherForm } = useSession();
  const isOther = error instanceof OtherServiceWalletError;
  if (error === null || error instanceof ApiError) return null;
  return (
    <>
      {otherForm && (
        <Button variant={isOther ? "primary" : "secondary"} onClick={onSwitchForm}>
          {otherForm === "offchain" ? "Use an off-chain message" : "Use the plain text"}
        </Button>
      )}
      {isOther && (
        <Button variant="danger" onClick={onAcceptNew}>
          Create a new one anyway
        </Button>
      )}
    </>
  );
}

function CannotSign({ name, signsTransactions }: { name: string; signsTransactions: boolean }) {
  const { signOut } = useSession();
  return (
    <Card title="This wallet cannot be used here">
      <Notice role="alert" tone="warn" action={<Button onClick={() => void signOut()}>Choose another wallet</Button>}>
        {signsTransactions ? (
          <p>
            {name} cannot sign a text with this account, neither plainly nor as an off-chain message. Your sign-in and
            your savings wallet need one. Choose another account or wallet.
          </p>
        ) : (
          <p>
            {name} sends each transaction as it signs it, as embedded wallets do. This page must check what was signed
            before it is sent. Choose a wallet that signs without sending.
          </p>
        )}
      </Notice>
      <p className="mt-4 text-soft">These wallets work:</p>
      <InstallLinks />
    </Card>
  );
}
