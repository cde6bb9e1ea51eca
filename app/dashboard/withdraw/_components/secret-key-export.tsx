"use client";

import Link from "next/link";
import { useCallback, useEffect, useRef, useState } from "react";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, QuietButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Chevron } from "@/app/_components/chevron";
import { CopyButton } from "@/app/_components/copy-button";
import { useCountdown } from "@/app/_components/use-countdown";
import { useTask } from "@/app/_components/use-task";
import { ServiceKeyFailure, ServiceKeyNote } from "@/app/dashboard/_flow/service-key-note";
import { type ExportedKey, exportKey } from "@/lib/sdk/sign/key-pair";

const MAX_SHOWN_SECONDS = 60;

/** Exports the service wallet's secret key, also when the chain cannot be read. */
export function SecretKeyExport() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="mt-4 rounded-2xl border border-line bg-card px-5 sm:px-6">
      <details className="group" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="flex min-h-14 list-none items-center justify-between gap-3 [&::-webkit-details-marker]:hidden">
          <h2 className="text-lg font-semibold">Leave without Roundup</h2>
          <Chevron className="group-open:rotate-180" />
        </summary>
        <div className="max-w-3xl space-y-4 pb-6">
          <p>
            You do not need Roundup to reach your savings. Any wallet app, such as Phantom or Solflare, opens your
            savings wallet with its secret key. The command <code>roundup recover</code> empties it with only your
            wallet and a Solana node. Back up your main wallet: if you lose it, nobody can open your savings wallet, not
            even Roundup.{" "}
            <Link href="/docs/service-wallet" prefetch={false} className="text-accent underline underline-offset-2">
              How the key is made
            </Link>
          </p>
          {isOpen && <SecretKeySection />}
        </div>
      </details>
    </section>
  );
}

/** Warns, and shows the secret key on request. The key is dropped when the section closes. */
function SecretKeySection() {
  const { hasServiceKey, getServiceKey } = useReadySession();
  const [shownKey, setShownKey] = useState<ExportedKey | null>(null);
  const isClosedRef = useRef(false);
  const hide = useCallback(() => setShownKey(null), []);
  useEffect(() => {
    isClosedRef.current = false;
    return () => {
      isClosedRef.current = true;
    };
  }, []);
  const { run, isBusy, error } = useTask(async () => {
    const serviceKey = await getServiceKey();
    // Do not show the key if the person closed the section or left the page while the wallet was asking.
    if (!isClosedRef.current && document.visibilityState === "visible") setShownKey(exportKey(serviceKey));
  });
  if (shownKey) return <RevealedSecretKey exportedKey={shownKey} onHide={hide} />;
  return (
    <>
      <Notice tone="bad" title="Anyone with this key can take everything in your savings wallet">
        <p>
          They need nothing else, and nobody can undo it. Hide your screen from others, and take no screenshots. Roundup
          never asks for this key: any person or page that does is stealing. It does not open your main wallet.
        </p>
      </Notice>
      {!hasServiceKey && <ServiceKeyNote />}
      <Button variant="danger" isBusy={isBusy} onClick={run}>
        Show the secret key
      </Button>
      {error !== null && <ServiceKeyFailure error={error} retry={run} />}
    </>
  );
}

/** Shows the key for at most a minute, and hides it when the page is not visible. */
function RevealedSecretKey({ exportedKey, onHide }: { exportedKey: ExportedKey; onHide: () => void }) {
  const secondsLeft = useCountdown(MAX_SHOWN_SECONDS, exportedKey);
  const panelRef = useRef<HTMLElement>(null);
  useEffect(() => {
    if (secondsLeft === 0) onHide();
  }, [secondsLeft, onHide]);
  useEffect(() => {
    panelRef.current?.focus();
    document.addEventListener("visibilitychange", onHide);
    window.addEventListener("pagehide", onHide);
    return () => {
      document.removeEventListener("visibilitychange", onHide);
      window.removeEventListener("pagehide", onHide);
    };
  }, [onHide]);
  return (
    <section
      ref={panelRef}
      aria-label="Secret key of your savings wallet"
      tabIndex={-1}
      className="space-y-4 outline-none"
    >
      <p
        className="rounded-xl border border-bad/40 bg-bad-wash p-4 font-mono text-sm break-all"
        data-testid="secret-key"
      >
        {exportedKey.base58}
      </p>
      <p className="text-sm text-soft">
        Hidden again in {secondsLeft} s, or when you leave this tab. A copied key stays on your clipboard until you copy
        something else.
      </p>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={exportedKey.base58} label="Copy for a wallet app" />
        <CopyButton text={exportedKey.json} label="Copy as a keypair file" />
        <QuietButton onClick={onHide}>Hide it</QuietButton>
      </div>
    </section>
  );
}
