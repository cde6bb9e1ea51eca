"use client";

import { useGuards } from "@/app/_client/kept/guards";
import { usePlans, usePortfolio } from "@/app/_client/reads/reads";
import type { Save, SavePhase } from "@/app/_client/save";
import { useReadySession, WrongAccountError } from "@/app/_client/wallet/session";
import { walletFailure } from "@/app/_client/wallet/wallet-errors";
import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Short } from "@/app/_components/copy";
import { Sol, Usd } from "@/app/_components/money";
import { Sheet } from "@/app/_components/sheet";
import { SkeletonLines } from "@/app/_components/skeleton";
import { Failure } from "@/app/_components/state-view";
import { PLAY_MONEY_LABEL, useAirdrop } from "@/app/_onboarding/play-money";
import { OnboardingTrouble } from "@/app/_onboarding/trouble";
import { lamportsToSol } from "@/lib/domain/money";
import { ApiError } from "@/lib/sdk/calls/calls";
import { GuardNotice, useGuardCheck } from "./guard-notice";
import { SaveBreakdown } from "./save-breakdown";

const STEPS: { phase: SavePhase; text: string }[] = [
  { phase: "signing", text: "Waiting for your wallet’s signature" },
  { phase: "sending", text: "Being sent" },
  { phase: "confirming", text: "Waiting for the chain to confirm" },
];

/** From review to result: every part, the signature, live progress, the end. */
export function SaveSheet({ save }: { save: Save }) {
  const { phase, note } = save;
  const running = phase === "sending" || phase === "confirming";
  return (
    <Sheet open={phase !== "idle"} onClose={save.reset} locked={running} title={titleOf(save)}>
      <p role="status" aria-live="polite" className="sr-only" data-testid="save-status">
        {STEPS.find((step) => step.phase === phase)?.text ?? (phase === "done" ? "Saved." : "")}
      </p>
      {note && (
        <div className="mb-4">
          <Notice tone="warn">{note}</Notice>
        </div>
      )}
      {phase === "building" && <SkeletonLines lines={6} label="Building the transaction" />}
      {(phase === "review" || phase === "signing") && <Review save={save} />}
      {running && <Progress phase={phase} />}
      {phase === "failed" && <Failed save={save} />}
      {phase === "done" && <Done save={save} />}
    </Sheet>
  );
}

function titleOf({ phase, unfinished }: Save): string {
  if (phase === "done") return "Saved";
  if (phase === "sending" || phase === "confirming") return "Saving";
  if (phase === "failed") return unfinished ? "The outcome is not known yet" : "Nothing was saved";
  return "Look before you sign";
}

