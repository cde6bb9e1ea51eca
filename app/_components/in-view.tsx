"use client";

import { type ComponentProps, type ReactNode, useEffect, useRef } from "react";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { Failure } from "./state-view";

/** Scrolls into view what appears. On a phone, the tab bar could cover it. */
export function InView({ children }: { children: ReactNode }) {
  const elementRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    elementRef.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return <div ref={elementRef}>{children}</div>;
}

interface FailureInViewProps extends Omit<ComponentProps<typeof Failure>, "error"> {
  error: ApiError | null | undefined;
}

/** Scrolls a new error into view. Renders nothing without one. */
export const FailureInView = ({ error, ...failure }: FailureInViewProps) =>
  error && (
    <InView>
      <Failure error={error} {...failure} />
    </InView>
  );
