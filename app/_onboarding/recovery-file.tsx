"use client";

import { useState } from "react";
import { isSandbox } from "@/app/_client/network";
import { useSession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { getButtonClasses } from "@/app/_components/button-classes";
import { Card, Notice } from "@/app/_components/card";
import { downloadFile } from "@/app/_components/download";
import { Fold } from "@/app/_components/fold";
import type { Recovery } from "@/lib/sdk/sign/service-wallet";

export interface UnsavedRecovery {
  recovery: Recovery;
  onSaved: () => void;
  /** Gives up the set-up. */
  cancel: () => void;
}

/** Bytes; no recovery file is longer. */
const MAX_FILE_BYTES = 1_000;

/** Reads the saved file to be sure that it is saved. */
export function RecoveryFile({ recovery: { serviceWallet, signature }, onSaved }: UnsavedRecovery) {
  const { wallet, signOut } = useSession();
  const [isDownloaded, setIsDownloaded] = useState(false);
  const [isWrongFile, setIsWrongFile] = useState(false);
  const fileName = `roundup-recovery-${serviceWallet.slice(0, 8)}.txt`;
  const checkFile = async (file: File | undefined) => {
    if (!file) return;
    const text = file.size > MAX_FILE_BYTES ? "" : await file.text();
    if (text.trim() === signature) onSaved();
    else setIsWrongFile(true);
  };
  return (
    <Card title="Save your recovery file">
      <div className="space-y-3 text-soft">
        <p>
          Your wallet signs off-chain messages, as hardware wallets do. A later version of it may sign them differently.
          Then only this file opens your savings wallet.
        </p>
        <p>The file is a key. Keep it offline, and never send it to anyone.</p>
      </div>
      <Fold title="How to use the file" className="mt-4">
        <p className="text-soft">This command sends your savings to your own wallet, without this page:</p>
        <pre className="my-3 rounded-xl border border-line bg-raised px-4 py-3 text-sm break-words whitespace-pre-wrap">
          {`roundup recover --origin ${isSandbox() ? "sandbox" : window.location.origin} --rpc <node> --owner ${wallet} --signature ${fileName}`}
        </pre>
      </Fold>
      {isWrongFile && (
        <Notice className="mt-4" role="alert" tone="warn" title="That is another file">
          <p>Choose {fileName}, or save it again.</p>
        </Notice>
      )}
      <div className="mt-5 flex flex-wrap gap-3">
        <Button
          variant={isDownloaded ? "secondary" : "primary"}
          onClick={() => {
            downloadFile(`${signature}\n`, "text/plain", fileName);
            setIsDownloaded(true);
            setIsWrongFile(false);
          }}
        >
          {isDownloaded ? "Save it again" : "Save the file"}
        </Button>
        {isDownloaded && (
          <label className={getButtonClasses("primary", "cursor-pointer focus-within:outline-2")}>
            Choose the saved file
            <input
              type="file"
              className="sr-only"
              onChange={(event) => {
                void checkFile(event.target.files?.[0]);
                // The same file can be chosen again.
                event.target.value = "";
              }}
            />
          </label>
        )}
        <Button variant="quiet" onClick={() => void signOut()}>
          Choose another wallet
        </Button>
      </div>
      {isDownloaded && (
        <p role="status" className="mt-3 text-soft">
          Now choose the saved file, so that this page can check it.
        </p>
      )}
    </Card>
  );
}
