import type { ReactNode } from "react";
import { Spinner } from "@/app/_components/button";
import { CheckMark } from "@/app/_components/check-mark";
import { ShortAddress } from "@/app/_components/short-address";
import type { FlowState } from "@/lib/sdk/flow/state";

export function RunProgress<Request, Build, About>({ state }: { state: FlowState<Request, Build, About> }) {
  const { record, unsignedSteps, phase, stage, isContinuing } = state;
  const stageText = phase === "unknown" ? "Checking whether it arrived" : describeStage(stage);
  return (
    <ol aria-label="Transactions" data-testid="run-progress" className="space-y-1">
      {record?.done.map(({ label, txSignature }) => (
        <Step key={txSignature} mark={<DoneMark />} label={label} status="Done">
          <ShortAddress text={txSignature} />
        </Step>
      ))}
      {record?.inFlight && (
        <Step
          key={record.inFlight.signed}
          mark={phase === "unknown" ? <Mark className="bg-warn-wash text-warn">?</Mark> : <Spinner />}
          label={record.inFlight.label}
          status={stageText}
          isCurrent
        />
      )}
      {isContinuing && phase === "building" && (
        <Step mark={<Spinner />} label="Next transaction" status="Being prepared" isCurrent />
      )}
      {unsignedSteps.map(({ label, transaction }) => (
        <Step key={transaction} mark={<Mark className="bg-raised text-soft">·</Mark>} label={label} status="Waiting" />
      ))}
    </ol>
  );
}

export const describeStage = (stage: FlowState<unknown, unknown, unknown>["stage"]) =>
  stage === "sending" ? "Being sent" : "Waiting for the chain to confirm";

interface StepProps {
  mark: ReactNode;
  label: string;
  status: string;
  isCurrent?: boolean;
  children?: ReactNode;
}

function Step({ mark, label, status, isCurrent, children }: StepProps) {
  return (
    <li aria-current={isCurrent ? "step" : undefined} className="flex items-center gap-3 py-2">
      <span className="grid size-7 shrink-0 place-items-center text-accent">{mark}</span>
      <span className="min-w-0">
        <span className="block font-medium">{label}</span>
        <span className="block text-sm text-soft">
          {status} {children}
        </span>
      </span>
    </li>
  );
}

const DoneMark = () => (
  <Mark className="bg-accent text-accent-ink">
    <CheckMark />
  </Mark>
);

function Mark({ className, children }: { className: string; children: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-7 place-items-center rounded-full text-sm font-semibold ${className}`}
    >
      {children}
    </span>
  );
}
