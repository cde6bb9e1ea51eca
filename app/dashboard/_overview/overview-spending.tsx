"use client";

import type { RefObject } from "react";
import type { Overview } from "@/app/_client/queries/overview";
import { ButtonLink } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { FromWallet } from "@/app/dashboard/_saving/payments/from-wallet";
import { SaveSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { useSave } from "@/app/dashboard/_saving/wrap/use-save";

interface Props {
  overview: Overview;
  retry: () => void;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** Offers to save the change of the wallet's payments with one signature. */
export function OverviewSpending({ overview, retry, heading }: Props) {
  const save = useSave();
  return (
    <Card title="Your spare change" className="mt-5">
      {save.unfinished && (
        <div className="mb-4">
          <Notice
            tone="warn"
            title="A round-up is not finished"
            action={<ButtonLink href="/dashboard/round-up">Look at it</ButtonLink>}
          >
            <p>Nothing else is saved before that.</p>
          </Notice>
        </div>
      )}
      <FromWallet overview={overview} save={save} retry={retry} />
      <SaveSheet save={save} finalFocus={heading} />
    </Card>
  );
}
