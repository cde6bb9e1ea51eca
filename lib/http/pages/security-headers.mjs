// @ts-check
import { createHash } from "node:crypto";

// next.config.mjs imports this file. Node runs both without a compiler, so their types are JSDoc.

/** Security headers of every page and asset. */
export const PAGE_HEADERS = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

const INLINE_SCRIPT_PATTERN = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

/**
 * Returns CSP sources for the inline scripts of a page. Each script runs only while its text is unchanged.
 * @param {string} html
 */
export function hashScripts(html) {
  const hashes = [...html.matchAll(INLINE_SCRIPT_PATTERN)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return [...new Set(hashes)];
}

/**
 * Returns the Content-Security-Policy of a page.
 * @param {string[]} scriptSources source expressions of scripts that may run besides this origin's files
 */
export function buildContentSecurityPolicy(scriptSources) {
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scriptSources].join(" ")}`,
    "style-src 'self'",
    // Style attributes place popovers and size the bars of charts.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