function Review({ save }: { save: Save }) {
  const { wrap, phase, error } = save;
  const breakdown = wrap!.breakdown;
  const blocked = useGuardCheck(breakdown.roundUpUsd, lamportsToSol(breakdown.totalLamports), 0);
  if (!wrap!.transaction) {
    return <Notice title="There is no change to save">Every amount already is a full step. Nothing is charged.</Notice>;
  }
  return (
    <div className="space-y-5">
      <SaveBreakdown breakdown={breakdown} />
      <GuardNotice reason={blocked} />
      {!wrap!.affordable && <ShortOfMoney totalLamports={breakdown.totalLamports} retry={() => void save.retry()} />}
      {error !== null && <SigningTrouble error={error} />}
      <p className="text-sm text-soft">
        When you go on, this page checks that the transaction does only this. Then your wallet shows it and asks you to
        sign.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button
          busy={phase === "signing"}
          disabled={!wrap!.affordable || blocked !== null}
          onClick={() => void save.confirm()}
        >
          Sign and save
        </Button>
        <Button look="quiet" onClick={save.reset}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Under the amount an account may keep, or with nothing at all, the chain would refuse the whole transaction. */
function ShortOfMoney({ totalLamports, retry }: { totalLamports: number; retry: () => void }) {
  const { wallet } = useReadySession();
  const { data: plans } = usePlans();
  const { data } = usePortfolio(wallet);
  const airdrop = useAirdrop(wallet);
  const sandbox = plans?.network === "sandbox";
  return (
    <Notice
      tone="warn"
      role="alert"
      title="Your main wallet is short of SOL"
      action={
        sandbox && (
          <Button busy={airdrop.state === "busy"} onClick={() => void airdrop.ask().then(retry)}>
            {PLAY_MONEY_LABEL}
          </Button>
        )
      }
    >
      <p>
        This takes <Sol lamports={totalLamports} />; your wallet holds <Sol lamports={data?.pendingLamports} />. A
        little more has to stay in it, since Solana allows no nearly empty wallets.
        {!sandbox && " Send some SOL to it, then try again."}
      </p>
      {airdrop.error && <p className="mt-2">{airdrop.error.message}</p>}
    </Notice>
  );
}

function SigningTrouble({ error }: { error: unknown }) {
  if (error instanceof ApiError) return <Failure error={error} />;
  if (error instanceof WrongAccountError) return <OnboardingTrouble error={error} retry={() => {}} />;
  // By name: its class would bring web3.js into the page.
  if (error instanceof Error && error.name === "NotAsShown") {
    return (
      <Notice tone="bad" role="alert" title="This is not what was shown, so it was not signed">
        <p>{error.message} Nothing was sent. If this happens again, please report it.</p>
      </Notice>
    );
  }
  const { title, message } = walletFailure(error);
  return (
    <Notice tone="warn" role="alert" title={title}>
      <p>{message}</p>
    </Notice>
  );
}

function Progress({ phase }: { phase: SavePhase }) {
  const at = STEPS.findIndex((step) => step.phase === phase) + 1;
  return (
    <div className="space-y-3">
      <progress aria-label="Progress" max={STEPS.length + 1} value={at} className="h-3 w-full accent-accent" />
      <p>{STEPS[at - 1]?.text}…</p>
      <p className="text-soft">Keep this page open until it is done.</p>
    </div>
  );
}

function Failed({ save }: { save: Save }) {
  const { error, unfinished } = save;
  if (unfinished) {
    return (
      <Notice
        tone="warn"
        role="alert"
        title="It was sent, but nobody can say yet whether it landed"
        action={<Button onClick={() => void save.retry()}>Check again</Button>}
      >
        <p>Checking again asks about the very same transaction; nothing is paid twice.</p>
      </Notice>
    );
  }
  if (error instanceof ApiError) return <Failure error={error} retry={() => void save.retry()} />;
  return <SigningTrouble error={error} />;
}

/** The end, and the one thing to do next: invest once there is enough, else go on saving. */
function Done({ save }: { save: Save }) {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const { data } = usePortfolio(serviceWallet);
  const breakdown = save.wrap!.breakdown;
  const pendingUsd = data?.pendingUsd ?? null;
  const enough = pendingUsd !== null && pendingUsd >= thresholdUsd;
  return (
    <div className="space-y-5">
      <Notice
        tone="good"
        title={
          <>
            You saved <Usd value={breakdown.roundUpUsd} exact />
          </>
        }
      >
        <p>
          Transaction <Short text={save.landed!.txSignature} /> is confirmed. Your service wallet now holds{" "}
          <Sol lamports={data?.pendingLamports} /> (<Usd value={pendingUsd} />
          ).
        </p>
        {pendingUsd !== null && (
          <p>
            {enough ? (
              "That is enough to invest."
            ) : (
              <>
                <Usd value={thresholdUsd - pendingUsd} /> more and you can invest.
              </>
            )}
          </p>
        )}
      </Notice>
      <div className="flex flex-wrap gap-3">
        {enough && <ButtonLink href="/dashboard/invest">Invest now</ButtonLink>}
        <Button look={enough ? "secondary" : "primary"} onClick={save.reset}>
          Round up another
        </Button>
        <ButtonLink href="/dashboard" look={enough ? "quiet" : "secondary"}>
          To the overview
        </ButtonLink>
      </div>
    </div>
  );
}
