"use client";

import { type FormEvent, useState } from "react";
import type { Flow, FlowState } from "@/app/_client/flow-types";
import { useReadySession } from "@/app/_client/session";
import type { Sent, WithdrawBuild, WithdrawRequest } from "@/app/_client/withdraw";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy";
import { solInText } from "@/app/_components/money";
import { Segmented } from "@/app/_components/segmented";
import { FlowFailure } from "../../_components/flow-trouble";
import type { Portfolio } from "../../_components/overview-balances";
import { DestinationField, destinationFault, type Target } from "./destination-field";
import { heldAssets } from "./held-assets";
import { faultOfPart, type Part, PartFields, readPart } from "./part-fields";

interface Props {
  portfolio: Portfolio;
  flow: Flow<WithdrawRequest, WithdrawBuild, Sent>;
  state: FlowState<WithdrawRequest, WithdrawBuild, Sent>;
}

/** How much, and where to. */
export function WithdrawForm({ portfolio, flow, state }: Props) {
  const { wallet, serviceWallet } = useReadySession();
  const held = heldAssets(portfolio);
  const [kind, setKind] = useState<"all" | "part">("all");
  const [part, setPart] = useState<Part>({ asset: held[0]?.asset ?? "SOL", text: "" });
  const [target, setTarget] = useState<Target>({ kind: "main", text: "" });
  const [faults, setFaults] = useState<{ part: string | null; target: string | null }>({ part: null, target: null });
  const [checking, setChecking] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecking(true);
    const found = {
      part: kind === "part" ? faultOfPart(part, held) : null,
      target: target.kind === "other" ? await destinationFault(target.text, serviceWallet) : null,
    };
    setChecking(false);
    setFaults(found);
    if (found.part !== null || found.target !== null) return;
    const destination = target.kind === "main" ? wallet : target.text.trim();
    const what = kind === "all" ? { asset: null, amount: null } : readPart(part, held);
    void flow.start({ destination, ...what });
  };
  const { phase, open, build, error } = state;
  return (
    <Card title="What you take out">
      <form onSubmit={submit} noValidate>
        <Segmented
          label="Everything or a part"
          options={[
            ["all", "Everything"],
            ["part", "A part"],
          ]}
          value={kind}
          onChange={setKind}
        />
        {kind === "all" ? (
          <p className="mt-3 text-soft">
            All tokens, then all SOL. The accounts that held tokens are closed, so their deposits come back to you too.
          </p>
        ) : (
          <PartFields
            part={part}
            held={held}
            error={faults.part}
            onChange={(next) => {
              setPart(next);
              setFaults({ ...faults, part: null });
            }}
          />
        )}
        <DestinationField
          target={target}
          error={faults.target}
          onChange={(next) => {
            setTarget(next);
            setFaults({ ...faults, target: null });
          }}
          onFault={(fault) => setFaults((now) => ({ ...now, target: fault }))}
        />
        <Button type="submit" busy={checking || (phase === "building" && !open)} className="mt-6 w-full sm:w-auto">
          Review the withdrawal
        </Button>
        <p className="mt-2 text-sm text-soft">Nothing is signed yet.</p>
      </form>
      {!open && phase === "refused" && build && <NotReady build={build} />}
      {!open && phase === "failed" && error && (
        <div className="mt-5">
          <FlowFailure error={error} retry={() => void flow.renew(null)} />
        </div>
      )}
    </Card>
  );
}

/** Why nothing was built, in the service's own words, and the way on where SOL for the fees is what lacks. */
function NotReady({ build: { reason, costs } }: { build: WithdrawBuild }) {
  const { serviceWallet } = useReadySession();
  const needsSol = costs.tokenAccountDepositLamports > 0;
  return (
    <div className="mt-5" data-testid="not-ready">
      <Notice
        role="alert"
        tone="warn"
        title="This cannot be withdrawn as it is"
        action={
          needsSol && (
            <>
              <ButtonLink href="/dashboard/round-up" look="secondary">
                Round up a purchase
              </ButtonLink>
              <CopyButton text={serviceWallet} label="Copy the service wallet’s address" />
            </>
          )
        }
      >
        <p>{solInText(reason ?? "")}</p>
        {needsSol && (
          <p className="mt-1">
            A token can only be received in an account of its own, and opening one takes a deposit of SOL. A round-up
            brings some SOL, or send a little to your service wallet from any wallet. It stays yours.
          </p>
        )}
      </Notice>
    </div>
  );
}
