"use client";

import { type ReactNode, useState } from "react";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { Button, Spinner } from "./button";
import { Notice } from "./card";
import { useCountdown } from "./use-countdown";

/** By error code. */
const TEMPORARY_ERROR_TITLES: Record<string, string> = {
  offline: "You seem to be offline",
  rate_limited: "A short break is needed",
  service_not_ready: "Not available right now",
  price_stale: "No certain price right now",
};

/** A rate-limited call has to wait. `isBusy` is true until `retry` has ended. */
function useRetryButton(error: ApiError | undefined, retry: (() => unknown) | undefined) {
  const secondsLeft = useCountdown(error?.code === "rate_limited" ? (error.retryAfter ?? 60) : 0, error);
  const [isBusy, setIsBusy] = useState(false);
  const run = async () => {
    setIsBusy(true);
    try {
      await retry?.();
    } finally {
      setIsBusy(false);
    }
  };
  const hasToWait = secondsLeft > 0;
  return { isBusy, hasToWait, label: hasToWait ? `Try again in ${secondsLeft} s` : "Try again", run: () => void run() };
}

interface FailureProps {
  error: ApiError;
  /** The button is busy until a returned promise has settled. */
  retry?: () => unknown;
  title?: string;
  className?: string;
}

/** Says what happened, whether waiting helps, and what to do. A fault of the service names its request. */
export function Failure({ error, retry, title, className }: FailureProps) {
  const { isBusy, hasToWait, label, run } = useRetryButton(error, retry);
  return (
    <Notice
      role="alert"
      className={className}
      tone={TEMPORARY_ERROR_TITLES[error.code] ? "warn" : "bad"}
      title={title ?? TEMPORARY_ERROR_TITLES[error.code] ?? "That did not work"}
      action={
        retry && (
          <Button variant="secondary" isBusy={isBusy} onClick={run} disabled={hasToWait}>
            {label}
          </Button>
        )
      }
    >
      <p>
        {error.code === "rate_limited"
          ? "Too many requests in one minute. The button counts down until you can go on."
          : error.message}
      </p>
      {error.requestId && error.status >= 500 && (
        <p className="mt-1 text-sm text-soft">
          Request id <code className="break-all">{error.requestId}</code>
        </p>
      )}
    </Notice>
  );
}

interface ReadViewProps<T> {
  read: { data: T | undefined; error: ApiError | undefined; mutate: () => unknown };
  /** While there is no data. */
  failureTitle: string;
  loading: ReactNode;
  children: (data: T) => ReactNode;
}

/** When a refresh fails, the old data stays with a warning. */
export function ReadView<T>({ read: { data, error, mutate }, failureTitle, loading, children }: ReadViewProps<T>) {
  const retry = () => mutate();
  if (data === undefined) return error ? <Failure error={error} retry={retry} title={failureTitle} /> : loading;
  return (
    <>
      {children(data)}
      <StaleNote error={error} retry={retry} />
    </>
  );
}

export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="rounded-xl border border-dashed border-line-strong/60 px-5 py-8 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-md text-balance text-soft">{children}</div>}
      {action && <div className="mt-4 flex justify-center gap-2">{action}</div>}
    </div>
  );
}

export function StaleNote({ error, retry }: { error: ApiError | undefined; retry: () => unknown }) {
  const { isBusy, hasToWait, label, run } = useRetryButton(error, retry);
  if (!error) return null;
  return (
    <p role="status" className="mt-3 flex flex-wrap items-center gap-x-3 text-sm text-warn">
      <span>These figures are from before: {error.message}</span>
      <button
        type="button"
        onClick={isBusy ? undefined : run}
        disabled={hasToWait}
        aria-busy={isBusy || undefined}
        className="inline-flex min-h-6 items-center gap-2 underline underline-offset-2 disabled:no-underline"
      >
        {isBusy && <Spinner />}
        {label}
      </button>
    </p>
  );
}
