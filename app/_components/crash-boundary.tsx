"use client";

import { catchError, type ErrorInfo } from "next/error";
import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { Button } from "./button";
import { Notice } from "./card";

/** Facts about unfinished payments, which a crash shows. */
export const PaymentFacts = createContext<ReactNode>(null);

interface Props {
  onRetry?: () => void;
  /** True around a whole page: the message then has the page's heading. */
  isPage?: boolean;
  /** The part is also tried again when this value changes. */
  attempt?: string;
}

/** Replaces its children by a message when they throw. */
export const CrashBoundary = catchError<Props>((props, errorInfo) => <CrashNotice {...props} {...errorInfo} />);

function CrashNotice({ onRetry, isPage, attempt, error, reset }: Props & ErrorInfo) {
  const paymentFacts = useContext(PaymentFacts);
  const failedAttemptRef = useRef(attempt);
  useEffect(() => {
    if (attempt !== failedAttemptRef.current) reset();
  }, [attempt, reset]);
  // Only a reload can repair a failed download. error.tsx does that.
  if (error instanceof Error && error.name === "ChunkLoadError") throw error;
  const retry = () => {
    onRetry?.();
    reset();
  };
  return (
    <>
      {isPage && <h1 className="mb-4 text-2xl font-semibold sm:text-3xl">This page broke</h1>}
      <Notice
        role="alert"
        tone="bad"
        testId="crashed"
        title={isPage ? undefined : "This part broke"}
        action={
          <Button variant="secondary" onClick={retry}>
            Try again
          </Button>
        }
      >
        <p>It could not be shown; that is our mistake.</p>
        {paymentFacts}
        <p>
          If you had just signed something, look at{" "}
          <a href="/dashboard/activity" className="text-accent underline underline-offset-2">
            your activity
          </a>{" "}
          before you sign it again: what was sent is on its way.
        </p>
      </Notice>
    </>
  );
}
