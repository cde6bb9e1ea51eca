/** Does nothing. Without this file Turbopack would use the instrumentation of the app in the parent folder. */
export function register() {}
