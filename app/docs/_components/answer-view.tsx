"use client";

import { Button } from "@/app/_components/button";
import { Badge } from "@/app/_components/card";
import { useCountdown } from "@/app/_components/use-countdown";
import { type CallAnswer, findUnsignedTransactions } from "./call";
import { useDocsSession } from "./docs-session";

/** Shows a response as sent. Offers to resend it or to use its transactions. */
export function AnswerView({ answer, resend }: { answer: CallAnswer; resend: () => void }) {
  const { status, durationMs, text, requestId, remainingCalls, retryAfterSeconds, data } = answer;
  const { passToExecute } = useDocsSession();
  const secondsLeft = useCountdown(retryAfterSeconds, answer);
  const unsignedTransactions = findUnsignedTransactions(data);
  return (
    <div data-testid="answer" className="min-w-0">
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
        <Badge tone={status < 300 ? "good" : status < 500 && status !== 429 ? "warn" : "bad"}>
          {status} {status < 300 ? "Success" : status < 500 ? "Refused" : "Failed"}
        </Badge>
        <span>{durationMs} ms</span>
        {remainingCalls !== null && <span>{remainingCalls} calls left this minute</span>}
        {requestId && (
          <span>
            Request <code className="break-all">{requestId}</code>
          </span>
        )}
      </p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="mt-2 max-h-96 overflow-auto rounded-xl border border-line bg-card p-4 text-sm whitespace-pre-wrap wrap-anywhere"
      >
        <code className="font-mono">{text}</code>
      </pre>
      {retryAfterSeconds > 0 && (
        <Button variant="secondary" className="mt-3" disabled={secondsLeft > 0} onClick={resend}>
          {secondsLeft > 0 ? `Send again in ${secondsLeft} s` : "Send again"}
        </Button>
      )}
      {unsignedTransactions.length > 0 && (
        <div className="mt-3">
          <p className="text-sm text-soft">
            {unsignedTransactions.length === 1
              ? "One transaction waits"
              : `${unsignedTransactions.length} transactions wait`}{" "}
            for a signature. Nothing moves until it is signed and sent.
          </p>
          <div className="mt-2 flex flex-wrap gap-2">
            {unsignedTransactions.map((transaction, i) => (
              <Button key={transaction} variant="secondary" onClick={() => passToExecute(transaction)}>
                {unsignedTransactions.length === 1 ? "Take it to execute" : `Take number ${i + 1} to execute`}
              </Button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
