/** Returns the first and last four characters: enough to recognise an address or a signature, but not to use it. */
export const shortenAddress = (address: string) => `${address.slice(0, 4)}…${address.slice(-4)}`;
