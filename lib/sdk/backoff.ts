import type { ApiError } from "./calls/api-error";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Returns the wait before a retry, ms: 1 s after the first failure, doubled after each further one, at most 60 s. */
export const computeBackoffMs = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);

/** Returns whether a call can succeed later without any change by the caller. */
export const isTemporary = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;
