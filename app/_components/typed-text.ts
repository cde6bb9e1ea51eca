/** Removes white space, and characters without a width, which some programs add to what they copy. */
export const removeInvisible = (text: string): string => text.replace(/[\s\p{Cf}]/gu, "");

/** Reads a typed or pasted address. Takes the address out of a payment link, such as `solana:<address>?amount=1`. */
export const readAddress = (text: string): string => removeInvisible(text).replace(/^solana:([^?]*).*/i, "$1");
