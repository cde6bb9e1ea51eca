"use client";

import { useState } from "react";
import { calls } from "@/app/_client/queries/calls";
import { explainWalletError } from "@/app/_client/wallet/wallet-errors";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { useTask } from "@/app/_components/use-task";
import { WalletFailureText } from "@/app/_onboarding/wallet-failure-text";
import { fillLink } from "@/lib/domain/signed-texts";
import { type ApiCall, parseJson } from "./call";
import { useDocsSession } from "./docs-session";
import type { ConnectedWallet } from "./docs-wallet";

interface SigningTask {
  buttonLabel: string;
  /** Shown before the wallet asks. */
  explanation: string;
  /** Returns the body with the signature. */
  sign(wallet: ConnectedWallet, body: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** By operation whose body contains a signature. */
const SIGNING_TASKS: Record<string, SigningTask> = {
  "derive-wallet": {
    buttonLabel: "Sign with your savings wallet",
    explanation:
      "This page signs the link text with your savings wallet. If it has to derive its key again, your wallet shows you the text that the key comes from. That signature stays in this page.",
    sign: async ({ wallet, serviceWallet, signAsService }) => {
      if (!serviceWallet) throw new RangeError("There is no savings wallet yet. The dashboard makes one.");
      const { link } = await calls.get("/api/wallet/derive");
      return { publicKey: serviceWallet, proof: await signAsService(fillLink(link, wallet, serviceWallet)) };
    },
  },
  "execute-transaction": {
    buttonLabel: "Sign this transaction",
    explanation:
      "If it asks for your main wallet, that will show it to you first. If it asks for your savings wallet, this page signs it. Either way nothing moves before you press Send.",
    sign: async ({ signTransaction }, body) => ({
      ...body,
      signedTransaction: await signTransaction(String(body.signedTransaction ?? "")),
    }),
  },
};

interface Props {
  call: ApiCall;
  body: string | null;
  onBody: (body: string) => void;
}

/** Renders nothing for a call that needs no signature. */
export function SignAssist({ call, body, onBody }: Props) {
  const { connectedWallet } = useDocsSession();
  const [isSigned, setIsSigned] = useState(false);
  const task = SIGNING_TASKS[call.id];
  const { run, isBusy, error } = useTask(async () => {
    setIsSigned(false);
    const parsedBody = parseJson(body ?? "");
    const signedBody = await task!.sign(connectedWallet!, typeof parsedBody === "object" ? { ...parsedBody } : {});
    onBody(JSON.stringify(signedBody, null, 2));
    setIsSigned(true);
  });
  if (!task || !connectedWallet?.credentials) return null;
  const failure =
    error instanceof RangeError
      ? { title: "That cannot be signed", message: error.message, isRefused: false, reason: null }
      : explainWalletError(error);
  return (
    <div aria-live="polite">
      <Notice
        tone={isSigned ? "good" : "plain"}
        title={isSigned ? "Signed. Now you can send it." : undefined}
        action={
          <Button variant="secondary" isBusy={isBusy} onClick={run}>
            {task.buttonLabel}
          </Button>
        }
      >
        {!isSigned && <p>{task.explanation}</p>}
      </Notice>
      {error !== null && (
        <Notice className="mt-3" role="alert" tone="warn" title={failure.title}>
          <WalletFailureText failure={failure} />
        </Notice>
      )}
    </div>
  );
}
