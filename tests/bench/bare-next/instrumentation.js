/** Nothing: without a file of its own Turbopack takes the one of the app above. */
export function register() {}
